/** What is measured on installations of the bench's own, without an engine: 1,000 and 3,000 services. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from './bench.ts';
import { startBrowser } from '../test/web/browser.ts';
import { serveFlood } from './load/flood.ts';
import { serveBarePage } from './baseline/page.ts';
import { copyInstallation, fillInstallation } from './data.ts';
import { median, type Figure } from './figure.ts';
import { commandLineFigures } from './figures/command-line.ts';
import { dashboardFigures } from './figures/dashboard.ts';
import { eventStreams } from './figures/event-streams.ts';
import { listLargeOrganization } from './figures/large-list.ts';
import { endOfLog } from './figures/logs.ts';
import type { Pair } from './figures/pair.ts';
import { idleMemory, memoryAfterLoad, startTime } from './figures/process.ts';
import { readsOnPostgres } from './figures/postgres.ts';
import { changeRequests, readRequests } from './figures/requests.ts';
import { acceptDeployments, listServices } from './figures/single-calls.ts';
import { fillLargeInstallation } from './large-data.ts';
import { startPostgres } from '../test/bed/postgres.ts';
import { startServer, type ServerProcess } from './server-process.ts';

const starts = 5;
const idleMs = 5000;

export async function requestFigures({ folder, say }: Bench): Promise<Figure[]> {
  say('1,000 services …');
  const data = { berth: join(folder, 'berth'), baseline: join(folder, 'baseline') };
  const installation = await fillInstallation(data.berth);
  await copyInstallation(data.berth, data.baseline);
  const headers = { 'x-api-key': installation.apiKey };
  const path = `/api/application.one?applicationId=${installation.applicationId}`;
  const start = (who: keyof typeof data): Promise<ServerProcess> =>
    startServer({
      program: who,
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
      return [...figures, await memoryAfterLoad(pair)];
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
  email: string;
  password: string;
  applicationId: string;
  headers: { 'x-api-key': string };
  /** Of the newest deployment of one application. */
  path: string;
}

/** A Berth of its own with 1,000 services, in the folder of that name. */
async function startFilled(folder: string, name: string, databaseUrl?: string): Promise<Filled> {
  const data = join(folder, name);
  const { apiKey, applicationId, email, password } = await fillInstallation(data, databaseUrl);
  const headers = { 'x-api-key': apiKey };
  const path = `/api/deployment.all?applicationId=${applicationId}&limit=1`;
  const berth = await startServer({
    program: 'berth',
    path,
    headers,
    environment: {
      BERTH_DATA: data,
      BERTH_ENGINE_SOCKET: join(folder, 'no-engine.sock'),
      BERTH_LOG_LEVEL: 'error',
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    },
  });
  return { berth, data, apiKey, email, password, applicationId, headers, path };
}

export async function commandFigures({ folder, say }: Bench): Promise<Figure[]> {
  say('The command line …');
  const { berth, apiKey } = await startFilled(folder, 'command');
  try {
    return await commandLineFigures({ url: berth.url, apiKey });
  } finally {
    await berth.stop();
  }
}

/** One Berth on each database. Needs root, as the PostgreSQL server of tests does. */
export async function postgresFigures({ folder, say }: Bench): Promise<Figure[]> {
  if (process.getuid?.() !== 0) {
    say('postgres is left out: it needs root for a PostgreSQL server of its own.');
    return [];
  }
  say('PostgreSQL beside SQLite …');
  const server = await startPostgres();
  const started: Filled[] = [];
  try {
    started.push(await startFilled(folder, 'on-postgres', server.url));
    started.push(await startFilled(folder, 'on-sqlite'));
    const [postgres, sqlite] = started.map(({ berth, applicationId, headers }) => ({
      berth,
      headers,
      path: `/api/application.one?applicationId=${applicationId}`,
    }));
    return postgres && sqlite ? [await readsOnPostgres(postgres, sqlite)] : [];
  } finally {
    for (const { berth } of started) await berth.stop();
    await server.stop();
  }
}

/** On a server of its own, as the next. */
export async function eventFigures({ folder, say }: Bench): Promise<Figure[]> {
  say('200 streams of events …');
  const { berth, applicationId, headers } = await startFilled(folder, 'events');
  try {
    await sleep(idleMs);
    return await eventStreams({ berth, headers, applicationId });
  } finally {
    await berth.stop();
  }
}

const lineCount = 1_000_000;

/** In Chromium, beside React alone. */
export async function pageFigures({ root, folder, say }: Bench): Promise<Figure[]> {
  say('The dashboard …');
  const { berth, data, headers, path, ...account } = await startFilled(folder, 'dashboard');
  const flood = await serveFlood(berth.url, floodLines);
  const bare = await serveBarePage(root, join(folder, 'bare'), {
    berthUrl: berth.url,
    logsUrl: flood.url,
  });
  const browser = await startBrowser();
  try {
    const answer = await fetch(`${berth.url}${path}`, { headers, signal: AbortSignal.timeout(30_000) });
    const [, deploymentId = ''] = /"deploymentId":"([^"]+)"/.exec(await answer.text()) ?? [];
    await mkdir(join(data, 'logs'), { recursive: true });
    await writeFile(join(data, 'logs', `${deploymentId}.log`), longLogText());
    return await dashboardFigures({
      browser,
      urls: { dashboard: berth.url, bare: bare.url },
      folders: { dashboard: join(root, 'dist/web'), bare: bare.folder },
      ...account,
      deploymentId,
      lineCount,
      floodUrl: flood.url,
      floodLines,
      // One every five seconds.
      changesOfAnHour: 720,
    });
  } finally {
    await browser.close();
    await bare.close();
    await flood.close();
    await berth.stop();
  }
}

/** Lines a second of a log that is followed. */
const floodLines = 10_000;

/** Ten lines of it tell of a full disk. */
const longLogText = (): string =>
  Array.from({ length: lineCount }, (_, at) => {
    const text = (at + 1) % 100_000 === 0 ? 'error: the disk is full' : `GET /orders/${at + 1} 200 in 12 ms`;
    return `2026-06-03T00:00:00.000Z ${text}\n`;
  }).join('');

/** On a server of its own, whose memory nothing else moves. */
export async function logFigures({ folder, say }: Bench): Promise<Figure[]> {
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
export async function largeFigure({ folder, say }: Bench): Promise<Figure> {
  say('3,000 services …');
  const data = { berth: join(folder, 'large'), baseline: join(folder, 'large-baseline') };
  const organization = await fillLargeInstallation(data.berth);
  await copyInstallation(data.berth, data.baseline);
  const berth = await startServer({
    program: 'berth',
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
