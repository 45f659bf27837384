/**
 * Runs a command in a process group of its own, so that it can be ended exactly, and lets it outlive this
 * process.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import type { Command } from './command.ts';
import { follow } from './follow.ts';
import { createLineSplitter } from './lines.ts';
import { endProcessGroup } from './process-identity.ts';
import { startChild } from './start.ts';
import type { Exit, StartedChild } from './start.ts';
import type { ProcessIdentity } from '../domain/states/process-identity.ts';

export interface RunOptions {
  signal: AbortSignal;
  /** Milliseconds the command may take. */
  limitMs: number;
  /** Milliseconds between TERM and KILL when it is ended. Default 5,000. */
  graceMs?: number;
  /** Folder (made when absent) for the file the output goes to; private to this run. */
  scratchDirectory: string;
  /** Every line of stdout and stderr, as it comes. Not redacted. */
  onLine?(line: string): void;
  /** Awaited before anything of the output is read: what it stores is there when this process is killed. */
  onChild?: ((child: ProcessIdentity) => Promise<void>) | undefined;
  /** Bytes of output after which the command is ended, since a disk is finite. Default 256 MiB. */
  maxOutputBytes?: number;
  /** Keeps stdout (at most 1 MiB) out of the lines and gives it in the result. */
  captureStdout?: boolean;
}

export interface RunResult extends Exit {
  /** Why the command ended: by itself, or because it was made to. */
  ended: 'exited' | 'aborted' | 'limit' | 'output';
  /** With `captureStdout`; else empty. */
  stdout: string;
}

/**
 * Runs the command to its end; however that comes, what it started in its group or under its mark is ended
 * with it. Throws PRECONDITION_FAILED when the program is missing; a failing command is a result, not an
 * error.
 */
export async function run(command: Command, options: RunOptions): Promise<RunResult> {
  if (options.signal.aborted) return { ended: 'aborted', exitCode: undefined, signal: undefined, stdout: '' };
  await mkdir(options.scratchDirectory, { recursive: true, mode: 0o700 });
  const path = join(options.scratchDirectory, `output-${randomBytes(6).toString('hex')}`);
  const stdoutPath = options.captureStdout === true ? `${path}-stdout` : undefined;
  try {
    const child = await startInto(command, path, stdoutPath);
    const result = await attend(child, path, options);
    return {
      ...result,
      stdout: stdoutPath === undefined ? '' : await beginningOf(stdoutPath),
    };
  } finally {
    await rm(path, { force: true });
    if (stdoutPath !== undefined) await rm(stdoutPath, { force: true });
  }
}

const capturedBytes = 1024 * 1024;

async function beginningOf(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(capturedBytes), 0, capturedBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

async function startInto(
  command: Command,
  path: string,
  stdoutPath: string | undefined,
): Promise<StartedChild> {
  const stderr = await open(path, 'ax', 0o600);
  try {
    const stdout = stdoutPath === undefined ? undefined : await open(stdoutPath, 'ax', 0o600);
    try {
      return await startChild(command, { stdout: (stdout ?? stderr).fd, stderr: stderr.fd });
    } finally {
      await stdout?.close();
    }
  } finally {
    await stderr.close();
  }
}

const longestTimer = 2 ** 31 - 1;

async function attend(
  child: StartedChild,
  path: string,
  options: RunOptions,
): Promise<Omit<RunResult, 'stdout'>> {
  const ending = createEnding(child, options.graceMs ?? 5000);
  const onAbort = () => ending.begin('aborted');
  options.signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => ending.begin('limit'), Math.min(options.limitMs, longestTimer));
  // What a command leaves running in its group is ended too, else its output would never be complete.
  const finished = Promise.race([child.exited.finally(() => ending.begin('exited')), ending.stuck]);
  void finished.catch(() => undefined);
  try {
    if (options.signal.aborted) void onAbort();
    await options.onChild?.(child.identity);
    await followLines(path, finished, options, () => ending.begin('output'));
    const exit = await finished;
    return { ended: ending.reason() ?? 'exited', ...exit };
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener('abort', onAbort);
    await ending.begin('aborted');
  }
}

interface Ending {
  /** Ends the run for the first reason given; resolves when its processes are gone. */
  begin(reason: RunResult['ended']): Promise<void>;
  reason(): RunResult['ended'] | undefined;
  /** Rejects when the processes survive even KILL (waiting for a dead disk, say). */
  stuck: Promise<never>;
}

function createEnding(child: StartedChild, graceMs: number): Ending {
  let reason: RunResult['ended'] | undefined;
  let done: Promise<void> | undefined;
  const stuck = Promise.withResolvers<never>();
  stuck.promise.catch(() => undefined);
  const end = async () => {
    const gone = await endProcessGroup(child.identity, { graceMs: reason === 'output' ? 0 : graceMs });
    if (!gone)
      throw new AppError(
        'INTERNAL_SERVER_ERROR',
        `Process ${child.identity.pid} cannot be killed; it is probably waiting for a disk or network ` +
          'share that does not answer.',
      );
  };
  const begin = (why: RunResult['ended']) => {
    if (done === undefined) {
      reason = why;
      done = end();
      done.catch(stuck.reject);
    }
    return done;
  };
  return { begin, reason: () => reason, stuck: stuck.promise };
}

async function followLines(
  path: string,
  finished: Promise<unknown>,
  options: RunOptions,
  onTooMuch: () => void,
): Promise<void> {
  const lines = createLineSplitter((line) => options.onLine?.(line));
  const limit = options.maxOutputBytes ?? 256 * 1024 * 1024;
  let bytes = 0;
  await follow(path, {
    ended: finished,
    onBytes: (chunk) => {
      bytes += chunk.length;
      if (bytes <= limit) lines.push(chunk);
      else onTooMuch();
    },
  });
  lines.end();
}
