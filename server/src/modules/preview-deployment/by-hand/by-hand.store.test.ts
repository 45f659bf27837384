import { afterEach, beforeEach, expect, it } from 'vitest';
import { startGitHost, type GitHost } from '../../../../../test/git-host/git-host.ts';
import { worlds } from '../../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../../test/store/each-database.ts';
import {
  beginPreviews,
  insertPreviewedCompose,
  type PreviewWorld,
} from '../../../../../test/store/preview-world.ts';
import { tableStore } from '../../../db/table-store.ts';
import type { ApplicationRecord } from '../../../db/tables.ts';
import { composeRef, previewRef } from '../../../domain/names/service-ref.ts';
import { previewApplication } from '../preview-deployment.ts';

const commit = 'c'.repeat(40);
const composeId = 'compose-of-shop';

let host: GitHost;
beforeEach(async () => {
  host = await startGitHost();
});
afterEach(() => host[Symbol.asyncDispose]());

eachDatabase('previews by hand', (test) => {
  const createWorld = worlds(test);
  const begin = (settings: Partial<ApplicationRecord> = {}): Promise<PreviewWorld> =>
    beginPreviews(createWorld, host, { isPreviewDeploymentsActive: false, ...settings });
  const create = ({ owner, place }: PreviewWorld, input: object): Promise<unknown> =>
    owner.mutate('previewDeployment.create', { applicationId: place.applicationId, ...input });

  it('have a host by their name, a queued deployment of the branch, and no comment', async () => {
    const world = await begin();
    expect(await create(world, { name: 'qa', branch: 'feature/door' })).toMatchObject({
      name: 'qa',
      branch: 'feature/door',
      pullRequestNumber: null,
      image: null,
      expiresAt: null,
      domain: 'http://preview-shop-qa.preview.example.com',
      commit: null,
      isTrusted: true,
      status: 'building',
    });
    const [preview] = await world.all();
    if (!preview) throw new Error('There is no preview.');
    expect(preview.appName).toMatch(/^preview-shop-qa-[a-z0-9]{4}$/);
    const [deployment] = await world.desk.deployments.all(previewRef(preview.previewDeploymentId));
    expect(deployment).toMatchObject({ title: 'Preview deployment', commit: null, status: 'queued' });
    const application = await world.desk.applications.find(world.place.applicationId);
    expect(application && previewApplication(application, preview)).toMatchObject({
      sourceType: 'gitea',
      owner: 'acme',
      branch: 'feature/door',
    });
    await world.desk.work();
    await world.desk.previewing.watch();
    await world.desk.work();
    expect(host.comments.size).toBe(0);
    expect(await world.all()).toHaveLength(1);
  });

  it('are the same by the same name, whatever they are made of then', async () => {
    const world = await begin();
    const first = await create(world, { name: 'qa', branch: 'door' });
    const second = await create(world, { name: 'qa', image: 'registry.example.com/shop:7' });
    expect(second).toMatchObject({
      ...(first as object),
      branch: '',
      image: 'registry.example.com/shop:7',
    });
    const [preview, ...others] = await world.all();
    expect(others).toEqual([]);
    expect(await world.desk.deployments.all(previewRef(preview?.previewDeploymentId ?? ''))).toHaveLength(2);
  });

  it('of an image run it with the password for its own registry alone', async () => {
    const settings = {
      sourceType: 'container',
      containerImage: 'registry.example.com/shop:1',
      username: 'ci',
      password: 'sesame',
    } as const;
    const world = await begin(settings);
    await create(world, { name: 'same', image: 'registry.example.com/shop:2' });
    await create(world, { name: 'other', image: 'elsewhere.example.com/shop:2' });
    const application = await world.desk.applications.find(world.place.applicationId);
    if (!application) throw new Error('There is no application.');
    const runs = Object.fromEntries(
      (await world.all()).map((preview) => {
        const { containerImage, password, username } = previewApplication(application, preview);
        return [preview.name, { containerImage, password, username }];
      }),
    );
    expect(runs).toEqual({
      same: { containerImage: 'registry.example.com/shop:2', password: 'sesame', username: 'ci' },
      other: { containerImage: 'elsewhere.example.com/shop:2', password: null, username: null },
    });
  });

  it('never change between code of anybody and code with variables', async () => {
    const world = await begin();
    await create(world, { name: 'open', commit });
    await create(world, { name: 'closed', branch: 'main' });
    const refused = { code: 'CONFLICT', message: expect.stringContaining('Give another name, or delete it') };
    expect(await create(world, { name: 'open', branch: 'main' })).toMatchObject(refused);
    expect(await create(world, { name: 'open', image: 'nginx:1' })).toMatchObject(refused);
    expect(await create(world, { name: 'closed', commit })).toMatchObject(refused);
    expect(await create(world, { name: 'open', commit: 'd'.repeat(40) })).toMatchObject({ isTrusted: false });
    expect(
      (await world.all())
        .map(({ name, isTrusted }) => [name, isTrusted])
        .sort(([left], [right]) => String(left).localeCompare(String(right))),
    ).toEqual([
      ['closed', true],
      ['open', false],
    ]);
  });

  it('are told of as created once, and as updated from then on', async () => {
    const world = await begin();
    const { previewDeploymentId } = (await create(world, { name: 'qa', branch: 'door' })) as {
      previewDeploymentId: string;
    };
    await create(world, { name: 'qa', branch: 'gate' });
    const told = await tableStore(world.database, 'event').list(
      { kind: 'previewDeployment', resourceId: previewDeploymentId },
      { by: ['position'], direction: 'asc' },
    );
    expect(told.map(({ what }) => what).filter((what) => what !== 'deployment')).toEqual([
      'created',
      'updated',
    ]);
  });

  it('of a commit alone get no variables', async () => {
    const world = await begin({ previewEnv: 'SECRET=of-previews\n' });
    expect(await create(world, { name: 'pinned', commit })).toMatchObject({ commit, isTrusted: false });
    const [preview] = await world.all();
    const application = await world.desk.applications.find(world.place.applicationId);
    expect(application && preview && previewApplication(application, preview).env).not.toContain('SECRET');
    const [deployment] = await world.desk.deployments.all(previewRef(preview?.previewDeploymentId ?? ''));
    expect(deployment).toMatchObject({ commit });
  });

  it.each<[string, object, Partial<ApplicationRecord>]>([
    ['name', { name: '12', branch: 'main' }, {}],
    ['name', { name: 'Q_A', branch: 'main' }, {}],
    ['branch', { name: 'qa' }, {}],
    ['commit', { name: 'qa', branch: 'main', commit }, {}],
    ['branch', { name: 'qa', branch: 'refs/pull/12/head' }, {}],
    ['branch', { name: 'qa', branch: commit }, {}],
    ['branch', { name: 'qa', branch: 'a..b' }, {}],
    ['commit', { name: 'qa', commit: 'main' }, {}],
    ['image', { name: 'qa', image: 'berth-build/other' }, {}],
    ['expiresInHours', { name: 'qa', branch: 'main', expiresInHours: 0 }, {}],
    ['branch', { name: 'qa', branch: 'main' }, { sourceType: 'container', containerImage: 'nginx:1' }],
  ])('are refused by the field %s: %j', async (field, input, settings) => {
    const world = await begin(settings);
    expect(await create(world, input)).toMatchObject({ code: 'BAD_REQUEST', fields: [field] });
    expect(await world.all()).toEqual([]);
  });

  it('count among the previews of pull requests, for previewLimit and quota', async () => {
    const world = await begin({ previewLimit: 2, isPreviewDeploymentsActive: true });
    await world.tell();
    await create(world, { name: 'qa', branch: 'main' });
    expect(await create(world, { name: 'more', branch: 'main' })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('has 2 previews, and previewLimit is 2'),
    });
    // The same name is not one more.
    expect(await create(world, { name: 'qa', branch: 'main' })).toMatchObject({ name: 'qa' });
    expect(new Set((await world.all()).map(({ name }) => name))).toEqual(new Set(['qa', null]));
  });

  it('made by several calls at once are one', async () => {
    const world = await begin();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => create(world, { name: 'qa', branch: 'main' })),
    );
    expect(await world.all()).toHaveLength(1);
    for (const answer of answers)
      expect([undefined, 'CONFLICT']).toContain((answer as { code?: string }).code);
  });

  it('are removed when their time is over, unless they were asked for again', async () => {
    const world = await begin();
    await create(world, { name: 'short', branch: 'main', expiresInHours: 1 });
    const [preview] = await world.all();
    const { previewDeploymentId = '', expiresAt } = preview ?? {};
    expect(Date.parse(expiresAt ?? '') - Date.parse(preview?.createdAt ?? '')).toBeGreaterThan(3_590_000);
    const jobs = async (): Promise<unknown[]> =>
      (await world.desk.stores.jobs.list({ kind: 'pullRequest', state: 'queued' })).map(({ payload }) => [
        payload['action'],
        payload['name'],
      ]);
    await world.desk.previewing.watch();
    expect(await jobs()).toEqual([]);
    await world.desk.previews.patch(previewDeploymentId, { expiresAt: '2026-01-01T00:00:00.000Z' });
    await world.desk.previewing.watch();
    expect(await jobs()).toEqual([['close', 'short']]);
    await create(world, { name: 'short', branch: 'main' });
    await world.desk.work();
    expect(await world.all()).toMatchObject([{ previewDeploymentId, expiresAt: null }]);
    await world.desk.previews.patch(previewDeploymentId, { expiresAt: '2026-01-01T00:00:00.000Z' });
    await world.desk.previewing.watch();
    // The engine is away, so the job is tried again.
    await expect(world.desk.work()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('are for members who may deploy the service, in its organization', async () => {
    const world = await begin();
    const input = { applicationId: world.place.applicationId, name: 'qa', branch: 'main' };
    expect(await world.nobody.mutate('previewDeployment.create', input)).toMatchObject({
      code: 'UNAUTHORIZED',
    });
    for (const client of [world.member, world.stranger])
      expect(await client.mutate('previewDeployment.create', input)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await world.all()).toEqual([]);
    await world.people.grant({ accessedServices: [input.applicationId] });
    expect(await world.member.mutate('previewDeployment.create', input)).toMatchObject({ name: 'qa' });
  });

  it('of compose services are copies with the branch, and leave nothing', async () => {
    const world = await begin();
    await insertPreviewedCompose(world, composeId, { previewEnv: 'SECRET=of-previews\n' });
    const asked = { composeId, name: 'qa', branch: 'door', expiresInHours: 5 };
    const made = (await world.owner.mutate('previewDeployment.create', asked)) as {
      previewDeploymentId: string;
    };
    expect(made).toMatchObject({ composeId, name: 'qa', branch: 'door', image: null, isTrusted: true });
    const { previewDeploymentId } = made;
    const copy = () => world.desk.composes.find(previewDeploymentId);
    expect(await copy()).toMatchObject({
      name: 'Shop (preview qa)',
      branch: 'door',
      env: expect.stringContaining('SECRET=of-previews'),
      previewOf: { composeId, number: null, isTrusted: true },
    });
    expect(await world.owner.mutate('previewDeployment.create', { ...asked, branch: 'gate' })).toMatchObject({
      previewDeploymentId,
      branch: 'gate',
    });
    expect(await copy()).toMatchObject({ branch: 'gate' });
    expect(await world.desk.deployments.all(composeRef(previewDeploymentId))).toHaveLength(2);
    for (const [field, input] of [
      ['image', { composeId, name: 'image', image: 'nginx:1' }],
      ['composeId', { composeId: previewDeploymentId, name: 'of-preview', branch: 'main' }],
    ] as const)
      expect(await world.owner.mutate('previewDeployment.create', input)).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
    expect(await world.owner.mutate('previewDeployment.delete', { previewDeploymentId })).toBe(true);
    expect(await copy()).toBeUndefined();
    expect(await world.desk.previewing.composePreviews.all()).toEqual([]);
    expect(host.comments.size).toBe(0);
  });
});
