/**
 * Asks a person for a passphrase without showing it; where nobody sits, the first line of the input is it. It
 * never stands in an argument or a variable.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { AppError } from '../../server/src/domain/errors.ts';

export async function readPassphrase(question: string): Promise<string> {
  const { stdin, stdout } = process;
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  if (stdin.isTTY) stdout.write(question);
  const lines = createInterface({ input: stdin, output: silent, terminal: stdin.isTTY });
  const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close').then(() => [''])]);
  lines.close();
  if (stdin.isTTY) stdout.write('\n');
  const passphrase = String(line);
  if (passphrase === '')
    throw new AppError(
      'BAD_REQUEST',
      'No passphrase was given. Run the command where it can ask, or give the passphrase as the first ' +
        'line of its input.',
    );
  return passphrase;
}
