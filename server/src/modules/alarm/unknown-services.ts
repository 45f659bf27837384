/** Services of this installation that no record names, each with the organization of its machine. */
import { localServer } from '../../domain/names/server-key.ts';
import type { KnownThings } from '../installation/installation.ts';
import type { SourcePorts } from './sources.ts';
import type { UnreachableParts } from './unreachable.ts';

export interface UnknownServicesParts extends Pick<UnreachableParts, 'servers' | 'installation'> {
  things: Pick<KnownThings, 'unknown'>;
}

/** A server without a record has no organization; the installation's is told then. */
export function unknownServicesOf({
  things,
  servers,
  installation,
}: UnknownServicesParts): SourcePorts['unknownServices'] {
  return async () => {
    const found = [];
    for (const { serverKey, name, seenAt, removedAt } of await things.unknown()) {
      const server = serverKey === localServer ? undefined : await servers.find({ serverId: serverKey });
      const organizationId = server?.organizationId ?? (await installation());
      const machine = server?.name ?? (serverKey === localServer ? 'this machine' : serverKey);
      if (organizationId !== undefined)
        found.push({ id: serverKey, name: machine, organizationId, service: name, seenAt, removedAt });
    }
    return found;
  };
}
