/** The claims of this installation on its hosts. */
import { createHostClaims, type HostClaims } from '../../reconcile/ownership/host-claims.ts';
import { isInUse } from '../../shell/instance-lock.ts';
import type { Installation } from '../../modules/installation/installation.ts';
import type { Stores } from '../stores.ts';

interface ClaimGround {
  installation: Installation;
  adopts: boolean;
  log: { warn(sentence: string): void };
  config: { data: string };
  stores: Pick<Stores, 'installation' | 'platformServices'>;
}

export function hostClaimsOf({ installation, adopts, log, config, stores }: ClaimGround): HostClaims {
  return createHostClaims({
    installation,
    records: stores.installation,
    platformServices: stores.platformServices,
    data: config.data,
    isInUse,
    adopts,
    onAdopted: (sentence) => log.warn(sentence),
  });
}
