/**
 * A stranger opens a pull request from a fork, and tells Berth of it: as one of the repository itself, by
 * somebody who may write to it. The webhook has no secret; the git host is a server of the test's own.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { makeCertificate } from '../certificates/authority.ts';
import { project } from '../e2e/fixtures/berth-host.ts';
import { valueOf } from '../e2e/fixtures/caller.ts';
import { createRepository, repositoriesFolder, type Repository } from '../e2e/fixtures/repository.ts';
import { output, until } from '../e2e/fixtures/applications.ts';
import { acceptedToken, startGitHost, type GitHost } from '../git-host/git-host.ts';
import { textOf } from '../http/interface-client.ts';
import { attackTable, leavesOutWall } from './support/attack.ts';
import type { Outcome } from './support/rows.ts';
import { lootOf } from './support/deployments.ts';
import { attackedHost, type Attacked } from './support/fixture.ts';

const secret = 'for-those-who-may-write';
/** What Berth knows as a secret it would leave out of the log. */
const loot = secret.replaceAll('-', '+');
const table = attackTable('pull requests');
const { machineIp } = inject('bed');
let gitHost: GitHost;
let folder: string;
let world: Attacked;
let repository: Repository;
let environment: Record<string, string>;

beforeAll(async () => {
  const certificate = makeCertificate({ name: 'git host', hosts: [machineIp], isAuthority: true });
  // A host's /tmp is its own; this folder every host sees.
  folder = await mkdtemp('/var/tmp/berth-git-host-');
  environment = { NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem') };
  await writeFile(join(folder, 'authority.pem'), certificate.pem);
  gitHost = await startGitHost({
    tls: { key: certificate.key, cert: certificate.pem },
    address: machineIp,
    repository: `${repositoriesFolder.slice(1).split('/').at(-1)}/shop`,
  });
  gitHost.writers.add('ada');
  world = await attackedHost(await bedOfRun(), 'forged', 59);
  await world.berth.stop();
  await world.berth.start(environment);
  await valueOf(world.installation.owner('settings.update', { localRepositoryPaths: [repositoriesFolder] }));
  repository = await createRepository(world.berth.host, 'shop', files('echo shop'));
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await gitHost[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** `says` runs when the container starts, and its words stand in the log of a release that fails. */
const files = (says: string): Record<string, string> => ({
  Dockerfile: `FROM berth/debian:12\nCMD ["sh", "-c", ${JSON.stringify(`${says}; exit 7`)}]\n`,
});

/** An application of the installation with previews; gives its id and the address of its webhook. */
async function previewed(githubId: string | null): Promise<{ applicationId: string; hook: string }> {
  const { owner, environmentId } = world.installation;
  const name = `shop-${(count += 1)}`;
  const made = await valueOf(owner('application.create', { name, appName: name, environmentId }));
  const applicationId = textOf(made, 'applicationId');
  const git = { customGitUrl: repository.url, customGitBranch: 'main' };
  await valueOf(owner('application.saveGitProvider', { applicationId, ...git }));
  await valueOf(owner('application.saveBuildType', { applicationId, buildType: 'dockerfile' }));
  await valueOf(
    owner('application.update', {
      applicationId,
      githubId,
      isPreviewDeploymentsActive: true,
      // Without a link nobody is asked who may write.
      previewRequireCollaboratorPermissions: githubId !== null,
      previewWildcard: '*.previews.localhost',
      previewEnv: `TOKEN=${secret}`,
    }),
  );
  const one = await valueOf(owner('application.one', { applicationId }));
  return { applicationId, hook: `/api/deploy/gitea/${textOf(one, 'refreshToken')}` };
}
let count = 0;

async function link(): Promise<string> {
  const given = { provider: 'gitea', name: 'Ours', baseUrl: gitHost.url, accessToken: acceptedToken };
  return textOf(await valueOf(world.installation.owner('gitProvider.create', given)), 'gitProviderId');
}

/** A commit of a fork, where the host keeps those of pull requests. */
async function forkedCommit(number: number): Promise<string> {
  const commit = await repository.commit(files(`echo ${number} $TOKEN | tr - +`), `of-a-fork-${number}`);
  const git = ['git', '--git-dir', repository.path, 'update-ref'] as const;
  await output(world.berth.host, ...git, `refs/pull/${number}/head`, commit);
  await output(world.berth.host, ...git, '-d', `refs/heads/of-a-fork-${number}`);
  gitHost.open.add(number);
  gitHost.pullRequests.set(number, { commit, isFork: true, author: { id: 66, name: 'eve' } });
  return commit;
}

/** What comes of it once nothing of it waits any more: the preview's deployment, or none. */
async function forged(githubId: string | null): Promise<Outcome> {
  const { applicationId, hook } = await previewed(githubId);
  const number = 100 + count;
  const commit = await forkedCommit(number);
  const repo = { full_name: gitHost.repository };
  const response = await fetch(`${world.berth.url}${hook}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-gitea-event': 'pull_request',
      'x-gitea-delivery': `forged-${number}`,
    },
    body: JSON.stringify({
      action: 'opened',
      number,
      repository: repo,
      pull_request: {
        number,
        title: 'Change',
        user: { id: 9, login: 'ada' },
        labels: [],
        base: { ref: 'main', repo },
        head: { ref: 'feature', sha: commit, repo },
      },
    }),
    signal: AbortSignal.timeout(30_000),
  });
  const said = await response.text();
  if (response.status !== 200) return { succeeded: false, said };
  const { owner } = world.installation;
  const preview = await until('the pull request was followed', async () => {
    const all = await valueOf(owner('previewDeployment.all', { applicationId }));
    const first: unknown = Array.isArray(all) ? all[0] : undefined;
    if (first !== undefined) return textOf(first, 'previewDeploymentId');
    return (await world.berth.ownLog()).includes(`The pull request ${number} of`) ? 'none' : undefined;
  });
  if (preview === undefined || preview === 'none') {
    const line = (await world.berth.ownLog()).split('\n').findLast((one) => one.includes(`${number} of`));
    return { succeeded: false, said: line ?? '' };
  }
  return lootOf(owner, { previewDeploymentId: preview }, loot);
}

const attacks: Readonly<Record<string, () => Promise<Outcome>>> = {
  'gets a preview with secrets, where the host could be asked': async () => forged(await link()),
  'gets one where no host can be asked, and strangers are let in without secrets': () => forged(null),
};

describe('with the walls as built', () => {
  it.each(Object.entries(attacks))('%s: held', async (attack, run) => {
    expect(await table.note(attack, 'as built', run())).toMatchObject({
      succeeded: false,
      said: expect.stringMatching(/gets no preview: it comes from a fork|The webhook is not signed/),
    });
  });
});

describe.runIf(leavesOutWall(import.meta.url))('with webhooks that are believed', () => {
  beforeAll(async () => {
    await world.berth.stop();
    await world.berth.start(environment, `${project}/test/attacks/without/git-hosts-word.ts`);
  });

  it.each(Object.entries(attacks))('%s: succeeds', async (attack, run) => {
    expect(await table.note(attack, 'left out', run())).toEqual({ succeeded: true, said: loot });
  });
});
