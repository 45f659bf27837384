/**
 * Which services' containers of a host reach private networks and the host itself. On Berth's own machine
 * those of organizations that reach private networks at all; on a server all of them, since the whole server
 * is its organization's.
 */
import { organizationLabel } from '../../domain/names/labels.ts';
import { localServer } from '../../domain/names/server-key.ts';
import { outgoingNetworks } from '../../domain/network/outgoing.ts';
import { swarmBridge, type OutwardWall } from '../../domain/network/outward-wall.ts';
import type { BridgedContainer } from '../../ports/engine/engine-view.ts';

export interface OutwardPolicyOptions {
  /** Ids of organizations that reach public addresses alone. */
  tenants(): Promise<readonly string[]>;
  /** Private networks that the settings open to everybody, as CIDR. */
  allowed(): Promise<readonly string[]>;
  webPorts: readonly number[];
}

export type OutwardPolicy = (host: {
  key: string;
  engineView: { containersBehind(bridge: string): Promise<BridgedContainer[]> };
}) => Promise<OutwardWall>;

export function createOutwardPolicy({ tenants, allowed, webPorts }: OutwardPolicyOptions): OutwardPolicy {
  return async ({ key, engineView }) => {
    const isLocal = key === localServer;
    const named = isLocal ? await allowed() : [];
    const { never, closed } = outgoingNetworks({ reachesPrivate: false, allowed: named, platform: [] });
    const closedTo = new Set(isLocal ? await tenants() : []);
    if (closedTo.size === 0) return { open: 'all', never, named, closed, webPorts };
    const open = (await engineView.containersBehind(swarmBridge))
      .filter(({ labels }) => !closedTo.has(labels[organizationLabel] ?? ''))
      .flatMap(({ addresses }) => addresses)
      .toSorted();
    return { open, never, named, closed, webPorts };
  };
}
