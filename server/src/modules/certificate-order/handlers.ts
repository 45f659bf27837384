import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { CertificateOrders } from './certificate-order.ts';
import type { certificateOrderContract } from './contract.ts';

export interface CertificateOrderDeps {
  certificateOrders: CertificateOrders;
  /** Refuses, in a cloud installation, what names no server. */
  requireServer(serverId: string | null | undefined): Promise<void>;
  /** Begins what is due, without waiting for it. */
  begin(): void;
}

export function certificateOrderHandlers({
  certificateOrders: orders,
  requireServer,
  begin,
}: CertificateOrderDeps): Handlers<typeof certificateOrderContract, CallContext> {
  return {
    async create({ actor, write }, input) {
      await requireServer(input.serverId);
      const made = await write(() => orders.create(actor.organizationId, input));
      begin();
      return made;
    },
    one: ({ actor }, { certificateOrderId }) => orders.one(certificateOrderId, actor.organizationId),
    async all({ actor }, input) {
      return paginate(
        await orders.all(actor.organizationId),
        input,
        ({ certificateOrderId }) => certificateOrderId,
      );
    },
    update: ({ actor, write }, { certificateOrderId, ...patch }) =>
      write(() => orders.update(certificateOrderId, actor.organizationId, patch)),
    async retry({ actor, write }, { certificateOrderId }) {
      const due = await write(() => orders.retry(certificateOrderId, actor.organizationId));
      begin();
      return due;
    },
    remove: ({ actor, write }, { certificateOrderId }) =>
      write(() => orders.remove(certificateOrderId, actor.organizationId)),
  };
}
