/** `berth destination key`: a key that later backups are encrypted for, as a sheet to print. */
import { writeFile } from 'node:fs/promises';
import { destinationOf } from '../parts/destinations.ts';
import { UsageError } from '../../usage-error.ts';
import type { Word } from '../parts/word.ts';

interface Made {
  recipient: string;
  identity: string;
  destination: { name: string };
}

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
    const file = context.text('output');
    // Before the key is made, so that none is lost for a file that cannot be written.
    if (file !== undefined) await writeFile(file, '', { mode: 0o600, flag: 'wx' });
    const made = await client.destination.makeKey({ destinationId });
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
