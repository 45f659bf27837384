/** Servers through the HTTP interface; none is reached, and the agents of all have measured once. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createFileLogs } from '../../../server/src/adapters/deployment-log/file-log.ts';
import { createStores } from '../../../server/src/composition/stores.ts';
import type { Database } from '../../../server/src/db/database.ts';
import { AppError } from '../../../server/src/domain/errors.ts';
import type { MachineSample } from '../../../server/src/domain/resources/metrics.ts';
import { createQueue } from '../../../server/src/jobs/queue.ts';
import { serverContract } from '../../../server/src/modules/server/contract.ts';
import { serverHandlers } from '../../../server/src/modules/server/handlers.ts';
import { createServers } from '../../../server/src/modules/server/server.ts';
import { createServerSetup, type ServerSetup } from '../../../server/src/modules/server/setup/setup.ts';
import { createServerStore } from '../../../server/src/modules/server/store.ts';
import { systemClock } from '../../../server/src/ports/clock.ts';
import type { MonitoringAgent } from '../../../server/src/ports/metrics.ts';
import { router, type Router } from '../../../server/src/procedure/registry.ts';
import { baseDomainClaims } from './base-domain-claims.ts';

export const input = {
  name: 'Edge',
  description: null,
  ipAddress: '203.0.113.7',
  port: 22,
  username: 'root',
  sshKeyId: null,
  serverType: 'deploy',
};
export const shown = {
  serverId: expect.any(String),
  ...input,
  status: 'inactive',
  hostKeyFingerprint: null,
  setupStatus: 'idle',
  setupStage: null,
  setupError: null,
  buildsConcurrency: 1,
  metricsConfig: null,
  trusted: false,
  clusterServerId: null,
  baseDomain: null,
  createdAt: expect.any(String),
};
export const metricsConfig = {
  server: {
    refreshRate: 2,
    port: 4500,
    token: 'hidden-token',
    urlCallback: 'https://berth.example.com/api/metrics',
    retentionDays: 1,
    cronJob: '0 0 * * *',
    thresholds: { cpu: 0, memory: 100 },
  },
  containers: { refreshRate: 2.5, services: { include: ['shop*'], exclude: [] } },
};

const sample = {
  at: Date.parse('2026-01-01T00:00:00Z'),
  cpu: 12.5,
  memoryUsed: 1,
  memoryTotal: 4,
  diskUsed: 1,
  diskTotal: 3,
  networkIn: 5,
  networkOut: 6,
  load: 0.5,
};
export const point = {
  timestamp: '2026-01-01T00:00:00.000Z',
  cpu: 12.5,
  load: 0.5,
  memory: { used: 1, total: 4, percent: 25 },
  disk: { used: 1, total: 3, percent: 33.33 },
  network: { in: 5, out: 6 },
};

/** An agent that has measured once. */
function measured(token = 'hidden-token'): MonitoringAgent {
  const newest = async (): Promise<MachineSample[]> => {
    if (token !== 'hidden-token') throw new AppError('PRECONDITION_FAILED', 'It has another token.');
    return [sample];
  };
  return {
    newest,
    machine: newest,
    service: async () => [],
    services: async () => new Map(),
    digest: async () => '',
    passings: async () => [],
    told: async () => undefined,
  };
}

export const serverRouters = (database: Database): Router[] => [
  router(
    'server',
    serverContract,
    serverHandlers(createServers(createServerStore(database), systemClock), {
      changed: () => undefined,
      claims: baseDomainClaims(createStores(database)),
      setup: setupIn(database),
      forgetting: {
        services: () => Promise.reject(new Error('no server has services here')),
        forget: () => Promise.reject(new Error('no server has services here')),
      },
      inspect: {
        installation: () => Promise.reject(new Error('no server is reached here')),
        security: () => Promise.reject(new Error('no server is reached here')),
      },
      monitoring: {
        setUp: () => Promise.reject(new AppError('SERVICE_UNAVAILABLE', 'It cannot be reached.')),
        agentOf: async ({ name, metricsConfig: config }, token) => {
          if (config === null) throw new AppError('PRECONDITION_FAILED', `${name} has no monitoring.`);
          return measured(token?.reveal());
        },
      },
      own: measured(),
      isInstallations: async (organizationId) =>
        (await createStores(database).organizations.first()) === organizationId,
    }),
  ),
];

function setupIn(database: Database): ServerSetup {
  const { jobs, servers } = createStores(database);
  return createServerSetup({
    servers,
    queue: createQueue(jobs, systemClock, () => undefined),
    logs: createFileLogs(join(tmpdir(), 'berth-no-logs'), systemClock),
    contextOf: () => Promise.reject(new Error('no server is reached here')),
    onFault: () => 'fault',
  });
}
