import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { repositoryRoot } from '../../images/build-context.ts';
import { countReport, type Counts, type FileReport } from './report.ts';

/** How a project went: its counts, and what the end of the whole run says about it. */
export interface ProjectEnd extends Counts {
  /** Its name, counts and seconds in a line. */
  line: string;
  /** What failed, each with the beginning of its message. */
  failures: readonly string[];
  name: string;
  files: readonly FileReport[];
  /** What went wrong and no file is to blame for: it was stopped, nothing ran. */
  runReasons: readonly string[];
}

export interface ProjectRun {
  name: string;
  limitMs: number;
  /** Absolute paths of the files to run; all when absent. */
  files?: readonly string[];
  /** As nice(1) takes it: 0, or more for what may wait. */
  niceness: number;
  signal: AbortSignal;
  say: (line: string) => void;
}

/** Time that a project gets to close its bed after it was told to stop, in milliseconds. */
const graceMs = 30_000;

/** Where node keeps what it compiled of vitest, which each project starts anew. */
const compiled = join(repositoryRoot, 'node_modules/.cache/vitest');

/**
 * Runs one project of vitest.config.ts; its output goes to the terminal. A run that ends badly counts as a
 * failure.
 */
export async function runProject(run: ProjectRun): Promise<ProjectEnd> {
  run.signal.throwIfAborted();
  const started = Date.now();
  const folder = await mkdtemp(join(tmpdir(), 'berth-report-'));
  const report = join(folder, 'report.json');
  try {
    const ended = await vitest(run, report);
    const counts = countReport(await readFile(report, 'utf8').catch(() => null), ended);
    for (const reason of counts.reasons) run.say(`${run.name}: ${reason}`);
    const line =
      `${run.name}: ${counts.passed} passed, ${counts.failed} failed, ` +
      `${((Date.now() - started) / 1000).toFixed(1)} s`;
    run.say(line);
    return {
      ...counts,
      name: run.name,
      line,
      failures: [...counts.reasons, ...counts.failures].map((failure) => `${run.name}: ${failure}`),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Gives how vitest ended: its exit code, or why it was stopped. */
async function vitest(run: ProjectRun, report: string): Promise<number | string> {
  const program = join(repositoryRoot, 'node_modules', 'vitest', 'vitest.mjs');
  const env = {
    ...process.env,
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    NODE_COMPILE_CACHE: compiled,
  };
  // Dies with this process, also when that is killed; the guard of its bed then closes the bed.
  const child = spawn(
    'nice',
    [
      `--adjustment=${run.niceness}`,
      'setpriv',
      '--pdeathsig=KILL',
      process.execPath,
      program,
      'run',
      ...(run.files ?? []).map((path) => relative(repositoryRoot, path)),
      '--project',
      run.name,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    { cwd: repositoryRoot, env, stdio: ['ignore', 'inherit', 'inherit'], detached: true },
  );
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, name) => resolve(code ?? `ended by ${name}`));
  });
  await lower(child.pid, run.niceness);
  const stop = new AbortController();
  const reason = await Promise.race([ended.then(() => null), stopReason(run, stop.signal)]);
  stop.abort();
  if (reason === null) return ended;
  await stopGroup(child.pid, ended);
  return reason;
}

/**
 * Where the kernel weighs sessions against each other, niceness counts within one only; the session of a
 * project is its own (sched(7), "The autogroup feature").
 */
async function lower(pid: number | undefined, niceness: number): Promise<void> {
  if (pid !== undefined && niceness > 0)
    await writeFile(`/proc/${pid}/autogroup`, String(niceness)).catch(() => undefined);
}

function stopReason(run: ProjectRun, over: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const limit = setTimeout(
      () => resolve(`stopped after its limit of ${run.limitMs / 1000} s`),
      run.limitMs,
    );
    const abort = (): void => resolve(`stopped: ${String(run.signal.reason)}`);
    run.signal.addEventListener('abort', abort, { once: true });
    over.addEventListener('abort', () => {
      clearTimeout(limit);
      run.signal.removeEventListener('abort', abort);
    });
  });
}

/** Asks the group to end, then makes it. What its bed leaves is closed by the caller. */
async function stopGroup(pid: number | undefined, ended: Promise<unknown>): Promise<void> {
  if (pid === undefined) return;
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    signalGroup(pid, signal);
    const timer = new AbortController();
    await Promise.race([ended, delay(graceMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
    timer.abort();
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
