/**
 * Programs that bin/up starts itself, where no service manager runs: own session, a record of pid and start
 * time, a log file.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../server/src/domain/errors.ts';
import { parseEnvironment } from '../settings/environment-file.ts';
import { identify, isAlive, processIdentitySchema, signalProcess } from '../process/process-identity.ts';
import type { ProcessIdentity } from '../process/process-identity.ts';
import { readRecord, readText, removeRecord, writeRecord } from '../record.ts';
import { waitUntil } from '../process/wait-until.ts';
import { berthCommand, stopLimitMs } from './starter.ts';
import type { Starter } from './starter.ts';

export interface DetachedProgram {
  argv: readonly [string, ...string[]];
  env: Readonly<Record<string, string>>;
  cwd: string;
  logFile: string;
  /** Where pid and start time are written. */
  recordFile: string;
}

/**
 * A log that has grown beyond this is put aside before the next start (while running,
 * setup/process/bound-logs-beside-berth.ts holds it).
 */
const logLimitBytes = 10 * 1024 * 1024;

/** Begins the line that stands in a log before each start. */
const startMark = '--- bin/up starts ';

export const detachedStarter: Starter = {
  sentence:
    'No service manager runs here, so nothing starts Berth after a crash or when the machine starts: ' +
    'run ./bin/up then.',

  async running({ layout }) {
    return recordedProcess(layout.berthProcess);
  },

  async start({ layout }) {
    const environment = parseEnvironment(readText(layout.environment) ?? '');
    const [program, ...rest] = berthCommand(layout);
    await startDetached({
      argv: [program, '--import', `${layout.current}/dist/setup/process/bound-logs-beside-berth.js`, ...rest],
      env: environment,
      cwd: layout.data,
      logFile: layout.berthLog,
      recordFile: layout.berthProcess,
    });
  },

  async stop({ layout, signal, say }) {
    await stopRecorded(layout.berthProcess, { limitMs: stopLimitMs, signal, say, name: 'Berth' });
  },

  async lastLines({ layout }, count) {
    return tailOf(layout.berthLog, count);
  },
};

/** The process of a record when it still lives. */
export function recordedProcess(recordFile: string): ProcessIdentity | undefined {
  const record = readRecord(recordFile, processIdentitySchema);
  return record !== undefined && isAlive(record) ? record : undefined;
}

/** Starts the program in a session of its own and records it. Throws when it cannot be started at all. */
export async function startDetached(program: DetachedProgram): Promise<ProcessIdentity> {
  mkdirSync(dirname(program.logFile), { recursive: true, mode: 0o700 });
  if (existsSync(program.logFile) && statSync(program.logFile).size > logLimitBytes)
    renameSync(program.logFile, `${program.logFile}.1`);
  // Append mode: the log can be cut while the program writes to it.
  const log = openSync(program.logFile, 'a', 0o600);
  try {
    const [file, ...rest] = program.argv;
    writeSync(log, `${startMark}${program.argv.join(' ')} at ${new Date().toISOString()}\n`);
    const child = spawn(file, rest, {
      cwd: program.cwd,
      env: { ...program.env },
      detached: true,
      stdio: ['ignore', log, log],
    });
    await once(child, 'spawn');
    const identity = child.pid === undefined ? undefined : identify(child.pid);
    if (identity === undefined)
      throw new AppError(
        'PRECONDITION_FAILED',
        `${file} ended at once. Its log says: ${tailOf(program.logFile, 5)}`,
      );
    writeRecord(program.recordFile, identity);
    child.unref();
    return identity;
  } finally {
    closeSync(log);
  }
}

/** Ends the recorded process, at first politely; only ever that very process. Gives whether there was one. */
export async function stopRecorded(
  recordFile: string,
  options: { limitMs: number; signal: AbortSignal; say: (line: string) => void; name: string },
): Promise<boolean> {
  const identity = recordedProcess(recordFile);
  if (identity === undefined) {
    removeRecord(recordFile);
    return false;
  }
  signalProcess(identity, 'SIGTERM');
  if (!(await hasEnded(identity, options.limitMs, options.signal))) {
    options.say(`${options.name} did not end within ${options.limitMs / 1000} s and is killed`);
    signalProcess(identity, 'SIGKILL');
    if (!(await hasEnded(identity, 10_000, options.signal))) {
      throw new AppError(
        'PRECONDITION_FAILED',
        `${options.name} (process ${identity.pid}) does not end even when killed: the kernel keeps it ` +
          'alive. Restart the machine.',
      );
    }
  }
  removeRecord(recordFile);
  return true;
}

/** The last lines of a program's log, of its last start only; empty when there are none. */
export function tailOf(file: string, count: number): string {
  if (!existsSync(file)) return '';
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const start = lines.findLastIndex((line) => line.startsWith(startMark));
  return lines
    .slice(start + 1)
    .slice(-count)
    .join('\n');
}

async function hasEnded(identity: ProcessIdentity, limitMs: number, signal: AbortSignal): Promise<boolean> {
  return (
    (await waitUntil(() => (isAlive(identity) ? undefined : true), { limitMs, everyMs: 50, signal })) ?? false
  );
}
