/** A threshold that a machine passes: seen by the agent itself, told to the callback and as an event. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { homeOutgoing } from '../../../../../test/integration/git/outgoing-fixture.ts';
import { serverRecord } from '../../../../../test/kill-matrix/neighbours.ts';
import { createMonitoringAgent } from '../../../adapters/metrics/agent-client.ts';
import { readAgentProgram } from '../../../adapters/metrics/agent-program.ts';
import type { AgentConfig } from '../../../adapters/metrics/agent.ts';
import type { Fact } from '../../../domain/states/fact.ts';
import { Secret } from '../../../domain/secrets/secret.ts';
import { systemClock } from '../../../ports/clock.ts';
import { createRenewals } from '../../platform-service/platform-service.ts';
import { installationDigest } from './installation.ts';
import { createServerMonitoring } from './monitoring.ts';

const token = 'of the monitoring';
const waiting = { timeout: 60_000, interval: 100 };

async function callback() {
  const bodies: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.once('end', () => {
      bodies.push(JSON.parse(text));
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { bodies, url: `http://127.0.0.1:${port}/thresholds`, close: () => server.close() };
}

it('is told to the callback and as an event, once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-agent-'));
  const told = await callback();
  // Every machine uses more than one hundredth of its memory.
  const thresholds = { cpu: 0, memory: 1 };
  const retention = { retentionDays: 2, cronJob: '0 0 * * *' };
  const containers = { refreshRate: 1, services: { include: [], exclude: [] } };
  const server = {
    ...serverRecord('first'),
    metricsToken: token,
    metricsConfig: {
      server: { refreshRate: 1, port: 4500, token, urlCallback: told.url, ...retention, thresholds },
      containers,
    },
  };
  const settings = {
    refreshMs: 1000,
    containersRefreshMs: 1000,
    retentionDays: 2,
    cleanUpAt: '0 0 * * *',
    thresholds,
    include: [],
    exclude: [],
  };
  const program = await readAgentProgram();
  const config: AgentConfig = {
    settings,
    tokenHash: createHash('sha256').update(token).digest('hex'),
    digest: installationDigest({ program, settings, token: new Secret(token) }),
    places: { engineSocket: join(folder, 'no-engine.sock'), proc: '/proc' },
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  const entry = join(import.meta.dirname, '../../../adapters/metrics/agent.ts');
  const agent = spawn(process.execPath, [entry, folder], { stdio: 'ignore' });
  const facts: Fact[] = [];
  const faults: unknown[] = [];
  const host = { key: server.serverId, agent: { socket: join(folder, 'run', 'metrics.sock') } };
  const monitoring = createServerMonitoring({
    servers: { find: async () => server, list: async () => [server] },
    connected: () => Promise.reject(new Error('Nothing is set up here.')),
    find: async () => Object(host),
    agentOf: createMonitoringAgent,
    program: async () => program,
    image: 'none',
    outgoing: homeOutgoing,
    renewals: createRenewals(systemClock),
    tell: async (fact) => void facts.push(fact),
    clock: systemClock,
    onFault: (error) => void faults.push(error),
  });
  try {
    await vi.waitFor(async () => {
      await monitoring.look();
      expect(facts.length).toBeGreaterThan(0);
    }, waiting);
    expect(facts[0]).toMatchObject({
      event: 'thresholdPassed',
      organizationId: 'first',
      subject: { type: 'server', id: server.serverId, name: 'frankfurt' },
      sentence: expect.stringMatching(
        /^Memory of the server frankfurt is at [\d.]+ %, over its threshold of 1 %\.$/,
      ),
    });
    expect(told.bodies[0]).toMatchObject({ type: 'memory', threshold: 1, serverId: server.serverId });
    // What was told is told once, however often somebody looks.
    const asked = createMonitoringAgent({
      socketPath: host.agent.socket,
      serverName: 'it',
      token: new Secret(token),
    });
    await vi.waitFor(async () => expect(await asked.passings()).toEqual([]), waiting);
    const before = facts.length;
    await monitoring.look();
    await asked.digest();
    expect([facts.length, told.bodies.length]).toEqual([before, before]);
    expect(faults).toEqual([]);
  } finally {
    agent.kill();
    await once(agent, 'exit');
    told.close();
    rmSync(folder, { recursive: true });
  }
});
