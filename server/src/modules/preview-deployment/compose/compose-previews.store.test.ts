import { afterEach, beforeEach, expect, it } from 'vitest';
import { startGitHost, type GitHost } from '../../../../../test/git-host/git-host.ts';
import { worlds } from '../../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../../test/store/each-database.ts';
import {
  beginPreviews,
  insertPreviewedCompose,
  opened,
  type PreviewWorld,
} from '../../../../../test/store/preview-world.ts';
import type { ComposeRecord } from '../../../db/tables.ts';
import type { PullRequestEvent } from '../../../domain/git/git-event.ts';
import { composeRef } from '../../../domain/names/service-ref.ts';
import type { ComposePreview } from '../store.ts';

const [first, second] = ['a'.repeat(40), 'b'.repeat(40)];
const composeId = 'compose-of-shop';

const noQuota = {
  services: null,
  nanoCpus: null,
  memoryBytes: null,
  builds: null,
  backupBytes: null,
  diskBytes: null,
  records: null,
} as const;

interface ComposeWorld extends PreviewWorld {
  told(event?: Partial<PullRequestEvent>): Promise<unknown>;
  previews(): Promise<ComposePreview[]>;
  copyOf(preview: ComposePreview | undefined): Promise<ComposeRecord | undefined>;
  stored(): Promise<ComposeRecord>;
}

let host: GitHost;
beforeEach(async () => {
  host = await startGitHost();
});
afterEach(() => host[Symbol.asyncDispose]());

