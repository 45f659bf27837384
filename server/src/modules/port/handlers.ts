import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { portContract } from './contract.ts';
import type { Ports } from './port.ts';

export function portHandlers(ports: Ports): Handlers<typeof portContract, CallContext> {
  return {
    async create({ actor, write }, { applicationId, ...input }) {
      const { publishMode, notice } = await ports.publishing(input.publishMode, applicationId);
      const record = await write(() =>
        ports.create(actor.organizationId, applicationId, { ...input, publishMode }),
      );
      return { ...record, notice };
    },
    one: ({ actor }, { portId }) => ports.one(portId, actor.organizationId),
    async byApplicationId({ actor }, input) {
      return paginate(
        await ports.byApplication(input.applicationId, actor.organizationId),
        input,
        ({ portId }) => portId,
      );
    },
    async update({ actor, write }, { portId, ...patch }) {
      const { publishMode, notice } = patch.publishMode
        ? await ports.publishing(
            patch.publishMode,
            (await ports.one(portId, actor.organizationId)).applicationId,
          )
        : { publishMode: undefined, notice: null };
      const record = await write(() => ports.update(portId, actor.organizationId, { ...patch, publishMode }));
      return { ...record, notice };
    },
    delete: ({ actor, write }, { portId }) => write(() => ports.remove(portId, actor.organizationId)),
  };
}
