import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { logDrainContract } from './contract.ts';
import type { LogDrains } from './log-drain.ts';

export interface LogDrainDesk {
  drains: LogDrains;
  /** Sends one line and writes down how it went; throws what the address refused with. */
  test(logDrainId: string, organizationId: string): Promise<void>;
}

export function logDrainHandlers({
  drains,
  test,
}: LogDrainDesk): Handlers<typeof logDrainContract, CallContext> {
  return {
    create: ({ actor, write }, input) => write(() => drains.create(actor.organizationId, input)),
    one: ({ actor }, { logDrainId }) => drains.one(logDrainId, actor.organizationId),
    async all({ actor }, input) {
      return paginate(await drains.all(actor.organizationId), input, ({ logDrainId }) => logDrainId);
    },
    update: ({ actor, write }, { logDrainId, ...input }) =>
      write(() => drains.update(logDrainId, actor.organizationId, input)),
    remove: ({ actor, write }, { logDrainId }) =>
      write(() => drains.remove(logDrainId, actor.organizationId)),
    async test({ actor }, { logDrainId }) {
      await test(logDrainId, actor.organizationId);
      return { success: true };
    },
  };
}
