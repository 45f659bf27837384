import { AppError, notYet } from '../../domain/errors.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { serverContract } from './contract.ts';
import type { Servers } from './server.ts';

export function serverHandlers(servers: Servers): Handlers<typeof serverContract, CallContext> {
  return {
    create: ({ actor, write }, input) => write(() => servers.create(actor.organizationId, input)),
    one: ({ actor }, { serverId }) => servers.one(serverId, actor.organizationId),
    async all({ actor }, input) {
      return paginate(await servers.all(actor.organizationId), input, ({ serverId }) => serverId);
    },
    update: ({ actor, write }, { serverId, ...patch }) =>
      write(() => servers.update(serverId, actor.organizationId, patch)),
    remove: ({ actor, write }, { serverId }) => write(() => servers.remove(serverId, actor.organizationId)),
    async setup({ actor }, { serverId }) {
      const { name, sshKeyId } = await servers.one(serverId, actor.organizationId);
      if (sshKeyId === null)
        throw new AppError(
          'PRECONDITION_FAILED',
          `The server ${name} has no SSH key. Give it one with server.update, and put its public key ` +
            `into the user's authorized_keys.`,
        );
      throw notYet('Setting servers up');
    },
    async validate() {
      throw notYet('Looking at what is installed on servers');
    },
    async security() {
      throw notYet('Looking at the security of servers');
    },
    async setupMonitoring({ actor, write }, { serverId, metricsConfig }) {
      const { name } = await write(() =>
        servers.configureMonitoring(serverId, actor.organizationId, metricsConfig),
      );
      throw new AppError(
        'NOT_IMPLEMENTED',
        'Installing monitoring on servers is not part of this version of Berth yet. The configuration ' +
          `is kept with the record of ${name}; nothing was changed on the server.`,
      );
    },
    async getServerMetrics({ actor }, { url }) {
      await servers.requireMetricsEndpoint(url, actor.organizationId);
      throw notYet('Monitoring of servers');
    },
  };
}
