/**
 * `npm run bench [requests] [logs] [command] [deployments] [builders] [backups] [domains]`: the figures we
 * promise, each beside its baseline in the same run. Prints the table; a whole run writes bench/results.md.
 * Deployments, builders and domains need root, for an engine of their own in the test bed.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mustRun } from '../images/command.ts';
import { copyInstallation, fillInstallation } from './data.ts';
import { median, type Figure } from './figure.ts';
import { backupFigures } from './figures/backups.ts';
import { builderFigures } from './figures/builders.ts';
import { commandLineFigures } from './figures/command-line.ts';
import { deploymentFigures } from './figures/deployments.ts';
import { domainFigures } from './figures/domains.ts';
import { listLargeOrganization } from './figures/large-list.ts';
import { idleMemory, memoryAfterLoad, startTime } from './figures/process.ts';
import { endOfLog } from './figures/logs.ts';
import type { Pair } from './figures/pair.ts';
import { changeRequests, readRequests } from './figures/requests.ts';
import { acceptDeployments, listServices } from './figures/single-calls.ts';
import { fillLargeInstallation } from './large-data.ts';
import { hasWrk } from './load/wrk.ts';
import { broken, report } from './report.ts';
import { startServer, type ServerProcess } from './server-process.ts';

const root = join(import.meta.dirname, '..');
const starts = 5;
const idleMs = 5000;
const say = (text: string): void => void process.stderr.write(`${text}\n`);

async function requestFigures(folder: string): Promise<Figure[]> {
  say('1,000 services …');
  const data = { berth: join(folder, 'berth'), baseline: join(folder, 'baseline') };
  const installation = await fillInstallation(data.berth);
  await copyInstallation(data.berth, data.baseline);
  const headers = { 'x-api-key': installation.apiKey };
  const path = `/api/application.one?applicationId=${installation.applicationId}`;
  const start = (who: keyof typeof data): Promise<ServerProcess> =>
    startServer({
      script: who === 'berth' ? 'server/src/main.js' : 'bench/baseline/server.js',
      path,
      headers,
      environment: {
        BERTH_DATA: data[who],
        BERTH_ENGINE_SOCKET: join(folder, 'no-engine.sock'),
        BERTH_LOG_LEVEL: 'error',
      },
    });

  say(`${starts} starts …`);
  const first: Record<keyof typeof data, number[]> = { berth: [], baseline: [] };
  for (let index = 0; index < starts; index += 1) {
    for (const who of ['baseline', 'berth'] as const) {
      const server = await start(who);
      first[who].push(server.firstAnswerMs);
      await server.stop();
    }
  }
  const baseline = await start('baseline');
  try {
    const berth = await start('berth');
    try {
      const pair: Pair = { berth, baseline, installation, headers };
      await sleep(idleMs);
      const figures = [startTime(median(first.berth), median(first.baseline)), idleMemory(pair)];
      for (const [name, measure] of [
        ['application.one', readRequests],
        ['application.update', changeRequests],
        ['lists', listServices],
        ['deploy', acceptDeployments],
      ] as const) {
        say(`${name} …`);
        figures.push(await measure(pair));
      }
      return [...figures, memoryAfterLoad(pair)];
    } finally {
      await berth.stop();
    }
  } finally {
    await baseline.stop();
  }
}

interface Filled {
  berth: ServerProcess;
  data: string;
  apiKey: string;
  headers: { 'x-api-key': string };
  /** Of the newest deployment of one application. */
  path: string;
}

/** A Berth of its own with 1,000 services, in the folder of that name. */
async function startFilled(folder: string, name: string): Promise<Filled> {
  const data = join(folder, name);
  const { apiKey, applicationId } = await fillInstallation(data);
  const headers = { 'x-api-key': apiKey };
  const path = `/api/deployment.all?applicationId=${applicationId}&limit=1`;
  const berth = await startServer({
    script: 'server/src/main.js',
    path,
    headers,
    environment: {
      BERTH_DATA: data,
      BERTH_ENGINE_SOCKET: join(folder, 'no-engine.sock'),
      BERTH_LOG_LEVEL: 'error',
    },
  });
  return { berth, data, apiKey, headers, path };
}

