/** Monitoring of a server: its figures beside those of the kernel, df and "docker stats". */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { nodeFlags } from '../../../server/src/domain/resources/node-flags.ts';
import type { BedHost } from '../../bed/host/host.ts';
import type { BerthHost } from '../fixtures/berth-host.ts';
import type { Services } from '../hosts/services.ts';
import { docker, output, until } from '../fixtures/applications.ts';

interface Point {
  timestamp: string;
  cpu: number;
  memory: { used: number; total: number; percent: number };
  disk: { used: number; total: number };
  network: { in: number; out: number };
}

interface ServicePoint {
  containers: number;
  cpu: number;
  memory: { used: number; limit: number };
}

interface Watched {
  berth: BerthHost;
  server: BedHost;
  serverId: string;
  services: Services;
}

const token = 'of the monitoring';
const mib = 1024 * 1024;

export async function watchServer({ berth, server, serverId, services }: Watched): Promise<'measured'> {
  const told = await callbackReceiver(server.ip.replace(/\.\d+$/, '.1'));
  await berth.call('settings.update', { allowedPrivateNetworks: [`${told.address}/32`] });
  const metricsConfig = {
    server: {
      refreshRate: 2,
      port: 4500,
      token,
      urlCallback: told.url,
      retentionDays: 2,
      cronJob: '0 0 * * *',
      thresholds: { cpu: 0, memory: 1 },
    },
    containers: { refreshRate: 2, services: { include: [], exclude: ['berth-monitoring'] } },
  };
  await berth.call('server.setupMonitoring', { serverId, metricsConfig });
  const points = (): Promise<Point[]> => berth.call<Point[]>('server.metrics', { serverId });
  await until('it has measured three times', async () => (await points()).length >= 3, 60_000);
  await likeItsKernel(server, points);
  const { applicationId: serviceId } = services;
  await until(
    'the service was measured',
    async () => (await berth.call<[]>('service.metrics', { serviceId })).length > 1,
  );
  await likeItsEngine(berth, server, serviceId);
  await likeTheDocument(berth, server);
  await until('the callback was told', async () => told.bodies.length > 0, 60_000);
  expect(told.bodies[0]).toMatchObject({ type: 'memory', threshold: 1, serverId, serverName: 'far' });
  // A change takes its place; a third setting of the same changes nothing.
  const quiet = { ...metricsConfig, server: { ...metricsConfig.server, thresholds: { cpu: 0, memory: 0 } } };
  await berth.call('server.setupMonitoring', { serverId, metricsConfig: quiet });
  const container = await agentContainer(server);
  await berth.call('server.setupMonitoring', { serverId, metricsConfig: quiet });
  expect(await agentContainer(server)).toBe(container);
  expect((await points()).length, 'what was measured before is kept').toBeGreaterThan(0);
  await likeABareProgram(server, container);
  // It opens no port.
  expect(
    await output(server, docker, 'service', 'inspect', 'berth-monitoring', '--format', '{{.Endpoint.Ports}}'),
  ).toBe('[]');
  told.close();
  return 'measured';
}

async function likeItsKernel(server: BedHost, points: () => Promise<Point[]>): Promise<void> {
  const meminfo = await output(server, 'cat', '/proc/meminfo');
  const kilobytes = (name: string): number => Number(RegExp(`^${name}: +(\\d+)`, 'm').exec(meminfo)?.[1]);
  const [, disk = ''] = (await output(server, 'df', '-B1', '--output=size,used', '/var/lib/docker')).split(
    '\n',
  );
  const [size, used] = disk.trim().split(/ +/).map(Number);
  const last = (await points()).at(-1);
  expect(last?.memory.total).toBe(kilobytes('MemTotal') * 1024);
  const memoryUsed = (kilobytes('MemTotal') - kilobytes('MemAvailable')) * 1024;
  console.log(
    `memory: measured ${Math.round((last?.memory.used ?? 0) / mib)} MiB, ` +
      `/proc ${Math.round(memoryUsed / mib)} MiB; ` +
      `disk: measured ${last?.disk.used ?? 0}, df ${used ?? 0}; processor ${last?.cpu ?? 0} %`,
  );
  // The machine does other things between the two looks.
  expect(Math.abs((last?.memory.used ?? 0) - memoryUsed)).toBeLessThan(0.2 * kilobytes('MemTotal') * 1024);
  expect(last?.disk.total).toBe(size);
  expect(Math.abs((last?.disk.used ?? 0) - (used ?? 0))).toBeLessThan(0.05 * (size ?? 0));
  expect(last?.cpu).toBeGreaterThan(0);
  expect(last?.cpu).toBeLessThanOrEqual(100);
}

