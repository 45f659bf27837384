/** What builders reach, and which images they are brought, from the records of the installation. */
import type { MachineOptions } from '../../adapters/host/machine.ts';
import type { Config } from '../../config.ts';
import { outgoingNetworks } from '../../domain/network/outgoing.ts';
import { isSharedBy } from '../../domain/names/shared-images.ts';
import type { ImageAccess } from '../../modules/image/image.ts';
import { createOutgoingPolicy } from '../hosts/outgoing-policy.ts';
import type { Stores } from '../stores.ts';
import type { Walls } from '../hosts/walls.ts';

export function builderOptions(
  stores: Pick<Stores, 'settings' | 'organizations'>,
  { proxyImage }: Pick<Config, 'proxyImage'>,
  {
    walls: { buildEngines, isOwnImage },
    images: { mayBuildFrom },
    shared,
  }: { walls: Walls; images: ImageAccess; shared: () => Promise<readonly string[]> },
): Pick<MachineOptions, 'buildEngines' | 'builderWalls' | 'isOwnImage' | 'isShared' | 'mayBuildFrom'> {
  const policyOf = createOutgoingPolicy(stores);
  return {
    buildEngines,
    async builderWalls(organizationId, { addresses, proxyPorts }) {
      return {
        ...outgoingNetworks(await policyOf({ organizationId })),
        host: addresses.filter((address) => !isOfOneMachine(address)),
        hostPorts: [proxyPorts.http, proxyPorts.https],
      };
    },
    mayBuildFrom,
    isOwnImage,
    isShared: async (reference) => reference === proxyImage || isSharedBy(await shared(), reference),
  };
}

/** Loopback and link-local addresses mean another machine wherever they are used; a builder reaches none. */
const isOfOneMachine = (address: string): boolean =>
  address.startsWith('127.') || address === '::1' || address.startsWith('fe80:');
