/** What builders reach, and which images they are brought, from the records of the installation. */
import type { MachineOptions } from '../adapters/host/machine.ts';
import type { Config } from '../config.ts';
import { outgoingNetworks } from '../domain/outgoing.ts';
import { createOutgoingPolicy } from './outgoing-policy.ts';
import type { Stores } from './stores.ts';
import type { Walls } from './walls.ts';

/** Names that only set-up gives to images. */
const platformPrefix = 'berth/';

export function builderOptions(
  stores: Pick<Stores, 'settings' | 'organizations'>,
  { proxyImage }: Pick<Config, 'proxyImage'>,
  { buildEngines }: Walls,
): Pick<MachineOptions, 'buildEngines' | 'builderWalls' | 'isShared'> {
  const policyOf = createOutgoingPolicy(stores);
  return {
    buildEngines,
    async builderWalls(organizationId, { addresses, proxyPorts }) {
      return {
        ...outgoingNetworks(await policyOf({ organizationId })),
        host: addresses,
        hostPorts: [proxyPorts.http, proxyPorts.https],
      };
    },
    isShared: async (reference) => reference.startsWith(platformPrefix) || reference === proxyImage,
  };
}
