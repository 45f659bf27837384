import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { AppError } from '../server/src/domain/errors.ts';

export type Argv = readonly [string, ...string[]];

export interface CommandOptions {
  /** Milliseconds until the command and all it started are killed. */
  limitMs: number;
  signal?: AbortSignal | undefined;
  env?: NodeJS.ProcessEnv | undefined;
  cwd?: string | undefined;
  /** Written to the command's standard input, which is closed after it. */
  input?: string | undefined;
  /** Called with each line of both outputs as it comes. */
  onLine?: ((line: string) => void) | undefined;
}

export interface CommandResult {
  /** Exit code; 128 + n when signal n ended it. */
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs a program to its end and gives what it answered, whatever its exit code.
 * @throws AppError when the program is missing, runs beyond its limit or is called off.
 */
export async function runCommand(argv: Argv, options: CommandOptions): Promise<CommandResult> {
  options.signal?.throwIfAborted();
  const [program, ...rest] = argv;
  // A process group of its own, so that the limit also ends what the program started.
  const child = spawn(program, rest, {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const stop = (): void => killGroup(child.pid);
  const limit = setTimeout(stop, options.limitMs);
  options.signal?.addEventListener('abort', stop, { once: true });
  // A program that ends without reading its input closes the pipe; its exit code tells the story.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  try {
    const started = Date.now();
    const [stdout, stderr, code] = await Promise.all([
      collect(child.stdout, options.onLine),
      collect(child.stderr, options.onLine),
      exitOf(child, program),
    ]);
    options.signal?.throwIfAborted();
    if (code === null && Date.now() - started >= options.limitMs - 5)
      throw tooLong(argv, options.limitMs, stderr);
    return { code: code ?? 137, stdout, stderr };
  } finally {
    clearTimeout(limit);
    options.signal?.removeEventListener('abort', stop);
  }
}

/**
 * Like `runCommand`, for commands that must succeed; gives the standard output without the last line break.
 * @throws AppError on any exit code but 0, with the last lines that the program wrote.
 */
export async function mustRun(argv: Argv, options: CommandOptions): Promise<string> {
  const result = await runCommand(argv, options);
  if (result.code === 0) return result.stdout.replace(/\n$/, '');
  throw new AppError(
    'INTERNAL_SERVER_ERROR',
    `${shown(argv)} ended with exit code ${result.code}: ${lastLines(result.stderr || result.stdout)}`,
  );
}

function exitOf(child: ReturnType<typeof spawn>, program: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('close', (code) => resolve(code));
    child.once('error', (cause) =>
      reject(new AppError('PRECONDITION_FAILED', `${program} cannot be run; is it installed?`, { cause })),
    );
  });
}

async function collect(stream: Readable, onLine: CommandOptions['onLine']): Promise<string> {
  stream.setEncoding('utf8');
  const parts: string[] = [];
  stream.on('data', (part: string) => parts.push(part));
  if (onLine) createInterface({ input: stream }).on('line', onLine);
  await new Promise((resolve) => stream.once('close', resolve));
  return parts.join('');
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // The group ended by itself in the meantime.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function tooLong(argv: Argv, limitMs: number, stderr: string): AppError {
  return new AppError(
    'INTERNAL_SERVER_ERROR',
    `${shown(argv)} did not end within ${limitMs / 1000} s and was killed. ${lastLines(stderr)}`,
  );
}

function shown(argv: Argv): string {
  return argv.slice(0, 4).join(' ');
}

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-8).join('\n');
}
