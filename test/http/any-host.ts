/** For tests that are not about hosts: services may have any, and Berth has none of its own. */
import type { HostRules, OwnHost } from '../../server/src/modules/own-host/own-host.ts';

export const anyHost: HostRules = { check: async () => undefined, allowed: async () => () => true };

export const noOwnHost: OwnHost = {
  requireFree: async () => undefined,
  requireFreeBase: async () => undefined,
  secureAddress: async () => undefined,
  routed: async () => undefined,
};
