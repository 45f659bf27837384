import type { OutgoingPolicy } from '../../domain/network/outgoing.ts';
import { standingOf } from '../../modules/organization/organization.ts';
import { createSettings } from '../../modules/settings/settings.ts';
import type { OutgoingBy } from '../../ports/outgoing.ts';
import type { Stores } from '../stores.ts';

/**
 * Who reaches which networks: by the settings as they are with each connection, and by whose organization it
 * is.
 */
export function createOutgoingPolicy(
  { settings, organizations }: Pick<Stores, 'settings' | 'organizations'>,
  machine?: { addresses(): Promise<readonly string[]>; webPorts: readonly number[] },
): (by: OutgoingBy) => Promise<OutgoingPolicy> {
  return async ({ organizationId, purpose }) => {
    const { allowedPrivateNetworks, networkPool } = await createSettings(settings).get();
    return {
      reachesPrivate:
        purpose !== 'callback' && (await standingOf(organizations, organizationId)) !== 'tenant',
      allowed: allowedPrivateNetworks,
      platform: [networkPool],
      machine: machine && { addresses: await machine.addresses(), webPorts: machine.webPorts },
    };
  };
}
