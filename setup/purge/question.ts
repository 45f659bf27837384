/** Asks for the name of an installation before it is removed. */
import { once } from 'node:events';
import { hostname } from 'node:os';
import { createInterface } from 'node:readline';
import { AppError } from '../../server/src/domain/errors.ts';
import type { Settings } from '../settings/settings.ts';

/** Berth's host name where it has one, else the machine's. */
export function installationName({ chosen }: Pick<Settings, 'chosen'>, machine = hostname()): string {
  return chosen.BERTH_PUBLIC_HOST ?? (machine || 'localhost');
}

/**
 * Reads one line of the input, which must be the name. Throws BAD_REQUEST for anything else; nothing has been
 * removed by then.
 */
export async function confirmByName(name: string): Promise<void> {
  const { stdin, stdout } = process;
  stdout.write(`\nType ${name} to remove all of this: `);
  const lines = createInterface({ input: stdin });
  const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close').then(() => [''])]);
  lines.close();
  if (!stdin.isTTY) stdout.write('\n');
  const typed = String(line).trim();
  if (typed === name) return;
  throw new AppError(
    'BAD_REQUEST',
    `${typed === '' ? 'No name was given' : `"${typed}" is not ${name}`}, so nothing was removed. Type ` +
      `${name} when asked, or give --yes in a script.`,
  );
}
