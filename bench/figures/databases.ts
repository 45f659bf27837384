/** Databases on a real engine: Berth's share of the time until a new PostgreSQL answers its user. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { BerthHost } from '../../test/e2e/fixtures/berth-host.ts';
import { amount, median, type Figure } from '../figure.ts';

const rounds = 5;
const shareBudgetMs = 500;
const answerLimitMs = 60_000;
const image = 'berth/postgres:15';
const password = 'Secret-1';
const firstPort = 25_000;

/** On a host that is at rest; the databases are removed again. */
export async function databaseShare(berth: BerthHost): Promise<Figure> {
  const { environment } = await berth.call<{ environment: { environmentId: string } }>('project.create', {
    name: 'databases',
  });
  const { environmentId } = environment;
  // The first one makes the environment's network, which the others have too.
  await byBerth(berth, environmentId, firstPort);
  const own: number[] = [];
  const byHand: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    byHand.push(await withCommands(berth, `berth-${environmentId}`, firstPort + 2 * round));
    own.push(await byBerth(berth, environmentId, firstPort + 2 * round + 1));
  }
  const share = median(own.map((ms, index) => ms - (byHand[index] ?? NaN)));
  return {
    name: "platform's share of a PostgreSQL deployment",
    kind: 'absolute',
    measured: `${amount(share, 'ms')} (${amount(median(own), 'ms')} accepted to answering)`,
    baseline: `${amount(median(byHand), 'ms')} by docker service create with the same health check`,
    budget: `≤ ${shareBudgetMs} ms`,
    isKept: share <= shareBudgetMs,
  };
}

/** Milliseconds from the answer of `deploy` to the first answer of the server. */
async function byBerth(berth: BerthHost, environmentId: string, port: number): Promise<number> {
  const { postgresId } = await berth.call<{ postgresId: string }>('postgres.create', {
    name: `own-${port}`,
    appName: `own-${port}`,
    databaseName: 'shop',
    databaseUser: 'ann',
    databasePassword: password,
    environmentId,
    containerImage: image,
  });
  await berth.call('postgres.saveExternalPort', { postgresId, externalPort: port });
  await berth.call('postgres.deploy', { postgresId });
  const accepted = performance.now();
  await answers(berth.host.ip, port);
  const took = performance.now() - accepted;
  await settled(berth, postgresId);
  await berth.call('postgres.remove', { postgresId });
  return took;
}

/** The same service by one command; milliseconds from its start. */
async function withCommands({ host }: BerthHost, network: string, port: number): Promise<number> {
  const name = `hand-${port}`;
  const rest = [
    'service',
    'create',
    '--quiet',
    '--detach',
    '--no-resolve-image',
    '--name',
    name,
    '--network',
    network,
    '--endpoint-mode',
    'dnsrr',
    '--init',
    '--stop-grace-period',
    '45s',
    '--publish',
    `mode=host,published=${port},target=5432`,
    '--mount',
    `type=volume,src=${name},dst=/var/lib/postgresql/data`,
    '--env',
    'POSTGRES_USER=ann',
    '--env',
    `POSTGRES_PASSWORD=${password}`,
    '--env',
    'POSTGRES_DB=shop',
    '--health-cmd',
    'pg_isready -q -h 127.0.0.1 -p 5432',
    '--health-interval',
    '1s',
    '--health-timeout',
    '10s',
    '--health-start-period',
    '600s',
    '--health-retries',
    '15',
    image,
  ];
  const began = performance.now();
  const { code, stderr } = await host.exec(['/usr/bin/docker', ...rest], { limitMs: 60_000 });
  if (code !== 0) throw new Error(`Creating the service by hand failed: ${stderr}`);
  await answers(host.ip, port);
  const took = performance.now() - began;
  await host.exec(['/usr/bin/docker', 'service', 'rm', name]);
  for (
    let left = 100;
    left > 0 && (await host.exec(['/usr/bin/docker', 'volume', 'rm', name])).code !== 0;
    left -= 1
  )
    await sleep(200);
  return took;
}

async function answers(host: string, port: number): Promise<void> {
  for (const end = performance.now() + answerLimitMs; performance.now() < end; await sleep(10))
    if (await isAnswering(host, port)) return;
  throw new Error(`Nothing answered on port ${port} in ${answerLimitMs / 1000} s.`);
}

async function isAnswering(host: string, port: number): Promise<boolean> {
  const client = new pg.Client({
    host,
    port,
    user: 'ann',
    password,
    database: 'shop',
    connectionTimeoutMillis: 2000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query('select 1')).rowCount === 1;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

async function settled(berth: BerthHost, postgresId: string): Promise<void> {
  for (const end = Date.now() + answerLimitMs; Date.now() < end; await sleep(200)) {
    const { applicationStatus } = await berth.call<{ applicationStatus: string }>('postgres.one', {
      postgresId,
    });
    if (applicationStatus === 'done') return;
    if (applicationStatus === 'error') throw new Error('The deployment of the database failed.');
  }
  throw new Error('The deployment of the database did not end.');
}
