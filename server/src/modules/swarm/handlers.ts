import { notYet } from '../../domain/errors.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { swarmContract } from './contract.ts';
import type { Swarm } from './swarm.ts';

export function swarmHandlers(swarm: Swarm): Handlers<typeof swarmContract, CallContext> {
  return {
    async getNodes(_context, input) {
      refuseOthers(input.serverId);
      return paginate(await swarm.nodes(), input, ({ id }) => id);
    },
    async getNodeInfo(_context, { nodeId, serverId }) {
      refuseOthers(serverId);
      return swarm.node(nodeId);
    },
    async getNodeApps({ actor }, input) {
      refuseOthers(input.serverId);
      return paginate(await swarm.apps(actor), input, ({ id }) => id);
    },
  };
}

/** The guard has found out by now that the server is the organization's own. */
function refuseOthers(serverId: string | null | undefined): void {
  if (serverId) throw notYet('Looking at the swarm of other servers');
}
