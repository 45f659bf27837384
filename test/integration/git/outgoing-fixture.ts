import { createOutgoing } from '../../../server/src/adapters/outgoing/outgoing.ts';
import type { OutgoingPolicy } from '../../../server/src/domain/network/outgoing.ts';

/** The installation's own organization, with the loopback that the servers of tests are on named. */
export const homePolicy: OutgoingPolicy = {
  reachesPrivate: true,
  allowed: ['127.0.0.0/8', '::1/128'],
  platform: ['10.192.0.0/12'],
};

export const homeOutgoing = createOutgoing({ policyOf: async () => homePolicy });
