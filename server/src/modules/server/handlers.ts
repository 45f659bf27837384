import { AppError, sentenceOf } from '../../domain/errors.ts';
import { Secret } from '../../domain/secrets/secret.ts';
import type { Collector } from '../../ports/metrics.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { LogEvent } from '../../procedure/log-event.ts';
import type { Handlers, StreamEvent } from '../../procedure/procedure.ts';
import type { serverContract } from './contract.ts';
import type { BaseDomainClaims } from '../base-domain/base-domain.ts';
import type { ServerMonitoring } from './monitoring/monitoring.ts';
import { machinePoint, rangeOf } from './monitoring/points.ts';
import type { ForgetServers } from './forget.ts';
import type { Servers } from './server.ts';
import type { ServerInspection } from './setup/inspection.ts';
import type { ServerSetup } from './setup/setup.ts';

export interface ServerDesk {
  /** The record was changed, so that the connection to the server is made anew. */
  changed(serverId: string): void;
  claims: Pick<BaseDomainClaims, 'change'>;
  setup: ServerSetup;
  forgetting: ForgetServers;
  inspect: ServerInspection;
  monitoring: Pick<ServerMonitoring, 'setUp' | 'agentOf'>;
  /** Berth's own machine. */
  own: Pick<Collector, 'machine'>;
  isInstallations(organizationId: string): Promise<boolean>;
}

export function serverHandlers(
  servers: Servers,
  { changed, claims, setup, forgetting, inspect, monitoring, own, isInstallations }: ServerDesk,
): Handlers<typeof serverContract, CallContext> {
  const changing = async <T>(serverId: string, work: Promise<T>): Promise<T> => {
    const result = await work;
    changed(serverId);
    return result;
  };
  return {
    create: ({ actor, write }, input) => write(() => servers.create(actor.organizationId, input)),
    one: ({ actor }, { serverId }) => servers.one(serverId, actor.organizationId),
    async all({ actor }, input) {
      return paginate(await servers.all(actor.organizationId), input, ({ serverId }) => serverId);
    },
    async update(context, { serverId, baseDomain: wanted, ...patch }) {
      const { organizationId } = context.actor;
      const { baseDomain: present } = await servers.one(serverId, organizationId);
      const claim = { place: { serverId }, wanted, present };
      return changing(
        serverId,
        claims.change(context, claim, (baseDomain) =>
          servers.update(serverId, organizationId, { ...patch, baseDomain }),
        ),
      );
    },
    trustHostKey: ({ actor, write }, { serverId, fingerprint }) =>
      changing(
        serverId,
        write(() => servers.trustHostKey(serverId, actor.organizationId, fingerprint)),
      ),
    setTrusted: ({ write }, { serverId, trusted }) => write(() => servers.setTrusted(serverId, trusted)),
    async remove({ actor, write }, { serverId }) {
      const removed = await write(() => servers.remove(serverId, actor.organizationId));
      await setup.forget(serverId);
      changed(serverId);
      return removed;
    },
    services: async ({ actor }, { serverId, ...page }) =>
      paginate(await forgetting.services(serverId, actor.organizationId), page, ({ serviceId }) => serviceId),
    async forget(context, input) {
      const forgotten = await forgetting.forget(context, input);
      await setup.forget(input.serverId);
      return forgotten;
    },
    async setup({ actor, write }, { serverId }) {
      const record = await write(async () => setup.accept(await servers.one(serverId, actor.organizationId)));
      setup.wake();
      return record;
    },
    async *setupLogs(
      { actor, lastEventId, signal, follow },
      { serverId },
    ): AsyncIterable<StreamEvent<LogEvent>> {
      const server = await servers.one(serverId, actor.organizationId);
      let last = Number(lastEventId ?? 0) || 0;
      for await (const { position, text } of setup.follow(server, { from: last, signal, live: follow })) {
        last = position;
        yield { id: String(position), data: { type: 'line', text } };
      }
      const { setupStatus } = await servers.one(serverId, actor.organizationId);
      const outcome = setupStatus === 'done' ? 'success' : setupStatus;
      yield { id: String(last), data: { type: 'end', outcome } };
    },
    async validate({ actor }, { serverId }) {
      return inspect.installation(await servers.one(serverId, actor.organizationId));
    },
    async security({ actor }, { serverId }) {
      return inspect.security(await servers.one(serverId, actor.organizationId));
    },
    async setupMonitoring({ actor, write }, { serverId, metricsConfig }) {
      const record = await write(() =>
        servers.configureMonitoring(serverId, actor.organizationId, metricsConfig),
      );
      await monitoring.setUp(record).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error;
        throw new AppError(
          error.code,
          `${sentenceOf(error)} The configuration is kept; set it up again then.`,
          {
            cause: error,
          },
        );
      });
      return record;
    },
    async getServerMetrics({ actor }, { url, token, dataPoints }) {
      const server = await servers.ofMetricsEndpoint(url, actor.organizationId);
      const agent = await monitoring.agentOf(server, new Secret(token));
      return (await agent.newest(dataPoints)).map(machinePoint);
    },
    async metrics({ actor }, { serverId, since, points }) {
      const range = rangeOf({ since, points });
      if (serverId)
        return (
          await (await monitoring.agentOf(await servers.one(serverId, actor.organizationId))).machine(range)
        ).map(machinePoint);
      if (!(await isInstallations(actor.organizationId)))
        throw new AppError(
          'FORBIDDEN',
          "Only the installation's organization may see Berth's own machine. Name a server of yours in " +
            'serverId.',
        );
      return (await own.machine(range)).map(machinePoint);
    },
  };
}
