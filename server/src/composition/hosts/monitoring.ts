/** What measures: Berth its own machine, agents the servers. */
import { join } from 'node:path';
import { createMonitoringAgent } from '../../adapters/metrics/agent-client.ts';
import { readAgentProgram } from '../../adapters/metrics/agent-program.ts';
import { createCollector, type RunningCollector } from '../../adapters/metrics/collector.ts';
import { builderImage } from '../../domain/names/platform-images.ts';
import { sentenceOf } from '../../domain/errors.ts';
import { sayChanges } from '../../domain/text/say-changes.ts';
import { createServerMonitoring, type ServerMonitoring } from '../../modules/server/monitoring/monitoring.ts';
import type { AgentProgram, CollectorSettings } from '../../ports/metrics.ts';
import type { Ground } from '../ground.ts';
import { agentBundle } from '../product-files.ts';
import type { Machines } from './machines.ts';
import type { Product } from '../product.ts';

export interface Monitoring {
  monitoring: ServerMonitoring;
  /** Of Berth's own machine. */
  ownCollector: RunningCollector;
}

/** Of Berth's own machine; nobody is called back, since alarms look at it. */
const ownSettings: CollectorSettings = {
  refreshMs: 10_000,
  containersRefreshMs: 10_000,
  retentionDays: 7,
  cleanUpAt: '30 3 * * *',
  thresholds: { cpu: 0, memory: 0 },
  include: [],
  exclude: [],
};

export function createMonitoring(
  { config, stores, adapters, clock, log, local }: Ground,
  { hosts, servers }: Pick<Machines, 'hosts' | 'servers'>,
  { notifying, renewals }: Pick<Product, 'notifying' | 'renewals'>,
): Monitoring {
  let program: Promise<AgentProgram> | undefined;
  const told = sayChanges((words) => log.warn('Monitoring', { words }));
  return {
    monitoring: createServerMonitoring({
      servers: stores.servers,
      async connected(serverId) {
        const host = await hosts.of(serverId);
        return { host, shell: await servers.shell(serverId) };
      },
      find: hosts.find,
      agentOf: createMonitoringAgent,
      program: () => (program ??= readAgentProgram(agentBundle)),
      image: builderImage,
      renewals,
      outgoing: adapters.outgoing,
      tell: notifying.tell,
      clock,
      onFault: (error, serverId) => told(`${serverId}: ${sentenceOf(error)}`),
    }),
    ownCollector: createCollector({
      settings: ownSettings,
      engineSocket: local.engineSocket,
      folder: join(config.data, 'metrics'),
      ...(local.measured ?? { proc: '', disks: [] }),
      onPassing: () => undefined,
      onFault: (error) => told(`own machine: ${sentenceOf(error)}`),
    }),
  };
}
