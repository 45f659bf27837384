/**
 * `npm run dev`: Berth from its sources on an engine in memory, with seeds, and the dashboard with reload.
 * Needs no root, no Docker and no ports below 1024, and touches no engine of the machine. Everything is
 * gone when it ends.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createEngineInMemory } from '../../test/engine-in-memory/engine-in-memory.ts';
import { createAdminServer, createEngineServer } from '../../test/engine-in-memory/engine-server.ts';
import { mountedPrograms } from '../../test/kill-matrix/images.ts';
import { addImages, proxyImage } from './images.ts';
import { owner, seed } from './seeds.ts';

const root = join(import.meta.dirname, '../..');
const startLimitMs = 60_000;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4000' },
    'dashboard-port': { type: 'string', default: '5173' },
    inspect: { type: 'boolean', default: false },
    'api-only': { type: 'boolean', default: false },
  },
});
const url = `http://localhost:${values.port}`;
const folder = mkdtempSync(join(tmpdir(), 'berth-dev-'));
const children = new Set<ChildProcess>();

process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop(0));

try {
  for (const port of values['api-only'] ? [values.port] : [values.port, values['dashboard-port']])
    await requireFree(port);
  await serveEngine();
  startBerth();
  await answers();
  await seed(url);
  if (!values['api-only']) startDashboard();
  process.stdout.write(welcome());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  await stop(1);
}

async function requireFree(port: string): Promise<void> {
  const server = createServer().listen(Number(port), '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (cause) {
    const option = port === values.port ? '--port' : '--dashboard-port';
    throw new Error(`Port ${port} is taken: end what listens there, or choose another with ${option}.`, {
      cause,
    });
  }
  await new Promise((resolve) => server.close(resolve));
}

/** The engine outlives Berth, which starts anew after each change of its sources. */
async function serveEngine(): Promise<void> {
  const memory = createEngineInMemory({ mountedPrograms });
  addImages(memory);
  mkdirSync(join(folder, 'data', 'proxy'), { recursive: true });
  const engine = createEngineServer(memory).listen(join(folder, 'engine.sock'));
  const admin = createAdminServer().listen(join(folder, 'data', 'proxy', 'admin.sock'));
  await Promise.all([engine, admin].map((server) => once(server, 'listening')));
}

function startBerth(): void {
  const inspect = values.inspect ? ['--inspect'] : [];
  start(process.execPath, [...inspect, '--watch', '--watch-preserve-output', 'tools/dev/berth.ts'], root, {
    BERTH_DATA: join(folder, 'data'),
    BERTH_ENGINE_SOCKET: join(folder, 'engine.sock'),
    BERTH_HOST: '127.0.0.1',
    BERTH_PORT: values.port,
    BERTH_URL: url,
    BERTH_PROXY_IMAGE: proxyImage,
    BERTH_SQLITE_SYNCHRONOUS: 'NORMAL',
    BERTH_LOG_LEVEL: 'warn',
  });
}

function startDashboard(): void {
  const vite = join(root, 'web/node_modules/vite/bin/vite.js');
  const argv = [vite, '--port', values['dashboard-port'], '--strictPort', '--logLevel', 'warn'];
  start(process.execPath, argv, join(root, 'web'), { BERTH_URL: url });
}

function start(program: string, argv: string[], cwd: string, env: Record<string, string>): void {
  const child = spawn(program, argv, { cwd, env: { ...process.env, ...env }, stdio: 'inherit' });
  children.add(child);
  child.once('exit', (code) => {
    children.delete(child);
    if (code !== null && code !== 0) void stop(code);
  });
}

async function answers(): Promise<void> {
  for (const end = Date.now() + startLimitMs; Date.now() < end; await wait(100)) {
    const answer = await fetch(`${url}/api/health`).catch(() => undefined);
    if (answer?.ok) return;
  }
  throw new Error(`Berth did not answer at ${url} within ${startLimitMs / 1000} s; its log stands above.`);
}

function welcome(): string {
  return [
    '',
    values['api-only']
      ? `Berth     ${url}`
      : `Dashboard http://localhost:${values['dashboard-port']}  (reloads by itself)`,
    `Interface ${url}/api  (Berth starts anew when a source changes)`,
    `Sign in   ${owner.email} / ${owner.password}`,
    `Engine    in memory: images demo/web:1, demo/api:1, demo/worker:1, demo/fails:1, redis:8`,
    `Ctrl+C ends it and leaves nothing behind.`,
    '',
    '',
  ].join('\n');
}

async function stop(code: number): Promise<void> {
  await Promise.all(
    [...children].map(async (child) => {
      child.removeAllListeners('exit');
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }),
  );
  process.exit(code);
}
