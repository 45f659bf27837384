import { AppError } from '../domain/errors.ts';

/**
 * An argument vector as text that a POSIX shell takes apart into exactly these arguments (POSIX 2.2.2:
 * everything between single quotes is literal). It is for SSH, whose protocol carries text only; nothing else
 * may use it. Throws BAD_REQUEST for a NUL character, which no argument can hold.
 */
export function quoteArgv(argv: readonly string[]): string {
  return argv.map(quote).join(' ');
}

function quote(argument: string): string {
  if (argument.includes('\0'))
    throw new AppError(
      'BAD_REQUEST',
      'An argument contains a NUL character, which cannot be passed to a program; remove it.',
    );
  return /^[A-Za-z0-9_./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
