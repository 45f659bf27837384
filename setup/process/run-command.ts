/** The one place where set-up runs other programs: an argv array, a limit, a signal; never shell text. */
import { basename } from 'node:path';
import { runCommand as run } from '../../images/command.ts';
import type { Argv, CommandResult } from '../../images/command.ts';
import { AppError } from '../../server/src/domain/errors.ts';

export interface CommandOptions {
  signal: AbortSignal;
  /** After this many milliseconds the program and what it started are killed and the command fails. */
  limitMs: number;
  cwd?: string;
  /** Variables added to this process's own. */
  env?: Readonly<Record<string, string>>;
  /** Called with each line of output as it comes (both streams). */
  onLine?: (line: string) => void;
}

/**
 * Runs the program to its end and gives its output; throws PRECONDITION_FAILED with its last lines when it
 * fails.
 */
export async function runCommand(argv: Argv, options: CommandOptions): Promise<CommandResult> {
  const result = await tryCommand(argv, options);
  if (result.code === 0) return result;
  const lines = (result.stderr.trim() || result.stdout.trim()).split('\n').slice(-12).join('\n');
  throw new AppError('PRECONDITION_FAILED', `${commandName(argv)} failed (exit ${result.code}):\n${lines}`);
}

/**
 * Like `runCommand`, but an exit code other than 0 is an answer. A program that is absent or too slow still
 * throws.
 */
export function tryCommand(argv: Argv, options: CommandOptions): Promise<CommandResult> {
  return run(argv, { ...options, env: { ...process.env, ...options.env } });
}

/** Program and sub-command only: later arguments may be long or private. */
export function commandName(argv: readonly string[]): string {
  const [program = '', word = ''] = argv;
  return /^[a-z]/.test(word) ? `${basename(program)} ${word}` : basename(program);
}
