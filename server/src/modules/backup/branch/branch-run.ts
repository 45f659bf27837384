/**
 * Fills a branch. Its data are loaded and masked by a server on a network of its own; the database starts in
 * its environment only after that, so that nobody ever reaches data that are not masked.
 */
import type { DatabaseRecord } from '../../../db/tables.ts';
import { AppError } from '../../../domain/errors.ts';
import { isoTime } from '../../../ports/clock.ts';
import { lastWords, type Asking } from '../../database/ask-server.ts';
import type { Script } from '../../database/kinds/server.ts';
import type { ExecResult } from '../../../ports/engine/engine-program.ts';
import type { Databases } from '../../database/database.ts';
import type { DatabaseServer } from '../database-source.ts';
import { fillToMoment, type MomentPorts } from '../recovery/restore-to-moment.ts';
import {
  besideOf,
  changeOverTo,
  fill,
  idOf,
  startBeside,
  type Beside,
  type RestoringPorts,
} from '../runs/restore.ts';
import { fillByCopy } from './fill-copy.ts';
import type { RunContext } from '../runs/run-context.ts';
import type { RunOperation } from '../runs/runner.ts';
import type { BackupRunRecord, BranchRecord, BranchStore } from '../store.ts';
import { maskScripts, withoutPasswords, type Masked } from './masking.ts';

export interface BranchingPorts extends RestoringPorts {
  branches: BranchStore;
  databases: Pick<Databases, 'find' | 'patch'>;
  moments: MomentPorts;
  /** Runs a script in the container of a server. */
  ask(server: DatabaseServer, script: Script, asking: Asking): Promise<ExecResult>;
  /** Removes what a restore of this run left. */
  tidyRestore(run: BackupRunRecord): Promise<void>;
}

/** A large table takes its time. */
const maskLimitMs = 6 * 3_600_000;

export function createBranching(ports: BranchingPorts): RunOperation {
  return {
    run: (context) => branch(ports, context),
    async tidy(run) {
      const { beside, branches, databases } = ports;
      const { databaseId, backupRunId } = run;
      const isInUse = databaseId !== null && (await beside.isOn(databaseId, besideOf(run).volume));
      if (!isInUse) {
        await branches.update({ backupRunId }, { filledAt: null });
        if (databaseId !== null) await databases.patch(databaseId, { applicationStatus: 'error' });
      }
      await ports.tidyRestore(run);
      // Its network last, when nothing is on it any more.
      await beside.stop(databaseId, aloneOf(run));
    },
  };
}

const aloneOf = (run: BackupRunRecord): Beside => ({ ...besideOf(run), isAlone: true });

async function branch(ports: BranchingPorts, context: RunContext): Promise<void> {
  const { run } = context;
  const databaseId = idOf(run);
  const target = aloneOf(run);
  const { beside, branches, clock, databases } = ports;
  const record = await found(ports, run);
  if (!(await beside.isOn(databaseId, target.volume))) {
    await databases.patch(databaseId, { applicationStatus: 'idle' });
    const server = await filled(ports, context, record, target);
    if (server) await mask(ports, context, record, server);
    await branches.update({ databaseId }, { filledAt: isoTime(clock) });
  }
  await changeOverTo(beside, context, { databaseId, target, kept: 'an empty volume' });
  // It never had another volume.
  await databases.patch(databaseId, { formerVolumes: [] });
}

async function found({ branches }: BranchingPorts, { backupRunId }: BackupRunRecord): Promise<BranchRecord> {
  const record = await branches.find({ backupRunId });
  if (!record) throw new AppError('PRECONDITION_FAILED', 'The branch was removed in the meantime.');
  return record;
}

/** Undefined for an empty one to which nothing is said. */
async function filled(
  ports: BranchingPorts,
  context: RunContext,
  record: BranchRecord,
  target: Beside,
): Promise<DatabaseServer | undefined> {
  const { origin, mask: statements } = record;
  if (origin === 'empty') return statements === null ? undefined : startBeside(ports, context, target);
  return origin === 'copy'
    ? fillByCopy(ports, context, { ...record, target })
    : stored(ports, context, record, target);
}

async function stored(
  ports: BranchingPorts,
  context: RunContext,
  { sourceId }: BranchRecord,
  target: Beside,
): Promise<DatabaseServer> {
  if (context.run.moment === null) return fill(ports, context, { beside: target });
  const server = await fillToMoment(ports.moments, context, { sourceId: sourceId ?? '', beside: target });
  const record = await recordOf(ports, context);
  const database = context.run.database;
  await context.step('passwords', () =>
    say(ports, context, server, { record, database, statements: withoutPasswords }),
  );
  return server;
}

async function mask(
  ports: BranchingPorts,
  context: RunContext,
  { mask: statements }: BranchRecord,
  server: DatabaseServer,
): Promise<void> {
  if (statements === null) return;
  const record = await recordOf(ports, context);
  const { database } = context.run;
  await context.step('mask', () => say(ports, context, server, { record, database, statements }));
}

async function recordOf({ databases }: BranchingPorts, { run }: RunContext): Promise<DatabaseRecord> {
  const record = await databases.find(idOf(run));
  if (!record) throw new AppError('PRECONDITION_FAILED', 'The branch was removed in the meantime.');
  return record;
}

/** Gives statements to the client of the server's image; what it prints goes into the log. */
async function say(
  { ask }: BranchingPorts,
  { say: log, signal }: RunContext,
  server: DatabaseServer,
  masked: Masked,
): Promise<{ value: undefined }> {
  const script = maskScripts[server.kind](masked);
  const result = await ask(server, script, { signal, limitMs: maskLimitMs });
  for (const line of `${result.stdout}\n${result.stderr}`.split('\n')) if (line.trim() !== '') log(line);
  if (result.exitCode === 0) return { value: undefined };
  throw new AppError(
    'PRECONDITION_FAILED',
    `The statements ended with the exit code ${result.exitCode}: ${lastWords(result)} The branch was not ` +
      'started, and its data are removed.',
  );
}
