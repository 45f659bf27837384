import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import { startedBy } from '../deployment/deployment.ts';
import type { webhookContract } from './contract.ts';
import type { Deliveries } from './deliveries.ts';

export function webhookHandlers(deliveries: Deliveries): Handlers<typeof webhookContract, CallContext> {
  return {
    async all({ actor }, { applicationId, composeId, ...page }) {
      const found = await deliveries.all({ applicationId, composeId }, actor.organizationId);
      return paginate(found, page, ({ webhookDeliveryId }) => webhookDeliveryId);
    },
    one: ({ actor }, { webhookDeliveryId }) => deliveries.one(webhookDeliveryId, actor.organizationId),
    replay: ({ actor, write, ip }, { webhookDeliveryId }) =>
      write(() =>
        deliveries.replay(webhookDeliveryId, {
          organizationId: actor.organizationId,
          ip,
          startedBy: startedBy(actor),
        }),
      ),
  };
}
