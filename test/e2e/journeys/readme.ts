/** Commands as a person copies them from the README. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../../images/build-context.ts';

const readme = readFileSync(join(repositoryRoot, 'README.md'), 'utf8');

/** Lines of a section that are indented by four spaces, without the comment behind them. */
export function commandsOf(section: string): string[] {
  const text = readme.split(/^## /m).find((part) => part.startsWith(`${section}\n`));
  if (text === undefined) throw new Error(`README.md has no section "${section}".`);
  return [...text.matchAll(/^ {4}(\S.*)$/gm)].map(([, line = '']) => line.replace(/ {2,}#.*$/, '').trim());
}

/** The one command of a section that begins like this. */
export function commandLike(section: string, beginning: string): string {
  const found = commandsOf(section).find((line) => line.startsWith(beginning));
  if (found === undefined) throw new Error(`"${section}" of README.md has no command "${beginning}…".`);
  return found;
}
