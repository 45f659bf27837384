import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { AppError } from '../domain/errors.ts';
import { childEnvironment, programOf } from './command.ts';
import type { Command } from './command.ts';
import { markVariable } from './proc.ts';
import { identityOf } from './process-identity.ts';
import type { ProcessIdentity } from '../domain/states/process-identity.ts';

export interface Exit {
  /** Undefined when a signal ended it. */
  exitCode: number | undefined;
  signal: string | undefined;
}

export interface StartedChild {
  identity: ProcessIdentity;
  exited: Promise<Exit>;
}

/**
 * Starts the command in a session and process group of its own, its output going to open files. Throws
 * PRECONDITION_FAILED when the program is missing, BAD_REQUEST when its arguments are longer than the system
 * takes.
 */
export async function startChild(
  command: Command,
  files: { stdout: number; stderr: number },
): Promise<StartedChild> {
  const mark = randomBytes(12).toString('hex');
  const child = spawnChild(command, files, mark);
  const exited = exitOf(child);
  if (child.pid === undefined)
    throw startFailure(
      command,
      await exited.then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
  // Its pid cannot be given to another process before the event loop has collected it, so this is the right
  // one.
  const identity = identityOf(child.pid, mark);
  if (identity === undefined)
    throw new AppError(
      'INTERNAL_SERVER_ERROR',
      `Cannot read the state of ${programOf(command.argv[0])} in /proc; is /proc mounted?`,
    );
  return { identity, exited };
}

function spawnChild(command: Command, files: { stdout: number; stderr: number }, mark: string): ChildProcess {
  const [program, ...args] = command.argv;
  try {
    return spawn(program, args, {
      cwd: command.cwd,
      env: { ...childEnvironment(command, process.env), [markVariable]: mark },
      stdio: ['ignore', files.stdout, files.stderr],
      detached: true,
    });
  } catch (error) {
    throw startFailure(command, error);
  }
}

function exitOf(child: ChildProcess): Promise<Exit> {
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      resolve({ exitCode: code ?? undefined, signal: signal ?? undefined }),
    );
  });
  // Whoever awaits it sees the failure; nobody may be there yet when it comes.
  exited.catch(() => undefined);
  return exited;
}

/** Why a program could not be started. */
export function startFailure(command: Command, cause: unknown): AppError {
  const program = programOf(command.argv[0]);
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ENOENT' && !existsSync(command.cwd))
    return new AppError('INTERNAL_SERVER_ERROR', `Cannot start ${program}: its folder is gone.`, { cause });
  if (code === 'ENOENT')
    return new AppError(
      'PRECONDITION_FAILED',
      `The program ${program} is not installed on this server; install it.`,
      { cause },
    );
  if (code === 'E2BIG')
    return new AppError(
      'BAD_REQUEST',
      `The values given to ${program} are longer than the system allows (128 KiB each); shorten them.`,
      { cause },
    );
  return new AppError('INTERNAL_SERVER_ERROR', `Cannot start ${program} (${String(code)}).`, { cause });
}
