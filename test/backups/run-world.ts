/** Runs of backups without a database or a program: their records, logs and objects in memory. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { AppError } from '../../server/src/domain/errors.ts';
import { createBackupRunner, type RunOperation } from '../../server/src/modules/backup/runs/runner.ts';
import type { BackupRuns } from '../../server/src/modules/backup/runs/runs.ts';
import type { BackupRunRecord } from '../../server/src/modules/backup/store.ts';
import { systemClock } from '../../server/src/ports/clock.ts';
import type { DeploymentLogs } from '../../server/src/ports/deployment-log.ts';
import type { ObjectStore, StoreRoom } from '../../server/src/ports/object-store.ts';

export interface StoreInMemory extends ObjectStore {
  objects: Map<string, Buffer>;
  disk: StoreRoom | undefined;
  /** Removing fails. */
  isReadOnly: boolean;
  /** What is read of every object, in the place of what was written. */
  reads: Buffer | undefined;
}

export function storeInMemory(): StoreInMemory {
  const objects = new Map<string, Buffer>();
  const shown = (path: string, { length }: Buffer) => ({ path, bytes: length, modifiedAt: '2026-01-01' });
  const store: StoreInMemory = {
    objects,
    disk: undefined,
    isReadOnly: false,
    reads: undefined,
    room: async () => store.disk,
    async write(path, source, signal) {
      const parts: Uint8Array[] = [];
      for await (const part of source) {
        signal.throwIfAborted();
        parts.push(part);
      }
      objects.set(path, Buffer.concat(parts));
    },
    async *read(path) {
      yield store.reads ?? objects.get(path) ?? Buffer.of();
    },
    find: async (path) => {
      const object = objects.get(path);
      return object && shown(path, object);
    },
    list: async () => [...objects].map(([path, object]) => shown(path, object)),
    async rename(from, to) {
      objects.set(to, objects.get(from) ?? Buffer.of());
      objects.delete(from);
    },
    async remove(path) {
      if (store.isReadOnly) throw new AppError('PRECONDITION_FAILED', 'The destination is read-only.');
      objects.delete(path);
    },
  };
  return store;
}

/** A dump at the path of the store, and the run that stored it. */
export function addStored(run: RunWorld, store: StoreInMemory, path: string, dump: string): void {
  const object = gzipSync(dump);
  store.objects.set(path, object);
  run.add({
    status: 'done',
    path,
    isStored: true,
    bytes: dump.length,
    storedBytes: object.length,
    checksum: createHash('sha256').update(object).digest('hex'),
  });
}

export interface RunWorld {
  runs: Map<string, BackupRunRecord>;
  reads: BackupRuns;
  lines: string[];
  /** What went wrong inside. */
  faults: unknown[];
  add(change: Partial<BackupRunRecord>): BackupRunRecord;
  /** Runs an attempt to its end; gives the run as it is then. */
  work(operation: RunOperation, options?: Working): Promise<BackupRunRecord>;
}

interface Working {
  runId?: string;
  attempts?: number;
  signal?: AbortSignal;
}

export function runWorld(): RunWorld {
  const runs = new Map<string, BackupRunRecord>();
  const world: RunWorld = {
    runs,
    lines: [],
    faults: [],
    reads: readsOf(runs),
    add(change) {
      const run = { ...plainRun, backupRunId: `run-${runs.size + 1}`, sequence: runs.size, ...change };
      runs.set(run.backupRunId, run);
      return run;
    },
    async work(operation, { runId = 'run-1', attempts = 1, signal = new AbortController().signal } = {}) {
      const runner = createBackupRunner({
        runs: world.reads,
        logs: logsInto(world.lines),
        clock: systemClock,
        operations: {
          backup: operation,
          restore: operation,
          verification: operation,
          return: operation,
          branch: operation,
        },
        onFault: (error) => `fault-${world.faults.push(error)}`,
      });
      await runner({ payload: { backupRunId: runId }, attempts }, signal);
      const run = runs.get(runId);
      if (!run) throw new Error(`There is no run ${runId}.`);
      return run;
    },
  };
  return world;
}

function readsOf(runs: Map<string, BackupRunRecord>): BackupRuns {
  const change = (id: string, patch: Partial<BackupRunRecord>): void => {
    const run = runs.get(id);
    if (run) runs.set(id, { ...run, ...structuredClone(patch) });
  };
  const newest = (): BackupRunRecord[] =>
    [...runs.values()].toSorted((one, other) => other.sequence - one.sequence);
  // Nothing else is asked by what does the work of a run.
  return {
    find: async (id: string) => structuredClone(runs.get(id)),
    record: async (id: string, patch: Partial<BackupRunRecord>) => change(id, patch),
    finish: async (id: string, outcome: Parameters<BackupRuns['finish']>[1]) =>
      change(id, {
        status: outcome.status,
        ...(outcome.status === 'error' && { errorMessage: outcome.error.message }),
      }),
    ofObject: async (destinationId: string, path: string) =>
      newest().find(
        (run) => run.operation === 'backup' && run.destinationId === destinationId && run.path === path,
      ),
    ofBackup: async (backupId: string) => newest().filter((run) => run.backupId === backupId),
    ofDatabase: async (databaseId: string) => newest().filter((run) => run.databaseId === databaseId),
    keysOf: async () => ({ recipients: [], held: [] }),
    stored: async (backupId: string) => newest().filter((run) => run.backupId === backupId && run.isStored),
  } as unknown as BackupRuns;
}

function logsInto(lines: string[]): DeploymentLogs {
  // A run writes its log; reading it is for others.
  return {
    writer: (_: string, redact: (text: string) => string) => ({
      line: (text: string) => void lines.push(redact(text)),
      close: async () => undefined,
    }),
  } as unknown as DeploymentLogs;
}

const plainRun: Omit<BackupRunRecord, 'backupRunId' | 'sequence'> = {
  organizationId: 'o',
  operation: 'backup',
  status: 'queued',
  backupId: 'b',
  databaseId: 'd',
  applicationId: null,
  composeId: null,
  volumeName: null,
  destinationId: 'disk',
  path: 'shop/one.dump.gz',
  database: 'shop',
  startedBy: 'person',
  steps: [],
  bytes: null,
  storedBytes: null,
  checksum: null,
  isStored: false,
  previousVolume: null,
  previousDatabase: null,
  restoredAt: null,
  shape: null,
  leftOut: null,
  moment: null,
  held: null,
  recipients: [],
  identity: null,
  errorCode: null,
  errorMessage: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  startedAt: null,
  finishedAt: null,
};