eachDatabase('previews of compose services', (test) => {
  const createWorld = worlds(test);
  async function begin(settings: Partial<ComposeRecord> = {}): Promise<ComposeWorld> {
    const world = await beginPreviews(createWorld, host, { isPreviewDeploymentsActive: false });
    const { desk, people } = world;
    const { organizationId } = people.owner;
    await insertPreviewedCompose(world, composeId, { isPreviewDeploymentsActive: true, ...settings });
    const stored = (): Promise<ComposeRecord> => desk.composes.one(composeId, organizationId);
    return {
      ...world,
      stored,
      async told(event = {}) {
        const whole = { ...opened, ...event };
        const answer = await desk.previewing.pullRequests.receive(await stored(), 'gitea', whole, {
          source: 'signed',
        });
        await desk.work();
        return answer;
      },
      previews: () => desk.previewing.composePreviews.byCompose(composeId, organizationId),
      copyOf: async (preview) => preview && desk.composes.find(preview.previewDeploymentId),
    };
  }
  async function withDomains(world: ComposeWorld): Promise<void> {
    const { desk, people } = world;
    for (const [name, port] of [
      ['web', 8080],
      ['api', 3000],
    ] as const)
      await desk.domains.create(
        people.owner.organizationId,
        { composeId },
        { host: `${name}.example.com`, port, serviceName: name, domainType: 'compose', path: '/' },
      );
  }

  it('are copies with their own name, domains and variables, a queued deployment and a comment', async () => {
    const world = await begin({
      env: 'MODE=production\nREGION=eu',
      previewEnv: 'MODE=preview\n',
      previewInherits: ['REGION'],
    });
    await withDomains(world);
    expect(await world.told()).toEqual({ queued: true });
    const [preview] = await world.previews();
    expect(preview).toMatchObject({
      composeId,
      branch: 'door',
      pullRequestNumber: 12,
      commit: first,
      domain: 'http://preview-shop-stack-12.preview.example.com',
      status: 'building',
      isTrusted: true,
    });
    const copy = await world.copyOf(preview);
    expect(copy).toMatchObject({
      appName: expect.stringMatching(/^preview-shop-stack-12-[a-z0-9]{4}$/),
      env: 'BERTH_PREVIEW_URL=http://preview-shop-stack-12.preview.example.com\nREGION=eu\nMODE=preview\n',
      previewOf: { composeId, number: 12, provider: 'gitea', isTrusted: true },
      isPreviewDeploymentsActive: false,
      autoDeploy: false,
    });
    expect(copy?.refreshToken).not.toBe('token-of-shop');
    const domains = await world.desk.stores.domains.list({ composeId: copy?.composeId ?? '' });
    expect(domains.map((domain) => [domain.host, domain.serviceName, domain.port])).toEqual(
      expect.arrayContaining([
        ['preview-api-shop-stack-12.preview.example.com', 'api', 3000],
        ['preview-shop-stack-12.preview.example.com', 'web', 8080],
      ]),
    );
    expect(await world.desk.deployments.all(composeRef(copy?.composeId ?? ''))).toEqual([
      expect.objectContaining({ title: 'Add a door', commit: first, status: 'queued' }),
    ]);
    expect([...host.comments.values()]).toEqual([
      {
        number: 12,
        text: expect.stringContaining('| building | [http://preview-shop-stack-12.preview.example.com]'),
        edits: 0,
      },
    ]);
  });

  it('are listed, shown and redeployed by hand, and are not among the services', async () => {
    const { told, previews, owner, place, people, database, desk } = await begin();
    await told();
    const [preview] = await previews();
    const { previewDeploymentId = '' } = preview ?? {};
    expect(await owner.query('previewDeployment.all', { composeId })).toEqual([
      expect.objectContaining({ previewDeploymentId, composeId, applicationId: null, domain: '' }),
    ]);
    expect(await owner.query('previewDeployment.one', { previewDeploymentId })).toMatchObject({
      application: null,
      compose: { composeId, name: 'Shop', environment: { environmentId: place.environmentId } },
    });
    expect(await owner.mutate('previewDeployment.redeploy', { previewDeploymentId })).toBe(true);
    expect(await desk.deployments.all(composeRef(previewDeploymentId))).toHaveLength(2);
    const { createServiceStore } = await import('../../service/store.ts');
    const listed = await createServiceStore(database).ofOrganization(people.owner.organizationId);
    expect(listed.filter(({ kind }) => kind === 'compose').map(({ serviceId }) => serviceId)).toEqual([
      composeId,
    ]);
  });

  it('follow new commits with the settings as they are then, once for each', async () => {
    const { told, previews, desk, copyOf } = await begin();
    await told();
    await told();
    await desk.composes.patch(composeId, { previewEnv: 'LATER=yes\n' });
    await told({ commit: second });
    const [preview, ...others] = await previews();
    expect(others).toEqual([]);
    expect(preview).toMatchObject({ commit: second });
    expect((await copyOf(preview))?.env).toBe('LATER=yes\n');
    expect(await desk.deployments.all(composeRef(preview?.previewDeploymentId ?? ''))).toHaveLength(2);
  });

  it('leave nothing once the pull request is closed', async () => {
    const world = await begin();
    await withDomains(world);
    await world.told();
    const [preview] = await world.previews();
    const copyId = preview?.previewDeploymentId ?? '';
    await world.told({ action: 'close' });
    expect(await world.previews()).toEqual([]);
    expect(await world.desk.composes.find(copyId)).toBeUndefined();
    expect(await world.desk.stores.domains.list({ composeId: copyId })).toEqual([]);
    expect(await world.desk.deployments.all(composeRef(copyId))).toEqual([]);
    expect(await world.desk.stores.serviceNames.list({ serviceId: copyId })).toEqual([]);
    expect(world.desk.steps).toContain(`removal of ${copyId}`);
    expect([...host.comments.values()].map(({ text }) => text)).toEqual([
      expect.stringContaining('| removed |'),
    ]);
    // A late event of the opening changes nothing.
    expect(await world.stored()).toMatchObject({ name: 'Shop' });
  });

  it('of a fork get no variables, and none at all where only people who may write get one', async () => {
    const { told, previews, copyOf, desk } = await begin({
      env: 'TOKEN=secret',
      previewEnv: 'ALSO=secret\n',
      previewInherits: ['TOKEN'],
    });
    expect(await told({ isFork: true })).toEqual({ queued: true });
    expect(await previews()).toEqual([]);
    await desk.composes.patch(composeId, { previewRequireCollaboratorPermissions: false });
    await told({ isFork: true });
    const [preview] = await previews();
    expect(preview).toMatchObject({ isTrusted: false });
    expect(await copyOf(preview)).toMatchObject({ env: '', secretEnv: '' });
  });

  it('stay within previewLimit and the quota of the organization: 20 at once, of which 5 fit', async () => {
    const { told, previews, desk, people, stored } = await begin({ previewLimit: 100 });
    const { organizationId } = people.owner;
    const services = await desk.stores.quotas.countServices(organizationId);
    await desk.stores.quotas.quotas.insert({ ...noQuota, organizationId, services: services + 5 });
    const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
    const compose = await stored();
    await Promise.all(
      numbers.map((number) =>
        desk.previewing.pullRequests.receive(
          compose,
          'gitea',
          { ...opened, number, headBranch: `branch-${number}` },
          { source: 'signed' },
        ),
      ),
    );
    await desk.work();
    expect(await previews()).toHaveLength(5);
    expect(await desk.stores.quotas.countServices(organizationId)).toBe(services + 5);
    expect(desk.warnings.filter((text) => text.includes('could not be followed'))).toHaveLength(15);
    await desk.stores.quotas.quotas.remove({ organizationId });
    for (const number of numbers) await told({ number, headBranch: `branch-${number}` });
    expect(await previews()).toHaveLength(20);
  });

  it('go with the compose service', async () => {
    const { told, previews, desk, stored } = await begin();
    await told();
    const [preview] = await previews();
    await desk.previewing.composePreviews.removeAll(await stored());
    expect(await desk.composes.find(preview?.previewDeploymentId ?? '')).toBeUndefined();
    expect(await previews()).toEqual([]);
  });
});
