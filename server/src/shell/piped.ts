/**
 * A command whose input and output are streams of this process: for bytes that go through, not for logs. It
 * never outlives what reads or feeds it.
 */
import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { PassThrough, pipeline, type Readable, type Writable } from 'node:stream';
import { childEnvironment } from './command.ts';
import type { Command } from './command.ts';
import { startFailure } from './start.ts';
import type { Exit } from './start.ts';

export interface PipedEnd extends Exit {
  /** The end of what it said on stderr, at most 8 KiB. */
  stderr: string;
}

export interface PipedChild {
  stdin: Writable;
  /** Whole, also for whoever begins to read it after the program has ended. */
  stdout: Readable;
  /**
   * Resolves when it has ended and its output is closed, the last of which may be unread; rejects with
   * PRECONDITION_FAILED when the program is missing.
   */
  ended: Promise<PipedEnd>;
  /** Ends it at once: it must not take a closed input for the end of a whole one. */
  kill(): void;
}

const keptStderr = 8 * 1024;

export function startPiped(command: Command): PipedChild {
  const [program, ...args] = command.argv;
  const child = spawn(program, args, {
    cwd: command.cwd,
    env: childEnvironment(command, process.env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // Whoever writes into a program that has ended learns it from its exit, not from the pipe.
  child.stdin.on('error', () => undefined);
  const ended = endOf(command, child);
  ended.catch(() => undefined);
  // Node throws away what nobody has begun to read when a program ends. A fault is the reader's to meet.
  const stdout = pipeline(child.stdout, new PassThrough(), () => undefined);
  return { stdin: child.stdin, stdout, ended, kill: () => void child.kill('SIGKILL') };
}

function endOf(
  command: Command,
  child: ChildProcessByStdio<Writable, Readable, Readable>,
): Promise<PipedEnd> {
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-keptStderr);
  });
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(startFailure(command, error)));
    child.once('close', (code, signal) =>
      resolve({ exitCode: code ?? undefined, signal: signal ?? undefined, stderr: stderr.trim() }),
    );
  });
}
