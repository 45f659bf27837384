/** Servers by their names. */
import type { Client } from '../../../client/client.ts';
import { UsageError } from '../../usage-error.ts';
import { itemsOf } from './context.ts';

/** The id of the server of this name or id; a usage error that lists those that there are. */
export async function serverNamed(client: Client, to: string): Promise<string> {
  const servers = itemsOf(await client.server.all());
  const found = servers.filter(({ serverId, name }) => serverId === to || name === to);
  const [first] = found;
  if (found.length === 1 && first) return first.serverId;
  const names = servers.map(({ name }) => name).join(', ');
  const known = names === '' ? 'There is none yet: `berth server add` adds one.' : `There are: ${names}.`;
  throw new UsageError(
    first
      ? `${found.length} servers are called ${to}; give the id of one.`
      : `There is no server ${to}. ${known}`,
  );
}
