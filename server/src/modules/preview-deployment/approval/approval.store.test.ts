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
import { tableStore } from '../../../db/table-store.ts';
import type { ApplicationRecord } from '../../../db/tables.ts';
import type { GitProvider } from '../../../domain/git/git-host.ts';
import { composeRef, previewRef } from '../../../domain/names/service-ref.ts';
import { providers } from '../../webhook/providers/providers.ts';
import { previewApplication } from '../preview-deployment.ts';

const [first, second] = ['a'.repeat(40), 'b'.repeat(40)];
const eve = { id: '10', name: 'eve' };
const fork = { author: eve, isFork: true, commit: first };
const previewEnv = 'SECRET=of-previews\n';

/** As GitHub, GitLab and Gitea tell of a pull request from a fork, in the forms that they document. */
const payloads: [GitProvider, string, unknown][] = [
  [
    'github',
    'pull_request',
    {
      action: 'synchronize',
      number: 12,
      pull_request: {
        title: 'Add a door',
        state: 'open',
        merged: false,
        updated_at: '2026-03-01T10:00:00Z',
        author_association: 'FIRST_TIME_CONTRIBUTOR',
        user: { login: 'eve', id: 10 },
        labels: [],
        head: { ref: 'door', sha: first, repo: { full_name: 'eve/shop', fork: true } },
        base: { ref: 'main', sha: '0'.repeat(40), repo: { full_name: 'acme/shop' } },
      },
      repository: { full_name: 'acme/shop' },
    },
  ],
  [
    'gitlab',
    'Merge Request Hook',
    {
      object_kind: 'merge_request',
      user: { id: 10, username: 'eve' },
      project: { path_with_namespace: 'acme/shop' },
      labels: [],
      object_attributes: {
        id: 99,
        iid: 12,
        title: 'Add a door',
        action: 'update',
        state: 'opened',
        source_branch: 'door',
        target_branch: 'main',
        source_project_id: 15,
        target_project_id: 14,
        author_id: 10,
        last_commit: { id: first, message: 'Add a door' },
      },
    },
  ],
  [
    'gitea',
    'pull_request',
    {
      action: 'synchronized',
      number: 12,
      pull_request: {
        id: 12,
        number: 12,
        title: 'Add a door',
        state: 'open',
        user: { id: 10, login: 'eve' },
        labels: [],
        head: { label: 'door', ref: 'door', sha: first, repo: { full_name: 'eve/shop' } },
        base: { label: 'main', ref: 'main', repo: { full_name: 'acme/shop' } },
      },
    },
  ],
];

let host: GitHost;
beforeEach(async () => {
  host = await startGitHost();
});
afterEach(() => host[Symbol.asyncDispose]());

