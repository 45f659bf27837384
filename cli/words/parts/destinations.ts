/** Destinations by name, and the private keys of what is stored there. */
import { readFile } from 'node:fs/promises';
import type { Client } from '../../../client/client.ts';
import { UsageError } from '../../usage-error.ts';
import { itemsOf, type Context } from './context.ts';
import type { Options } from './word.ts';

/** Id of the destination with this name or id. */
export async function destinationOf(client: Client, name: string): Promise<string> {
  const all = itemsOf(await client.destination.all());
  const found = all.find((one) => one.name === name || one.destinationId === name);
  if (found) return found.destinationId;
  const names = all.map((one) => one.name).join(', ') || 'none yet';
  throw new UsageError(`There is no destination ${name}. There are: ${names}.`);
}

/** Of a restore from an encrypted backup whose key its destination has not. */
export const identityOption = {
  identity: {
    value: 'FILE',
    description: 'file with the private key (age) of an encrypted backup, where its destination has none',
  },
} as const satisfies Options;

export async function identityIn(context: Context): Promise<{ identity?: string }> {
  const file = context.text('identity');
  if (file === undefined) return {};
  const lines = (await readFile(file, 'utf8')).split('\n').map((line) => line.trim());
  return { identity: lines.find((line) => line.startsWith('AGE-SECRET-KEY-')) ?? lines.join(' ').trim() };
}
