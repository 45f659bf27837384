/** A program of a server that must succeed; its failure is told with the command, its code and last lines. */
import { AppError } from '../../../domain/errors.ts';
import type { ProgramEnd, ServerShell } from '../../../ports/host/server-shell.ts';
import { quoteArgv } from '../../../shell/quote.ts';

const shownLines = 5;
const shownCharacters = 1500;

export async function runTelling(
  shell: Pick<ServerShell, 'name' | 'run'>,
  argv: readonly [string, ...string[]],
  options?: Parameters<ServerShell['run']>[1],
): Promise<ProgramEnd> {
  const end = await shell.run(argv, options);
  if (end.code === 0) return end;
  const said = `${end.stdout.slice(-shownCharacters)}\n${end.stderr}`
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-shownLines)
    .join('\n');
  // A script of ours is told by what it runs, not by its text.
  const shown = argv[1] === '-c' ? `${argv[0]} -c …` : quoteArgv(argv);
  throw new AppError(
    'PRECONDITION_FAILED',
    `The command "${shown}" on ${shell.name} ended with code ${end.code}` +
      `${said === '' ? ' and said nothing' : `:\n${said}`}`,
  );
}
