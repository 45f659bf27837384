/** An issued certificate stored with its order, and given to the proxy. */
import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { Certificates } from '../certificate/certificate.ts';
import type { RenewingDeps } from './renewing.ts';
import type { OrderStore } from './store.ts';

export interface KeepDeps {
  store: Pick<OrderStore, 'find' | 'transaction'>;
  certificates: Pick<Certificates, 'create' | 'replace' | 'all'>;
  changeRoutes: ChangeRoutes;
}

/** A renewed certificate keeps its id; a proxy that is away gets it when it is back. */
export function createKeep({ store, certificates, changeRoutes }: KeepDeps): RenewingDeps['keep'] {
  return async (order, { certificateData, privateKey }, within) => {
    const { certificateOrderId, certificateId, organizationId, name, serverId } = order;
    const pair = { certificateData, privateKey: privateKey.reveal() };
    const change = async (): Promise<void> => {
      // Removed while the authority was asked: there is nothing that the certificate would be for.
      if (!(await store.find({ certificateOrderId }))) return;
      await within(
        certificateId === null
          ? await certificates.create(organizationId, { name, serverId, ...pair })
          : await certificates.replace(certificateId, organizationId, pair),
      );
    };
    await changeRoutes(serverKeyOf(order), store.transaction, change, { mayWait: true });
  };
}

/** End of the certificate of an order (epoch ms). */
export function createEndOf({ certificates }: Pick<KeepDeps, 'certificates'>): RenewingDeps['endOf'] {
  return async ({ certificateId, organizationId }) => {
    const found = (await certificates.all(organizationId)).find(
      (each) => each.certificateId === certificateId,
    );
    return found && Date.parse(found.expirationDate);
  };
}
