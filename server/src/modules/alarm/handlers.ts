import type { CallContext } from '../../procedure/context.ts';
import { cutPage } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import { reachOf } from '../../domain/access/permissions.ts';
import type { Alarms } from './alarm.ts';
import type { alarmContract } from './contract.ts';

export function alarmHandlers(alarms: Alarms): Handlers<typeof alarmContract, CallContext> {
  return {
    async all({ actor }, { ended, limit, cursor }) {
      const { organizationId } = actor;
      const reach = reachOf(actor);
      const found = await alarms.all(organizationId, {
        ended,
        limit: limit === undefined ? undefined : limit + 1,
        after: limit === undefined ? undefined : cursor,
        reaches: ({ projectId, environmentId, serviceId }) =>
          reach({
            organizationId,
            projectId: projectId ?? undefined,
            environmentId: environmentId ?? undefined,
            serviceId: serviceId ?? undefined,
          }),
      });
      return limit === undefined ? found : cutPage(found, limit, ({ alarmId }) => alarmId);
    },
    acknowledge: ({ actor, write }, { alarmId }) =>
      write(() => alarms.acknowledge(alarmId, actor.organizationId, actor.userId)),
  };
}
