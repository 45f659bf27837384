import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { swarmContract } from './contract.ts';
import type { Swarm } from './swarm.ts';

/** By the time it is asked the guard has found out that the server is the organization's own. */
export function swarmHandlers(
  swarmOf: (serverKey: string) => Promise<Swarm>,
): Handlers<typeof swarmContract, CallContext> {
  return {
    async getNodes(_context, input) {
      const swarm = await swarmOf(serverKeyOf(input));
      return paginate(await swarm.nodes(), input, ({ id }) => id);
    },
    async getNodeInfo(_context, { nodeId, serverId }) {
      return (await swarmOf(serverKeyOf({ serverId }))).node(nodeId);
    },
    async getNodeApps({ actor }, input) {
      const swarm = await swarmOf(serverKeyOf(input));
      return paginate(await swarm.apps(actor), input, ({ id }) => id);
    },
  };
}