async function commandFigures(folder: string): Promise<Figure[]> {
  say('The command line …');
  const { berth, apiKey } = await startFilled(folder, 'command');
  try {
    return await commandLineFigures({ url: berth.url, apiKey });
  } finally {
    await berth.stop();
  }
}

/** On a server of its own, whose memory nothing else moves. */
async function logFigures(folder: string): Promise<Figure[]> {
  say('A log of 1 GB …');
  const { berth, data, headers, path } = await startFilled(folder, 'logs');
  try {
    await sleep(idleMs);
    const answer = await fetch(`${berth.url}${path}`, { headers, signal: AbortSignal.timeout(30_000) });
    const [, deploymentId = ''] = /"deploymentId":"([^"]+)"/.exec(await answer.text()) ?? [];
    return await endOfLog({ berth, data, headers, deploymentId });
  } finally {
    await berth.stop();
  }
}

/** On servers of its own, so that the other figures stand for 1,000 services. */
async function largeFigure(folder: string): Promise<Figure> {
  say('3,000 services …');
  const data = { berth: join(folder, 'large'), baseline: join(folder, 'large-baseline') };
  const organization = await fillLargeInstallation(data.berth);
  await copyInstallation(data.berth, data.baseline);
  const berth = await startServer({
    script: 'server/src/main.js',
    path: '/api/project.all?limit=1',
    headers: { 'x-api-key': organization.apiKey },
    environment: {
      BERTH_DATA: data.berth,
      BERTH_ENGINE_SOCKET: join(folder, 'no-engine.sock'),
      BERTH_LOG_LEVEL: 'error',
    },
  });
  try {
    return await listLargeOrganization(berth, organization, data.baseline);
  } finally {
    await berth.stop();
  }
}

const groups = ['requests', 'logs', 'command', 'deployments', 'builders', 'backups', 'domains'] as const;
const named = groups.filter((group) => process.argv.slice(2).includes(group));
const wanted = new Set(named.length === 0 ? groups : named);
const circumstances = {
  load: loadavg()[0] ?? 0,
  generator: hasWrk() ? 'wrk' : 'our own generator (wrk is not installed)',
};
const folder = await mkdtemp(join(tmpdir(), 'berth-bench-'));
try {
  const figures: Figure[] = [];
  if (wanted.has('requests') || wanted.has('logs') || wanted.has('command')) {
    say('Compiling …');
    await mustRun([join(root, 'node_modules/.bin/tsc'), '-p', 'bench/tsconfig.json'], {
      cwd: root,
      limitMs: 120_000,
    });
  }
  if (wanted.has('requests')) figures.push(...(await requestFigures(folder)), await largeFigure(folder));
  if (wanted.has('logs')) figures.push(...(await logFigures(folder)));
  if (wanted.has('command')) figures.push(...(await commandFigures(folder)));
  if (wanted.has('deployments') && process.getuid?.() === 0)
    figures.push(...(await deploymentFigures(root, say)));
  else if (wanted.has('deployments')) say('Deployments are not measured: the test bed needs root.');
  if (wanted.has('builders') && process.getuid?.() === 0) figures.push(...(await builderFigures(say)));
  if (wanted.has('backups') && process.getuid?.() === 0) figures.push(...(await backupFigures(root, say)));
  if (wanted.has('domains') && process.getuid?.() === 0) figures.push(...(await domainFigures(root, say)));
  const text = report(figures, circumstances);
  process.stdout.write(text);
  if (wanted.size === groups.length)
    await writeFile(join(root, 'bench/results.md'), `# Figures\n\nWritten by \`npm run bench\`.\n\n${text}`);
  const missed = broken(figures, circumstances);
  if (missed.length > 0) say(`Missed: ${missed.map(({ name }) => name).join('; ')}`);
  process.exitCode = missed.length === 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
