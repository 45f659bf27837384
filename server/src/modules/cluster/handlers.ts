import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { Asking, Clusters } from './cluster.ts';
import type { clusterContract } from './contract.ts';

/** By the time they are asked the guard has found out that the servers are the organization's own. */
export function clusterHandlers(clusters: Clusters): Handlers<typeof clusterContract, CallContext> {
  const asking = ({ actor, signal, write }: CallContext): Asking => ({
    organizationId: actor.organizationId,
    signal,
    write,
  });
  return {
    join: (context, input) => clusters.join(input, asking(context)),
    async nodes({ actor }, { serverId, ...page }) {
      const found = await clusters.nodes(serverId, actor.organizationId);
      return paginate(found, page, ({ nodeId }) => nodeId);
    },
    drain: (context, { nodeServerId }) => clusters.drain(nodeServerId, asking(context)),
    activate: (context, { nodeServerId }) => clusters.activate(nodeServerId, asking(context)),
    promote: (context, { nodeServerId }) => clusters.setRole(nodeServerId, 'manager', asking(context)),
    demote: (context, { nodeServerId }) => clusters.setRole(nodeServerId, 'worker', asking(context)),
    leave: (context, { nodeServerId }) => clusters.leave(nodeServerId, asking(context)),
    remove: (context, { nodeServerId }) => clusters.remove(nodeServerId, asking(context)),
  };
}
