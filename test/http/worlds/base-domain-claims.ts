/** Claims of base domains in a world whose names lead nowhere but to the addresses given. */
import type { Stores } from '../../../server/src/composition/stores.ts';
import type { BaseDomainClaims } from '../../../server/src/modules/base-domain/base-domain.ts';
import { createBaseDomainClaims } from '../../../server/src/modules/base-domain/claims.ts';
import { standingOf } from '../../../server/src/modules/organization/organization.ts';
import { createDnsCheck } from '../../../server/src/modules/domain/dns-check.ts';

export interface ClaimScene {
  /** Settings that claims look at. */
  settings: { baseDomain: string | null; host: string | null; serverIp: string | null; cloud: boolean };
  /** What every name leads to. */
  leadTo: string[];
  /** Why no name can be looked up. */
  fault: string | undefined;
  /** Text records of every name. */
  texts: string[];
  /** How often a base domain came, changed or went. */
  changes: number;
}

export const newClaimScene = (): ClaimScene => ({
  settings: { baseDomain: null, host: null, serverIp: '203.0.113.7', cloud: false },
  leadTo: ['203.0.113.7'],
  fault: undefined,
  texts: [],
  changes: 0,
});

export function baseDomainClaims(stores: Stores, scene = newClaimScene()): BaseDomainClaims {
  const settings = async () => ({ ...scene.settings, dnsResolver: null });
  return createBaseDomainClaims({
    store: stores.baseDomains,
    settings,
    urlHost: undefined,
    dns: createDnsCheck({
      settings,
      names: {
        lookUp: async () => ({ addresses: scene.leadTo, fault: scene.fault }),
        records: async () => ({ found: scene.texts, fault: undefined }),
      },
    }),
    isTenant: async (organizationId) => (await standingOf(stores.organizations, organizationId)) === 'tenant',
    changed: () => void (scene.changes += 1),
  });
}
