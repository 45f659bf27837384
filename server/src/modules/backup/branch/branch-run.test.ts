import { expect, it } from 'vitest';
import { databaseServers, tablesDump } from '../../../../../test/backups/database-servers.ts';
import { addStored, runWorld, storeInMemory } from '../../../../../test/backups/run-world.ts';
import type { DatabaseRecord } from '../../../db/tables.ts';
import { systemClock } from '../../../ports/clock.ts';
import type { ExecResult } from '../../../ports/engine/engine-program.ts';
import { besideOf, createRestoring } from '../runs/restore.ts';
import type { BackupRunRecord, BranchRecord } from '../store.ts';
import { createBranching, type BranchingPorts } from './branch-run.ts';

const path = 'shop/one.dump.gz';

/** A stored backup, and a run that fills a branch of it. */
function world(mask: string | null = 'update people set name = id') {
  const [servers, store, run] = [databaseServers(), storeInMemory(), runWorld()];
  Object.assign(servers, { isRunning: false, neverRan: true });
  const branchRun = run.add({ operation: 'branch', backupId: null });
  addStored(run, store, path, tablesDump('orders', 'people'));
  const branch = { databaseId: 'd', sourceId: 's', mask, filledAt: null } as BranchRecord;
  const record = {
    kind: 'postgres',
    databaseUser: 'shop',
    databasePassword: 'its own',
  } as DatabaseRecord;
  const said: { script: string; mask: string | undefined; volume: string | undefined }[] = [];
  const answer: ExecResult = { exitCode: 0, stdout: 'UPDATE 2\n', stderr: '' };
  const parts = {
    ...servers,
    clock: systemClock,
    runs: run.reads,
    openStore: async () => store,
    disk: async () => undefined,
  };
  const operation = createBranching({
    ...parts,
    branches: {
      find: async () => branch,
      update: async (_: object, patch: Partial<BranchRecord>) => void Object.assign(branch, patch),
    } as unknown as BranchingPorts['branches'],
    databases: {
      find: async () => record,
      patch: async (_, patch) => void Object.assign(record, patch),
    },
    moments: {} as BranchingPorts['moments'],
    async ask({ service }, { script, env }) {
      said.push({ script, mask: env['MASK'], volume: servers.servers.get(service) });
      return answer;
    },
    tidyRestore: createRestoring(parts).restore.tidy,
  });
  return {
    ...run,
    servers,
    branch,
    record,
    said,
    answer,
    fresh: besideOf(branchRun),
    make: (attempts = 1) => run.work(operation, { attempts }),
  };
}

const stepsOf = ({ steps }: BackupRunRecord): string[] =>
  steps.map(({ name, status }) => `${name} ${status}`);

it('is loaded and masked on a server of its own, and changes over to it last', async () => {
  const { make, servers, said, branch, record, lines, fresh } = world();
  const run = await make();
  expect(run).toMatchObject({ status: 'done', previousVolume: null });
  expect(stepsOf(run)).toEqual([
    'find done',
    'beside done',
    'load done',
    'check done',
    'mask done',
    'change over done',
  ]);
  expect(said).toEqual([
    { script: expect.stringContaining('psql'), mask: 'update people set name = id', volume: fresh.volume },
  ]);
  expect(lines).toContain('UPDATE 2');
  expect([servers.current, servers.servers.size]).toEqual([fresh.volume, 0]);
  expect(branch.filledAt).toEqual(expect.any(String));
  expect(record.formerVolumes).toEqual([]);
});

it('needs no masking command', async () => {
  const { make, said } = world(null);
  expect(await make()).toMatchObject({ status: 'done' });
  expect(said).toEqual([]);
});

it('never becomes reachable when its masking fails: it has failed, and its data are removed', async () => {
  const { make, servers, answer, branch, record } = world();
  Object.assign(answer, { exitCode: 3, stdout: 'ERROR: no such table' });
  const run = await make();
  expect(run).toMatchObject({
    status: 'error',
    errorMessage: expect.stringMatching(/exit code 3: ERROR: no such table/),
  });
  expect(stepsOf(run).at(-1)).toBe('mask error');
  expect([...servers.volumes.keys()]).toEqual(['first']);
  expect([servers.current, servers.servers.size]).toEqual(['first', 0]);
  expect([branch.filledAt, record.applicationStatus]).toEqual([null, 'error']);
});

it('cannot be deployed after a change over that failed', async () => {
  const { make, servers, branch } = world();
  servers.refusesChange = true;
  expect(await make()).toMatchObject({ status: 'error' });
  expect(branch.filledAt).toBeNull();
});

it('begins again after a crash, and masks again', async () => {
  const { make, servers, said, fresh } = world();
  servers.volumes.set(fresh.volume, { databases: new Map([['shop', ['half']]]), roles: new Set() });
  expect(await make(2)).toMatchObject({ status: 'done' });
  expect(said).toHaveLength(1);
  expect(servers.volumes.get(fresh.volume)?.databases).toEqual(new Map([['shop', ['orders', 'people']]]));
});
