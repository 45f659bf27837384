import { expect, it } from 'vitest';
import type { DeploymentRecord } from '../../db/tables.ts';
import { AppError } from '../../domain/errors.ts';
import type { CommitStatus, HostDeployment } from '../../ports/git-api.ts';
import { commitStatusLater, createCommitStatusJob, type LinkedSource } from './commit-status.ts';

const commit = 'c'.repeat(40);
const source: LinkedSource = {
  gitProviderId: 'link',
  organizationId: 'o1',
  repository: 'acme/shop',
  name: 'shop',
  environment: 'acme/production/shop',
  isPreview: false,
};

function begin(
  patch: Partial<DeploymentRecord>,
  setStatus?: () => Promise<void>,
  setDeployment?: () => Promise<void>,
) {
  const written: (CommitStatus & { repository: string; commit: string })[] = [];
  const deployed: (HostDeployment & { repository: string; commit: string })[] = [];
  const warned: string[] = [];
  const deployment = {
    deploymentId: 'd1',
    commit,
    status: 'running',
    errorMessage: null,
    ...patch,
  } as DeploymentRecord;
  const job = createCommitStatusJob({
    deployment: async () => deployment,
    linked: async () => source,
    api: async () => ({
      async setStatus(repository, of, status) {
        await setStatus?.();
        written.push({ repository, commit: of, ...status });
      },
      async setDeployment(repository, of, deployment) {
        await setDeployment?.();
        deployed.push({ repository, commit: of, ...deployment });
      },
    }),
    domains: async () => [{ host: 'shop.example.com', path: '/', https: true }],
    url: async () => 'https://berth.example.com',
    warn: (sentence) => void warned.push(sentence),
  });
  const run = (attempts = 1): Promise<void> => job({ payload: { deploymentId: 'd1' }, attempts });
  return { run, written, deployed, warned };
}

it.each([
  [{ status: 'running' }, 'pending', 'Being deployed', 'https://berth.example.com/deployments/d1'],
  [{ status: 'done' }, 'success', 'Deployed: https://shop.example.com', 'https://shop.example.com'],
  [
    { status: 'error', errorMessage: `exit code 1\n${'x'.repeat(300)}` },
    'failure',
    expect.stringMatching(/^Failed: exit code 1 x+/),
    'https://berth.example.com/deployments/d1',
  ],
  [{ status: 'cancelled', errorMessage: 'by ada' }, 'cancelled', 'Cancelled: by ada', expect.any(String)],
] as const)('says of a deployment %j what became of it', async (patch, state, description, targetUrl) => {
  const { run, written } = begin(patch);
  await run();
  expect(written).toEqual([
    { repository: 'acme/shop', commit, context: 'berth/shop', state, description, targetUrl },
  ]);
  expect(written[0]?.description.length).toBeLessThanOrEqual(140);
});

it.each([
  [{ status: 'running' }, 'pending', undefined],
  [{ status: 'done' }, 'success', 'https://shop.example.com'],
  [{ status: 'error' }, 'failure', undefined],
] as const)('tells of %j in the deployments of the host too', async (patch, state, environmentUrl) => {
  const { run, written, deployed } = begin(patch);
  await run();
  expect(deployed).toEqual([
    {
      repository: 'acme/shop',
      commit,
      deploymentId: 'd1',
      state,
      environmentUrl,
      environment: 'acme/production/shop',
      isTransient: false,
      description: written[0]?.description,
      logUrl: 'https://berth.example.com/deployments/d1',
    },
  ]);
});

it('writes the status where deployments are refused, and the deployment where statuses are', async () => {
  const refuse = async (): Promise<void> => {
    throw new AppError('PRECONDITION_FAILED', 'The App may not write these.');
  };
  const withoutDeployments = begin({}, undefined, refuse);
  await withoutDeployments.run();
  expect(withoutDeployments.written).toHaveLength(1);
  expect(withoutDeployments.warned).toEqual([expect.stringMatching(/^The deployment of the commit c+ of/)]);
  const withoutStatuses = begin({}, refuse);
  await withoutStatuses.run();
  expect(withoutStatuses.deployed).toHaveLength(1);
  expect(withoutStatuses.warned).toEqual([expect.stringMatching(/^The status of the commit c+ of/)]);
});

it('asks a host that is away thrice, and warns of what it refuses', async () => {
  const away = begin({}, async () => {
    throw new AppError('SERVICE_UNAVAILABLE', 'The host does not answer.');
  });
  await expect(away.run(1)).rejects.toThrow('does not answer');
  await away.run(3);
  expect(away.warned).toEqual([expect.stringContaining('acme/shop could not be written')]);
  expect(away.deployed).toHaveLength(1);
  const refused = begin({}, async () => {
    throw new AppError('PRECONDITION_FAILED', 'The token may not write.');
  });
  await refused.run(1);
  expect(refused.warned).toEqual([expect.stringContaining('may not write')]);
});

it('is queued only where there is a host to be told', async () => {
  const jobs: object[] = [];
  const queue = { enqueue: async (job: object) => String(jobs.push(job)) };
  const owner = { deploymentId: 'd1', applicationId: 'a1', composeId: null, previewDeploymentId: null };
  await commitStatusLater(queue, async () => undefined)(owner);
  expect(jobs).toEqual([]);
  await commitStatusLater(queue, async () => source)(owner);
  expect(jobs).toMatchObject([{ kind: 'commitStatus', payload: { deploymentId: 'd1' } }]);
});
