import { expect, it } from 'vitest';
import { backupScenes } from '../../../../../test/http/backup-scene.ts';
import { textOf } from '../../../../../test/http/interface-client.ts';
import { eachDatabase } from '../../../../../test/store/each-database.ts';
import { createStores } from '../../../composition/stores.ts';
import { tableStore } from '../../../db/table-store.ts';
import type { Fact } from '../../../domain/states/fact.ts';
import { endBranches, type EndingDeps } from '../../../jobs/end-branches.ts';
import { requireFilled } from './branches.ts';

const hour = 3_600_000;
const source = { databaseId: 'postgres-first' };

eachDatabase('branches of databases', (test) => {
  const begin = backupScenes(test);

  it('get the settings of their source, passwords of their own and the newest stored backup', async () => {
    const { owner, manual, runs, database, desk, clock } = await begin();
    expect(await owner.mutate('backup.branch', { ...source, name: 'test' })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('has no stored and verified backup'),
    });
    await manual();
    await manual();
    const [newest, first] = await runs();
    desk.holds = true;
    const made = await owner.mutate('backup.branch', { ...source, name: 'test', mask: 'select 1' });
    expect(made).toMatchObject({
      sourceId: 'postgres-first',
      name: 'test',
      status: 'filling',
      path: newest?.['path'],
      asOf: newest?.['startedAt'],
      moment: null,
      isMasked: true,
      expiresAt: null,
    });
    const databases = tableStore(database, 'database');
    const [of, branch] = [
      await databases.find(source),
      await databases.find({ databaseId: textOf(made, 'databaseId') }),
    ];
    expect(branch).toMatchObject({
      containerImage: of?.containerImage,
      databaseName: of?.databaseName,
      environmentId: of?.environmentId,
      liveDeploymentId: null,
      dataVolume: `berth-data-${textOf(made, 'databaseId')}`,
    });
    expect(branch?.databasePassword).toMatch(/^.{32}$/);
    expect(branch?.databasePassword).not.toBe(of?.databasePassword);
    const backupRunId = textOf(first, 'backupRunId');
    clock.time += 1000;
    expect(await owner.mutate('backup.branch', { ...source, name: 'older', backupRunId })).toMatchObject({
      path: first?.['path'],
    });
    expect(await owner.query('backup.branches', source)).toMatchObject([
      { name: 'older', isMasked: false },
      { name: 'test', isMasked: true },
    ]);
    const own = { databaseId: textOf(made, 'databaseId') };
    expect(await owner.query('backup.branches', own)).toMatchObject([{ name: 'test' }]);
  });

  it('cannot be deployed before they are filled and masked', async () => {
    const { owner, manual, database, desk } = await begin();
    await manual();
    desk.holds = true;
    const { branches } = createStores(database);
    const databaseId = textOf(await owner.mutate('backup.branch', { ...source, name: 'test' }), 'databaseId');
    await expect(requireFilled(branches, databaseId)).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('not complete and masked'),
    });
    await branches.update({ databaseId }, { filledAt: '2026-06-01T00:00:00.000Z' });
    await requireFilled(branches, databaseId);
    await requireFilled(branches, 'postgres-first');
  });

  it('are refused to members without the grants, and from what is not a stored backup', async () => {
    const { owner, member, manual, people, database, runs } = await begin();
    await manual();
    const wanted = { ...source, name: 'test' };
    const members = tableStore(database, 'member');
    const [present] = await members.list({ userId: people.member.userId });
    if (!present) throw new Error('no member');
    const given = async (grants: object): Promise<unknown> => {
      await members.update(
        { memberId: present.memberId },
        { grants: { ...present.grants, accessedServices: ['postgres-first'], ...grants } },
      );
      return member.mutate('backup.branch', { ...wanted, mask: 'select 1' });
    };
    for (const grants of [
      { canCreateServices: true, canReadSecrets: false },
      { canCreateServices: false, canReadSecrets: true },
      { canCreateServices: true, canReadSecrets: true, canOpenTerminal: false },
    ])
      expect(await given(grants)).toMatchObject({ code: 'FORBIDDEN' });
    const [run] = await runs();
    const backupRunId = textOf(run, 'backupRunId');
    await tableStore(database, 'backup_run').update({ backupRunId }, { isStored: false });
    expect(await owner.mutate('backup.branch', { ...wanted, backupRunId })).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('backupRunId: is not a stored backup'),
    });
    expect(
      await owner.mutate('backup.branch', { ...wanted, at: '2026-06-01T00:00:00Z', backupRunId }),
    ).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining('give one') });
  });

  it('is announced, removed with its data, and told when its time is over', async () => {
    const { owner, manual, database, desk, clock } = await begin();
    await manual();
    desk.holds = true;
    const databaseId = textOf(
      await owner.mutate('backup.branch', { ...source, name: 'test', expiresInHours: 5 }),
      'databaseId',
    );
    const stores = createStores(database);
    const told: Fact[] = [];
    const calls: unknown[] = [];
    const turn = (): Promise<void> =>
      endBranches({
        stores,
        clock,
        log: { warn: () => undefined },
        notifying: { tell: async (fact) => void told.push(fact) },
        registry: { get: (path: string) => ({ path }) } as unknown as EndingDeps['registry'],
        guard: {
          async call(target: object, _caller: unknown, input: unknown) {
            calls.push({ ...target, input });
            await stores.databases.remove({ databaseId });
          },
        },
      });
    await turn();
    expect(told).toEqual([]);
    clock.time += 4 * hour + 1;
    await turn();
    await turn();
    expect(told).toMatchObject([{ event: 'branchEnding', subject: { type: 'database', id: databaseId } }]);
    expect(calls).toEqual([]);
    clock.time += hour;
    await turn();
    expect(calls).toEqual([{ path: 'postgres.remove', input: { postgresId: databaseId } }]);
    expect(told.map(({ event }) => event)).toEqual(['branchEnding', 'branchEnded']);
    await turn();
    expect(told).toHaveLength(2);
  });
});
