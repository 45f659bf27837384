/**
 * A backup of a large database on a real engine and S3 server: what Berth's own process holds meanwhile, and
 * its time beside the same by hand.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { mustRun } from '../../images/command.ts';
import { openBed } from '../../test/bed/bed.ts';
import { installHostPackages } from '../../test/bed/host/host-packages.ts';
import {
  keep,
  openBackupFixture,
  sql,
  type RunView,
  type StepView,
  type BackupFixture,
} from '../../test/e2e/backups/backup-fixture.ts';
import { berthHost } from '../../test/e2e/fixtures/berth-host.ts';
import { openDatabaseFixture, type Base } from '../../test/e2e/databases/database-fixture.ts';
import { output } from '../../test/e2e/fixtures/applications.ts';
import { s3Bucket, s3Keys } from '../../test/s3/s3-server.ts';
import { amount, type Figure } from '../figure.ts';

const gibibyte = 1024 ** 3;
/** Each row has 1,290 bytes of text that compress to somewhat more than a half. */
const rows = 860_000;
const memoryBudgetMb = 200;
const timeBudget = 2;
const everyMs = 100;
const idleMs = 5000;

/** Opens a bed of its own and closes it again. Needs root. */
export async function backupFigures(root: string, say: (text: string) => void): Promise<Figure[]> {
  await mustRun(['bash', '-c', 'root=$1; . "$root/bin/lib/machine.sh"; ensure_build', 'build', root], {
    cwd: root,
    limitMs: 300_000,
  });
  await installHostPackages(say, new AbortController().signal);
  const bed = await openBed({ name: `bench-b-${process.pid}`, log: say });
  try {
    const fixture = await openBackupFixture(
      bed,
      await openDatabaseFixture(await berthHost(bed, 'm1', 1)),
      'bench',
    );
    try {
      return await measure(fixture, say);
    } finally {
      await fixture.s3.kill();
    }
  } finally {
    await bed.close();
  }
}

async function measure(fixture: BackupFixture, say: (text: string) => void): Promise<Figure[]> {
  const base = await fixture.databases.database('postgres', 'large');
  await base.deploy();
  say('1 GiB of rows …');
  await fill(fixture, base);
  await sleep(idleMs);
  const idle = await residentMb(fixture);
  say('a backup by hand …');
  const byHandMs = await byHand(fixture, base);
  say('a backup by Berth …');
  const watching = watch(fixture);
  const run = await backedUp(fixture, base);
  const over = (await watching.stop()) - idle;
  const bytes = run.bytes ?? 0;
  const ms = lasted(run.steps, 'upload');
  say(
    `${amount((run.storedBytes ?? 0) / gibibyte, 'GiB')} stored, verified in ` +
      `${amount(lasted(run.steps, 'verify') / 1000, 's')}`,
  );
  return [
    {
      name: `backup of a dump of ${amount(bytes / gibibyte, 'GiB')}: memory (RSS) over idle`,
      measured: amount(over, 'MB'),
      baseline: `${amount(idle, 'MB')} idle`,
      budget: `≤ ${memoryBudgetMb} MB`,
      isKept: over <= memoryBudgetMb && bytes >= gibibyte,
      kind: 'absolute',
    },
    {
      name: 'the same: dumped, compressed, uploaded',
      measured: `${amount(ms / 1000, 's')}; ${(ms / byHandMs).toFixed(2)} ×`,
      baseline: `${amount(byHandMs / 1000, 's')} (pg_dump, gzip, rclone)`,
      budget: `≤ ${timeBudget} ×`,
      isKept: ms <= timeBudget * byHandMs,
      kind: 'ratio',
    },
  ];
}

/** In several statements, each within the time that one may take. */
async function fill({ berth }: BackupFixture, base: Base): Promise<void> {
  const parts = 20;
  await sql(berth, base, 'create table items (id int, note text)');
  for (let part = 0; part < parts; part += 1) {
    const [from, to] = [(part * rows) / parts + 1, ((part + 1) * rows) / parts];
    await sql(
      berth,
      base,
      `insert into items select i, (select string_agg(md5(i || '/' || j), '') from generate_series(1, ` +
        `40) j) from generate_series(${from}, ${to}) i`,
    );
  }
}

/** The same programs in one pipe, as a person would write it; gives milliseconds. */
async function byHand({ berth: { host }, s3 }: BackupFixture, base: Base): Promise<number> {
  const { appName } = await base.view();
  const script =
    'set -euo pipefail; c=$(/usr/bin/docker ps -q --filter "label=com.docker.swarm.service.name=$1"); ' +
    '/usr/bin/docker exec "$c" sh -c \'PGPASSWORD=$POSTGRES_PASSWORD exec pg_dump -h 127.0.0.1 -U ' +
    '"$POSTGRES_USER" -d shop -Fc -Z0\' | gzip -3 | rclone --config= rcat "store:$2/by-hand"';
  const variables = [
    'TYPE=s3',
    'PROVIDER=Other',
    `ACCESS_KEY_ID=${s3Keys.accessKey}`,
    `SECRET_ACCESS_KEY=${s3Keys.secretAccessKey}`,
    `ENDPOINT=${s3.endpoint}`,
    'NO_CHECK_BUCKET=true',
  ].map((one) => `RCLONE_CONFIG_STORE_${one}`);
  const started = performance.now();
  const { code, stderr } = await host.exec(
    ['env', '-u', 'AWS_CA_BUNDLE', ...variables, 'bash', '-c', script, 'bash', appName, s3Bucket],
    { limitMs: 600_000 },
  );
  if (code !== 0) throw new Error(`The backup by hand failed: ${stderr}`);
  return performance.now() - started;
}

async function residentMb({ berth: { host } }: BackupFixture): Promise<number> {
  const text = await output(
    host,
    'sh',
    '-c',
    'cat /proc/$(pgrep -f "[d]ist/server/src/main.js" | tail -1)/status',
  );
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) / 1024;
}

/** Longer than one request may take. */
async function backedUp(fixture: BackupFixture, base: Base): Promise<RunView> {
  const kept = await keep(fixture, base);
  const begun = kept.manual().catch(() => undefined);
  for (;;) {
    const [run] = await kept.runs();
    if (run?.status === 'error') throw new Error(run.errorMessage ?? 'It failed.');
    if (run?.status === 'done') {
      await begun;
      return run;
    }
    await sleep(everyMs);
  }
}

/** Looks again and again; `stop` gives the most it saw. */
function watch(fixture: BackupFixture): { stop(): Promise<number> } {
  let most = 0;
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      most = Math.max(most, await residentMb(fixture));
      await sleep(everyMs);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await looking;
      return most;
    },
  };
}

function lasted(steps: readonly StepView[], name: string): number {
  const step = steps.find((one) => one.name === name);
  return Date.parse(step?.finishedAt ?? '') - Date.parse(step?.startedAt ?? '');
}