eachDatabase('approvals of pull requests', (test) => {
  const createWorld = worlds(test);
  const begin = (settings: Partial<ApplicationRecord> = {}): Promise<PreviewWorld> =>
    beginPreviews(createWorld, host, { previewEnv, ...settings });
  const waiting = ({ owner, place }: PreviewWorld): Promise<unknown> =>
    owner.query('previewDeployment.waiting', { applicationId: place.applicationId });
  const approve = ({ owner, place }: PreviewWorld, commit: string, more: object = {}): Promise<unknown> =>
    owner.mutate('previewDeployment.approve', {
      applicationId: place.applicationId,
      pullRequestNumber: 12,
      commit,
      ...more,
    });
  const shown = async ({ all }: PreviewWorld): Promise<unknown[]> =>
    (await all()).map(({ pullRequestNumber, commit, isTrusted }) => [pullRequestNumber, commit, isTrusted]);

  it.each(payloads)('let one commit of a fork in, as %s tells of it', async (provider, name, payload) => {
    const world = await begin({ sourceType: provider });
    const [event] = providers[provider].read(name, payload);
    if (event?.kind !== 'pullRequest') throw new Error('It is not read as a pull request.');
    const application = await world.desk.applications.find(world.place.applicationId);
    if (!application) throw new Error('There is no application.');
    await world.desk.previewing.pullRequests.receive(application, provider, event, { source: 'signed' });
    await world.desk.work();
    expect(await world.all()).toEqual([]);
    expect(await waiting(world)).toMatchObject([
      { pullRequestNumber: 12, title: 'Add a door', branch: 'door', isFork: true, commit: first },
    ]);
    expect(await approve(world, first)).toMatchObject({
      pullRequestNumber: 12,
      commit: first,
      isTrusted: false,
      status: 'building',
    });
    expect(await waiting(world)).toEqual([]);
    const [preview] = await world.all();
    if (!preview) throw new Error('There is no preview.');
    expect(preview.provider).toBe(provider);
    expect(previewApplication(application, preview).env).not.toContain('SECRET');
    expect(await world.desk.deployments.all(previewRef(preview.previewDeploymentId))).toMatchObject([
      {
        title: 'Add a door',
        commit: first,
        startedBy: { kind: 'key', userId: world.people.owner.userId },
      },
    ]);
  });

  it('are of one commit: the next push waits, and the approved one goes on running', async () => {
    const world = await begin();
    await world.tell(fork);
    await approve(world, first);
    await world.tell({ ...fork, commit: second });
    expect(await shown(world)).toEqual([[12, first, false]]);
    expect(await waiting(world)).toMatchObject([{ commit: second, approvedCommit: first }]);
    expect(await approve(world, first)).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`is ${second}, not ${first}`),
    });
    expect(await approve(world, second)).toMatchObject({ commit: second });
    expect(await shown(world)).toEqual([[12, second, false]]);
    // Back to one that was approved before the newest.
    await world.tell(fork);
    expect(await shown(world)).toEqual([[12, second, false]]);
    expect(await waiting(world)).toMatchObject([{ commit: first }]);
  });

  it('are not asked for again by an event that comes twice', async () => {
    const world = await begin();
    await world.tell(fork);
    await approve(world, first);
    await world.tell(fork);
    const [preview] = await world.all();
    expect(await world.desk.deployments.all(previewRef(preview?.previewDeploymentId ?? ''))).toHaveLength(1);
    expect(await waiting(world)).toEqual([]);
  });

  it('give variables only where they say so, and never change a preview from one to the other', async () => {
    const world = await begin();
    await world.tell(fork);
    await approve(world, first, { withVariables: true });
    const application = await world.desk.applications.find(world.place.applicationId);
    const [preview] = await world.all();
    expect(application && preview && previewApplication(application, preview).env).toContain('SECRET');
    await world.tell({ ...fork, commit: second });
    expect(await approve(world, second)).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(
        'runs with the variables of previews, so it cannot become one without',
      ),
    });
    expect(await waiting(world)).toMatchObject([{ commit: second }]);
    // Nor does a fork take its place by itself once anybody may have a preview.
    await world.set({ previewRequireCollaboratorPermissions: false });
    await world.tell({ ...fork, commit: 'c'.repeat(40) });
    expect(await shown(world)).toEqual([[12, first, true]]);
    expect(await waiting(world)).toMatchObject([{ commit: 'c'.repeat(40) }]);
  });

  it('are of no use once the pull request has ended, or previews are off', async () => {
    const world = await begin();
    await world.tell({ ...fork, updatedAt: '2026-03-01T10:00:00Z' });
    expect(await waiting(world)).toHaveLength(1);
    await world.tell({ ...fork, action: 'close', updatedAt: '2026-03-01T11:00:00Z' });
    expect(await waiting(world)).toEqual([]);
    expect(await approve(world, first)).toMatchObject({ code: 'NOT_FOUND' });
    await world.tell({ ...fork, number: 13 });
    await world.set({ isPreviewDeploymentsActive: false });
    expect(await approve(world, first, { pullRequestNumber: 13 })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('previews of this service are not active'),
    });
    expect(await world.all()).toEqual([]);
  });

  it('hold previewLimit, and no more than a hundred wait', async () => {
    const world = await begin({ previewLimit: 1 });
    await world.tell();
    await world.tell({ ...fork, number: 13 });
    expect(await approve(world, first, { pullRequestNumber: 13 })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('previewLimit is 1'),
    });
    // Nothing of the refused approval stays.
    expect(await waiting(world)).toMatchObject([{ pullRequestNumber: 13, approvedCommit: null }]);
    for (let number = 14; number < 118; number++) await world.tell({ ...fork, number });
    const numbers = ((await waiting(world)) as { pullRequestNumber: number }[]).map(
      ({ pullRequestNumber }) => pullRequestNumber,
    );
    expect(numbers.length).toBeGreaterThanOrEqual(100);
    expect(numbers.length).toBeLessThan(105);
    expect(numbers).toContain(117);
  });

  it('are for people who may change the service, and are told of and audited', async () => {
    const world = await begin();
    await world.tell(fork);
    const { place, people, database } = world;
    const input = { applicationId: place.applicationId, pullRequestNumber: 12, commit: first };
    for (const [client, code] of [
      [world.nobody, 'UNAUTHORIZED'],
      [world.member, 'FORBIDDEN'],
      [world.stranger, 'FORBIDDEN'],
    ] as const) {
      expect(await client.mutate('previewDeployment.approve', input)).toMatchObject({ code });
      expect(
        await client.query('previewDeployment.waiting', { applicationId: place.applicationId }),
      ).toMatchObject({ code });
    }
    expect(await world.all()).toEqual([]);
    await people.grant({ accessedServices: [place.applicationId] });
    const made = await world.member.mutate('previewDeployment.approve', input);
    expect(made).toMatchObject({ commit: first });
    const { previewDeploymentId } = made as { previewDeploymentId: string };
    const events = await tableStore(database, 'event').list({ kind: 'previewDeployment' });
    expect(events.map(({ what, resourceId }) => [what, resourceId])).toEqual(
      expect.arrayContaining([
        ['updated', place.applicationId],
        ['created', previewDeploymentId],
      ]),
    );
    expect(await tableStore(database, 'audit').list({ procedure: 'previewDeployment.approve' })).toEqual(
      expect.arrayContaining([expect.objectContaining({ outcome: 'done' })]),
    );
  });

  it.each<[string, object]>([
    ['pullRequestNumber', { pullRequestNumber: 0 }],
    ['commit', { commit: 'da15608' }],
    ['commit', { commit: 'main' }],
    ['withVariables', { withVariables: 'yes' }],
  ])('are refused by the field %s: %j', async (field, input) => {
    const world = await begin();
    expect(await approve(world, first, input)).toMatchObject({ code: 'BAD_REQUEST', fields: [field] });
  });

  it('of compose services make their copy', async () => {
    const world = await begin();
    const { people, desk, owner } = world;
    const composeId = 'compose-of-shop';
    await insertPreviewedCompose(world, composeId, { isPreviewDeploymentsActive: true, previewEnv });
    const compose = await desk.composes.one(composeId, people.owner.organizationId);
    await desk.previewing.pullRequests.receive(
      compose,
      'gitea',
      { ...opened, ...fork },
      { source: 'signed' },
    );
    await desk.work();
    const made = await owner.mutate('previewDeployment.approve', {
      composeId,
      pullRequestNumber: 12,
      commit: first,
    });
    expect(made).toMatchObject({ composeId, commit: first, isTrusted: false });
    const { previewDeploymentId } = made as { previewDeploymentId: string };
    expect((await desk.composes.find(previewDeploymentId))?.env).not.toContain('SECRET');
    expect(await desk.deployments.all(composeRef(previewDeploymentId))).toMatchObject([{ commit: first }]);
  });
});
