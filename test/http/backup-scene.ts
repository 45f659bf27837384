/** Backups through the HTTP interface: a database, a backup of it and a folder that takes its objects. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Database } from '../../server/src/db/database.ts';
import { tableStore } from '../../server/src/db/table-store.ts';
import { createBackupDesk, type BackupDeskState } from '../store/backup-desk.ts';
import type { TestDatabase } from '../store/each-database.ts';
import { textOf } from './interface-client.ts';
import { worlds, type World } from './worlds/world.ts';

export interface BackupScene extends World {
  desk: BackupDeskState;
  clock: { time: number; now(): number };
  backupId: string;
  files(): Promise<string[]>;
  manual(): Promise<unknown>;
  runs(): Promise<Record<string, unknown>[]>;
  update(patch: object): Promise<unknown>;
  logOf(run: object | undefined): Promise<string>;
}

/** Gives a function that makes worlds with a database, a backup of it and a folder that takes its objects. */
export function backupScenes(test: TestDatabase): (settings?: object) => Promise<BackupScene> {
  const createWorld = worlds(test);
  return async (settings = {}) => {
    const clock = { time: Date.parse('2026-06-01T00:00:00.000Z'), now: () => clock.time };
    let desk: BackupDeskState | undefined;
    const world = await createWorld((database) => (desk = createBackupDesk(database, clock)).routers);
    if (!desk) throw new Error('no desk');
    const { folder } = desk;
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const { owner, database } = world;
    const path = join(folder, 'store');
    const destinationId = textOf(
      await owner.mutate('destination.create', { name: 'disk', provider: 'local', path }),
      'destinationId',
    );
    await addDatabase(database, world);
    const backupId = textOf(
      await owner.mutate('backup.create', {
        schedule: '0 3 * * *',
        prefix: 'shop',
        database: 'shop',
        destinationId,
        postgresId: 'postgres-first',
        ...settings,
      }),
      'backupId',
    );
    const runs = async (): Promise<Record<string, unknown>[]> => {
      await desk?.idle();
      return asRuns(await owner.query('backup.runs', { backupId }));
    };
    return {
      ...world,
      desk,
      clock,
      backupId,
      runs,
      files: async () =>
        (await readdir(path, { recursive: true, withFileTypes: true }))
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .toSorted((a, b) => (a < b ? -1 : 1)),
      async manual() {
        clock.time += 1000;
        const answer = await owner.mutate('backup.manualBackupPostgres', { backupId });
        await desk?.idle();
        return answer;
      },
      update: (patch) => owner.mutate('backup.update', { backupId, ...patch }),
      logOf: async (run) =>
        JSON.stringify(await owner.query('backup.runLogs', { backupRunId: textOf(run, 'backupRunId') })),
    };
  };
}

function asRuns(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value)
    ? value.map((one: unknown) => Object.fromEntries(Object.entries(Object(one))))
    : [];
}

async function addDatabase(database: Database, { people, place }: World): Promise<void> {
  await tableStore(database, 'database').insert({
    databaseId: 'postgres-first',
    kind: 'postgres',
    organizationId: people.owner.organizationId,
    environmentId: place.environmentId,
    name: 'first',
    appName: 'first',
    description: '',
    databaseName: 'shop',
    databaseUser: 'shop',
    databasePassword: 'x',
    databaseRootPassword: null,
    containerImage: 'postgres:15',
    replicaSets: false,
    serverId: null,
    applicationStatus: 'done',
    memoryLimit: null,
    memoryReservation: null,
    cpuLimit: null,
    cpuReservation: null,
    pidsLimit: null,
    command: null,
    args: [],
    env: '',
    externalPort: null,
    releasedAppName: null,
    isStopped: false,
    liveDeploymentId: null,
    dataVolume: 'present',
    dataVersion: null,
    formerVolumes: [],
    previewDeploymentId: null,
    createdAt: '2026-01-01T00:00:00.000Z',
  });
}
