/** `berth destination key`: a key that later backups are encrypted for, as a sheet to print. */
import { rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { sentenceOf } from '../../../server/src/domain/errors.ts';
import { destinationOf } from '../parts/destinations.ts';
import { UsageError } from '../../usage-error.ts';
import type { Word } from '../parts/word.ts';

interface Made {
  recipient: string;
  identity: string;
  destination: { name: string };
}

/** A new file that its owner alone reads. */
const claim = (file: string): Promise<void> =>
  writeFile(file, '', { mode: 0o600, flag: 'wx' }).catch((cause: unknown) => {
    throw new UsageError(`${file} cannot be made; name a file that is not there yet. ${sentenceOf(cause)}`, {
      cause,
    });
  });

/** What age takes as it is: lines that begin with # are left out. */
const sheetOf = ({ recipient, identity, destination }: Made, now: number): string =>
  [
    `# Recovery key for the backups at ${destination.name}, made ${new Date(now).toISOString()}.`,
    '# Keep it away from the server: whoever has it reads the backups, and without it nobody does.',
    '# age -d -i THIS-FILE BACKUP.gz.age | gunzip',
    `# public key: ${recipient}`,
    `${identity}\n`,
  ].join('\n');

export const destinationKeyWord: Word = {
  name: 'destination key',
  usage: 'DESTINATION',
  summary: 'makes a key that later backups at a destination are encrypted for, and prints it once',
  description:
    'Backups that are stored from then on are files of age (age-encryption.org), also readable without ' +
    'Berth. Print the sheet and keep it apart: Berth shows the private key this once. It keeps the key ' +
    'encrypted, so that restores and trial restores go on by themselves.',
  options: { output: { value: 'FILE', description: 'writes the sheet into a new file that you alone read' } },
  most: 1,
  calls: ['destination.all', 'destination.makeKey'],
  async run(context) {
    const { client } = await context.berth();
    const [name] = context.args;
    if (name === undefined) throw new UsageError('Name the destination: `berth destination key Offsite`.');
    const destinationId = await destinationOf(client, name);
    const output = context.text('output');
    const file = output === undefined ? undefined : resolve(context.terminal.folder, output);
    // Before the key is made, so that none is lost for a file that cannot be written.
    if (file !== undefined) await claim(file);
    const made = await client.destination.makeKey({ destinationId }).catch(async (error: unknown) => {
      if (file !== undefined) await rm(file, { force: true });
      throw error;
    });
    const sheet = sheetOf(made, context.terminal.now());
    if (file === undefined) return context.answer(made, () => sheet);
    await writeFile(file, sheet);
    const { recipient } = made;
    context.answer(
      { recipient, file },
      () =>
        `The private key is in ${file}: print it, keep it apart, and remove the file. Later backups are ` +
        `encrypted for ${recipient}.\n`,
    );
  },
};
