/** Databases of previews on both databases: which they get, what fills them, what is removed again. */
import { expect, it } from 'vitest';
import { backupScenes } from '../../../../../test/http/backup-scene.ts';
import { branchesOf } from '../../../../../test/store/backup-desk.ts';
import { eachDatabase } from '../../../../../test/store/each-database.ts';
import { createStores } from '../../../composition/stores.ts';
import type { DatabaseRecord } from '../../../db/tables.ts';
import { serviceReferences } from '../../../deploy/inputs/service-references.ts';
import { quotasOf } from '../../../deploy/quotas.ts';
import { systemClock } from '../../../ports/clock.ts';
import { connectionOf } from '../../database/connection.ts';
import { noGrants } from '../../../domain/access/permissions.ts';
import { withDatabases } from './shown.ts';
import { createPreviewDatabases, grantedOrigin, type PreviewOfDatabases } from './preview-databases.ts';
import { checkPreviewDatabases } from '../../../domain/branch-origin.ts';

const source = { databaseId: 'postgres-first' };
const mask = 'update people set name = id';

eachDatabase('databases of previews', (test) => {
  const scene = backupScenes(test);

  async function begin(wanted: PreviewOfDatabases['wanted']) {
    const { database, desk, people, place, owner, manual } = await scene();
    desk.holds = true;
    const stores = createStores(database);
    const discarded: string[] = [];
    const { organizationId } = people.owner;
    const discard = async ({ databaseId, name }: DatabaseRecord): Promise<void> => {
      discarded.push(name);
      await stores.databases.remove({ databaseId });
    };
    const preview: PreviewOfDatabases = {
      previewDeploymentId: 'preview-of-12',
      organizationId,
      environmentId: place.environmentId,
      serverId: null,
      number: 12,
      name: null,
      isTrusted: true,
      isFork: false,
      wanted,
    };
    const databases = createPreviewDatabases({
      branches: branchesOf(database, { backups: stores.backups, clock: systemClock, runs: desk.runs }),
      runs: desk.runs,
      databases: stores.databases,
      branchOf: (databaseId) => stores.branches.find({ databaseId }),
      removeMounts: (databaseId) => stores.mounts.remove({ databaseId }),
      discard,
      transaction: (work) => database.transaction(work),
      withinQuota: quotasOf(stores).within,
    });
    const said: string[] = [];
    const say = (line: string): void => void said.push(line);
    const own = (): Promise<DatabaseRecord[]> =>
      stores.databases.list({ previewDeploymentId: preview.previewDeploymentId });
    const fill = { signal: AbortSignal.timeout(10_000), say };
    return { stores, desk, databases, preview, own, discarded, said, say, fill, owner, manual };
  }

  it('are made once, with settings of their source and passwords of their own', async () => {
    const { databases, preview, own, stores, say } = await begin([{ ...source, from: 'copy', mask }]);
    expect(await databases.ensure(preview, say)).toBe(1);
    expect(await databases.ensure(preview, say)).toBe(1);
    const [made, ...others] = await own();
    expect(others).toEqual([]);
    expect(made).toMatchObject({
      name: 'first (pull request 12)',
      databaseName: 'shop',
      environmentId: preview.environmentId,
      previewDeploymentId: 'preview-of-12',
      databasePassword: expect.stringMatching(/^.{32}$/),
    });
    const { databaseId } = made ?? source;
    expect(await stores.branches.find({ databaseId })).toMatchObject({
      origin: 'copy',
      mask,
      filledAt: null,
    });
    expect(await stores.backupRuns.list({ databaseId })).toMatchObject([
      { operation: 'branch', status: 'queued', database: 'shop', destinationId: '' },
    ]);
  });

  it('take the place of their source in references of their preview alone', async () => {
    const { databases, preview, own, stores, say } = await begin([{ ...source, from: 'empty' }]);
    await databases.ensure(preview, say);
    const [made] = await own();
    const hostOf = async (by: object): Promise<unknown> => {
      const consumer = { ...preview, name: 'Web', ...by };
      const parts = {
        databases: stores.databases.list,
        branches: stores.branches.list,
        applications: async () => [],
        composes: async () => [],
        serverAddress: async () => null,
        serverName: async () => '',
        connectionOf,
      };
      return (await serviceReferences(parts, consumer)).find('first', 'HOST');
    };
    const { previewDeploymentId } = preview;
    const found = { value: made?.appName };
    expect(await hostOf({})).toEqual({ value: 'first' });
    expect(await hostOf({ preview: { previewDeploymentId, isTrusted: true } })).toEqual(found);
    expect(await hostOf({ preview: { previewDeploymentId: 'other', isTrusted: true } })).toEqual({
      value: 'first',
    });
    const copied = { composeId: previewDeploymentId, previewOf: { isTrusted: false } };
    expect(await hostOf(copied)).toEqual(found);
    expect(await hostOf({ ...copied, composeId: 'other' })).toBeUndefined();
  });

  it('are empty for a preview without variables, without variables and files of their source', async () => {
    const { databases, preview, own, stores, said, say } = await begin([{ ...source, from: 'backup', mask }]);
    await stores.databases.update(source, { env: 'TOKEN=secret' });
    await databases.ensure({ ...preview, isTrusted: false, isFork: true }, say);
    const [made] = await own();
    expect(made?.env).toBe('');
    const { databaseId } = made ?? source;
    expect(await stores.branches.find({ databaseId })).toMatchObject({ origin: 'empty', mask: null });
    expect(said).toEqual([expect.stringContaining('gets no variables or secrets, so its database is empty')]);
  });

  it('have no data for a fork that was approved with variables, unless a command masks them', () => {
    const fork = { isTrusted: true, isFork: true };
    for (const from of ['empty', 'copy', 'backup'] as const) {
      expect(grantedOrigin({ ...source, from }, fork)).toEqual({ ...source, from: 'empty' });
      expect(grantedOrigin({ ...source, from, mask }, fork)).toEqual({ ...source, from, mask });
      expect(grantedOrigin({ ...source, from }, { ...fork, isFork: false })).toMatchObject({ from });
      expect(grantedOrigin({ ...source, from, mask }, { ...fork, isTrusted: false })).toEqual({
        ...source,
        from: 'empty',
      });
    }
  });

  it('need a stored backup to be filled of one, and a database that is there', async () => {
    const { databases, preview, own, say, manual, stores } = await begin([{ ...source, from: 'backup' }]);
    await expect(databases.ensure(preview, say)).rejects.toThrow('has no stored and verified backup');
    expect(await own()).toEqual([]);
    const gone = { ...preview, wanted: [{ databaseId: 'gone', from: 'empty' as const }] };
    await expect(databases.ensure(gone, say)).rejects.toThrow('previewDatabases names the database gone');
    const moved = { ...preview, environmentId: 'other', wanted: [{ ...source, from: 'empty' as const }] };
    await expect(databases.ensure(moved, say)).rejects.toThrow('in another environment now');
    const organization = { organizationId: preview.organizationId };
    await quotasOf(stores).set(organization.organizationId, { services: 1 });
    const full = { ...preview, wanted: [{ ...source, from: 'empty' as const }] };
    await expect(databases.ensure(full, say)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await own()).toEqual([]);
    expect(manual).toBeTypeOf('function');
  });

  it('fail with the reason of their run, and are removed then; the next deployment has others', async () => {
    const { databases, preview, own, discarded, stores, say, fill } = await begin([
      { ...source, from: 'copy' },
    ]);
    await databases.ensure(preview, say);
    const [first] = await own();
    const { databaseId } = first ?? source;
    const why = {
      status: 'error',
      errorCode: 'PRECONDITION_FAILED',
      errorMessage: 'It does not run.',
    } as const;
    const [run] = await stores.backupRuns.list({ databaseId });
    await stores.backupRuns.update({ backupRunId: run?.backupRunId ?? '' }, why);
    await expect(databases.awaitFilled(preview, fill)).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringMatching(/in place of first could not be filled: It does not run\./),
    });
    expect(discarded).toEqual(['first (pull request 12)']);
    await databases.ensure(preview, say);
    const [second] = await own();
    expect(second?.databaseId).not.toBe(databaseId);
    const again = await stores.backupRuns.list({ databaseId: second?.databaseId ?? '' });
    await stores.backupRuns.update({ backupRunId: again[0]?.backupRunId ?? '' }, why);
    // Nobody waited for this one.
    await databases.ensure(preview, say);
    expect(discarded).toHaveLength(2);
  });

  it('are shown with what fills them and why that failed, to those who reach them', async () => {
    const { databases, preview, own, stores, say } = await begin([{ ...source, from: 'copy', mask }]);
    await databases.ensure(preview, say);
    const [made] = await own();
    const { databaseId = '' } = made ?? {};
    const { previewDeploymentId } = preview;
    const of = { applicationId: 'application', composeId: null };
    const bare = { previewDeploymentId, ...of, status: 'error' };
    const shownTo = async (grants: object, role: 'owner' | 'member' = 'member') => {
      const reasons = async () => new Map([[previewDeploymentId, 'It ended.']]);
      const previewDatabases = { ...stores.previewDatabases, reasons };
      const actor = { role, grants: { ...noGrants, ...grants }, organizationId: preview.organizationId };
      return (await withDatabases({ previewDatabases }, actor, [bare]))[0];
    };
    const filling = {
      databaseId,
      databaseType: 'postgres',
      name: 'first (pull request 12)',
      status: 'filling',
    };
    const origin = { sourceId: source.databaseId, sourceName: 'first', from: 'copy', isMasked: true };
    expect(await shownTo({}, 'owner')).toMatchObject({
      errorMessage: 'It ended.',
      databases: [{ ...filling, ...origin, errorMessage: null }],
    });
    const [run] = await stores.backupRuns.list({ databaseId });
    const failed = { status: 'error', errorMessage: 'No room.' } as const;
    await stores.backupRuns.update({ backupRunId: run?.backupRunId ?? '' }, failed);
    expect((await shownTo({ accessedServices: [databaseId] }))?.databases).toMatchObject([
      { status: 'failed', errorMessage: 'No room.' },
    ]);
    expect((await shownTo({ accessedEnvironments: [preview.environmentId] }))?.databases).toHaveLength(1);
    expect((await shownTo({}))?.databases).toEqual([]);
    await stores.branches.update({ databaseId }, { filledAt: '2026-06-01T00:00:00.000Z' });
    await stores.backupRuns.remove({ databaseId });
    expect((await shownTo({}, 'owner'))?.databases).toMatchObject([{ status: 'ready', errorMessage: null }]);
  });

  it('go when the setting names them no longer', async () => {
    const { databases, preview, own, discarded, say, fill } = await begin([{ ...source, from: 'empty' }]);
    await databases.ensure(preview, say);
    expect(await databases.ensure({ ...preview, wanted: [] }, say)).toBe(0);
    expect([discarded.length, (await own()).length]).toEqual([1, 0]);
    await databases.awaitFilled(preview, fill);
  });

  it('are of databases of the same environment, each once', async () => {
    const { preview, stores, databases, say, own } = await begin([{ ...source, from: 'empty' }]);
    const find = (databaseId: string, organizationId: string) =>
      stores.databases.find({ databaseId, organizationId });
    const check = (ids: readonly string[], place: object = {}): Promise<void> =>
      checkPreviewDatabases(
        ids.map((databaseId) => ({ databaseId, from: 'empty' as const })),
        { ...preview, ...place },
        find,
      );
    await check([source.databaseId]);
    await databases.ensure(preview, say);
    const [made] = await own();
    for (const [ids, place, why] of [
      [['gone'], {}, 'previewDatabases.0.databaseId: is not a database of this organization'],
      [[source.databaseId], { environmentId: 'other' }, 'which is in another environment'],
      [
        [source.databaseId, source.databaseId],
        {},
        'previewDatabases.1.databaseId: names first a second time',
      ],
      [[made?.databaseId ?? ''], {}, 'is itself the database of a preview'],
    ] as const)
      await expect(check(ids, place)).rejects.toThrow(why);
  });
});
