import { AppError } from '../../domain/errors.ts';
import { reachOf } from '../../domain/access/permissions.ts';
import { serviceKey } from '../../domain/names/service-ref.ts';
import type { EndedLine, EndedOutputs, KeptTask } from '../../ports/ended-output.ts';
import type { Collector } from '../../ports/metrics.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { Conditions } from './conditions.ts';
import type { serviceContract } from './contract.ts';
import { rangeOf, servicePointOf } from '../server/monitoring/points.ts';
import { refOfService } from './record-lists.ts';
import type { LiveReader, NewestDeployment, PlacedService, ServiceReads } from './service.ts';

export interface ServiceDesk {
  services: ServiceReads;
  conditions: Pick<Conditions, 'of'>;
  liveOf: LiveReader;
  endedOutputs: Pick<EndedOutputs, 'tasks' | 'lines'>;
  /** What measures the services of a server; null: of Berth's own machine. */
  measuredOn(
    serverId: string | null,
    organizationId: string,
  ): Promise<Pick<Collector, 'service' | 'services'>>;
}

export function serviceHandlers({
  services,
  conditions,
  liveOf,
  measuredOn,
  endedOutputs,
}: ServiceDesk): Handlers<typeof serviceContract, CallContext> {
  /** Nothing of a server that is not monitored, or cannot be asked: its services are listed nevertheless. */
  async function measuredOf(serverId: string | null, organizationId: string): Promise<Measured> {
    try {
      const measured = await measuredOn(serverId, organizationId);
      return await measured.services({ since: Date.now() - dayMs, points: dayPoints });
    } catch (error) {
      if (error instanceof AppError) return new Map();
      throw error;
    }
  }
  return {
    async all({ actor }, { search, projectId, environmentId, limit, cursor }) {
      const { organizationId } = actor;
      const [placed, newest, addresses] = await Promise.all([
        services.placed(organizationId),
        services.newestDeployments(organizationId),
        services.addresses(organizationId),
      ]);
      const deployments = new Map(newest.map((one) => [one.serviceId, one]));
      const hosts = Map.groupBy(addresses, ({ serviceId }) => serviceId);
      const reaches = reachOf(actor);
      const isFound = matching(search);
      const visible = placed.filter(
        (service) =>
          (projectId === undefined || service.projectId === projectId) &&
          (environmentId === undefined || service.environmentId === environmentId) &&
          isFound([
            service.name,
            service.appName,
            ...(hosts.get(service.serviceId) ?? []).map(({ host }) => host),
          ]) &&
          reaches({ ...service, organizationId }),
      );
      const page = paginate(visible, { limit, cursor }, ({ serviceId }) => serviceId);
      const shown = (service: PlacedService) =>
        rowOf(service, {
          ...conditions.of(service),
          live: liveOf(refOfService(service)),
          deployment: deployments.get(service.serviceId),
          address: addressOf(hosts.get(service.serviceId)?.[0]),
        });
      return Array.isArray(page)
        ? page.map(shown)
        : { items: page.items.map(shown), nextCursor: page.nextCursor };
    },
    async endedTasks({ actor: { organizationId } }, { serviceId, limit, cursor }) {
      const tasks = await endedOutputs.tasks({ organizationId, serviceId });
      return paginate(tasks.map(endedTaskOf), { limit, cursor }, ({ task }) => task);
    },
    async endedOutput({ actor: { organizationId } }, { serviceId, task, tail, search }) {
      const lines = await endedOutputs.lines({ organizationId, serviceId }, task);
      if (!lines)
        throw new AppError(
          'NOT_FOUND',
          `No output is kept for the task ${task}. It may still be running, or be older than the setting ` +
            'endedOutputDays; service.endedTasks lists those that are kept.',
        );
      const newest: EndedLine[] = [];
      for await (const line of lines) {
        if (search !== undefined && !line.text.includes(search)) continue;
        newest.push(line);
        if (newest.length > tail) newest.shift();
      }
      return newest;
    },
    async usage({ actor }) {
      const { organizationId } = actor;
      const reaches = reachOf(actor);
      const visible = (await services.placed(organizationId)).filter((one) =>
        reaches({ ...one, organizationId }),
      );
      const byServer = [...Map.groupBy(visible, ({ serverId }) => serverId)];
      const found = await Promise.all(
        byServer.map(async ([serverId, placed]) =>
          usageOf(placed, await measuredOf(serverId, organizationId)),
        ),
      );
      return found.flat();
    },
    async metrics({ actor }, { serviceId, since, points }) {
      const { organizationId } = actor;
      const found = (await services.placed(organizationId)).find((one) => one.serviceId === serviceId);
      if (!found) throw new AppError('NOT_FOUND', 'There is no such service. It may have been removed.');
      const measured = await measuredOn(found.serverId, organizationId);
      const key = serviceKey(refOfService(found));
      return (await measured.service(key, rangeOf({ since, points }))).map(servicePointOf);
    },
  };
}

type Measured = Awaited<ReturnType<Collector['services']>>;

const dayMs = 86_400_000;
const mebibyte = 1024 * 1024;
/** One an hour. */
const dayPoints = 24;

function usageOf(placed: readonly PlacedService[], measured: Measured) {
  return placed.flatMap(({ serviceId, kind }) => {
    const found = measured.get(serviceKey(refOfService({ kind, serviceId })));
    if (!found) return [];
    const { newest, points } = found;
    return {
      serviceId,
      at: new Date(newest.at).toISOString(),
      cpu: newest.cpu,
      memory: { used: newest.memoryUsed, limit: newest.memoryLimit },
      day: points.map(({ memoryUsed }) => Math.round(memoryUsed / mebibyte)),
    };
  });
}

function endedTaskOf({ taskId, nodeId, serviceName, ...told }: KeptTask) {
  const { deploymentId, exitCode, reason, endedAt, bytes } = told;
  return { task: taskId, node: nodeId, service: serviceName, deploymentId, exitCode, reason, endedAt, bytes };
}

interface Seen extends ReturnType<Conditions['of']> {
  live: ReturnType<LiveReader>;
  deployment: NewestDeployment | undefined;
  address: string | null;
}

function rowOf(service: PlacedService, { live, deployment, condition, reason, address }: Seen) {
  const { serviceId, kind, name, appName, environmentId, environmentName, projectId, projectName } = service;
  const { serverId, status, createdAt } = service;
  return {
    serviceId,
    kind,
    name,
    appName,
    environmentId,
    environmentName,
    projectId,
    projectName,
    serverId,
    condition,
    reason,
    running: live?.running ?? 0,
    desired: live?.desired ?? 0,
    restarts: live?.restarts ?? 0,
    since: live?.since ?? null,
    lastExit: live?.lastExit ?? null,
    unreachableSince: live?.unreachableSince ?? null,
    status,
    deployment: deployment ?? null,
    address,
    createdAt,
  };
}

function matching(search: string | undefined): (texts: readonly string[]) => boolean {
  const looked = search?.trim().toLowerCase() ?? '';
  return looked === '' ? () => true : (texts) => texts.some((text) => text.toLowerCase().includes(looked));
}

function addressOf(domain: { host: string; path: string; https: boolean } | undefined): string | null {
  return domain === undefined
    ? null
    : `${domain.https ? 'https' : 'http'}://${domain.host}${domain.path === '/' ? '' : domain.path}`;
}