async function likeItsEngine(berth: BerthHost, server: BedHost, serviceId: string): Promise<void> {
  const id = await output(server, docker, 'ps', '-q', '--filter', `label=berth.application=${serviceId}`);
  const shown = await output(server, docker, 'stats', '--no-stream', '--format', '{{.MemUsage}}', id);
  const [, amount, unit = ''] = /^([0-9.]+)(\w+) /.exec(shown) ?? [];
  const bytes = Number(amount) * ({ B: 1, KiB: 1024, MiB: mib, GiB: 1024 * mib }[unit] ?? Number.NaN);
  const last = (await berth.call<ServicePoint[]>('service.metrics', { serviceId })).at(-1);
  console.log(`service: measured ${(last?.memory.used ?? 0) / mib} MiB, docker stats ${shown}`);
  expect(last?.containers).toBe(1);
  expect(Math.abs((last?.memory.used ?? 0) - bytes)).toBeLessThan(Math.max(2 * mib, 0.2 * bytes));
}

/** As a client of the interface document asks: with address and token. */
async function likeTheDocument(berth: BerthHost, server: BedHost): Promise<void> {
  const url = `http://${server.ip}:4500/metrics`;
  const found = await berth.call<Point[]>('server.getServerMetrics', { url, token, dataPoints: 2 });
  expect(found).toHaveLength(2);
  expect(await berth.ask('server.getServerMetrics', { url, token: 'another', dataPoints: 2 })).toMatchObject({
    status: 412,
    body: { message: expect.stringContaining('another token') },
  });
}

const agentContainer = (server: BedHost): Promise<string> =>
  output(server, docker, 'ps', '-q', '--no-trunc', '--filter', 'name=berth-monitoring');

/** Beside a program of the same Node.js that does nothing, in the same container. */
async function likeABareProgram(server: BedHost, container: string): Promise<void> {
  const bare =
    `/berth-agent/node-v* ${nodeFlags.join(' ')} ` +
    '-e "setTimeout(() => {}, 5000)" & sleep 3; ' +
    // The brackets keep this very shell from being what is found; the first is the container's init.
    'grep -l berth-agent/[p]rogram- /proc/[0-9]*/cmdline | tail -n 1 | sed s/cmdline/status/ | ' +
    'xargs grep -h VmRSS; grep -h VmRSS /proc/$!/status';
  const shown = await output(server, docker, 'exec', container, 'sh', '-c', bare);
  const [agent = 0, nothing = 0] = [...shown.matchAll(/VmRSS:\s+(\d+) kB/g)].map(
    ([, kb]) => Number(kb) / 1024,
  );
  console.log(`the agent takes ${agent.toFixed(1)} MiB, a bare program ${nothing.toFixed(1)} MiB`);
  expect(agent).toBeGreaterThan(nothing);
  expect(agent - nothing).toBeLessThan(30);
}

async function callbackReceiver(address: string) {
  const bodies: unknown[] = [];
  const receiver = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.once('end', () => {
      bodies.push({ ...JSON.parse(text), signature: request.headers['webhook-signature'] });
      response.end();
    });
  }).listen(0, '0.0.0.0');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  return { address, url: `http://${address}:${port}/thresholds`, bodies, close: () => receiver.close() };
}
