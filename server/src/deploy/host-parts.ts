/** What a deployment works with of the host of its service: taken once, when the deployment is prepared. */
import { serverKeyOf } from '../domain/server-key.ts';
import { deployingElsewhere, type Host, type Hosts } from '../ports/host.ts';

export interface HostParts extends Pick<Host, 'engine' | 'builder' | 'networks' | 'probePath'> {
  serverKey: string;
  /** Puts the routes of the host's proxy right (a new domain's network, a first release). */
  applyRoutes(): Promise<void>;
}

/** The way to the hosts of services. */
export interface HostAccess {
  hosts: Hosts;
  applyRoutes(serverKey: string): Promise<void>;
}

export const hostOf = (
  { hosts }: Pick<HostAccess, 'hosts'>,
  service: { serverId: string | null },
): Promise<Host> => hosts.of(serverKeyOf(service), deployingElsewhere);

export function partsOf({ applyRoutes }: Pick<HostAccess, 'applyRoutes'>, host: Host): HostParts {
  const { key, engine, builder, networks, probePath } = host;
  return { serverKey: key, engine, builder, networks, probePath, applyRoutes: () => applyRoutes(key) };
}
