/**
 * Domains in thousands, each with an address of its own behind it, on a real proxy: how soon a change is
 * seen, whether Berth answers meanwhile, and what both take of memory.
 */
import { noDomainRules } from '../../server/src/modules/domain/route-rules.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { mustRun } from '../../images/command.ts';
import { tableStore } from '../../server/src/db/table-store.ts';
import { openBed, type Bed } from '../../test/bed/bed.ts';
import { installHostPackages } from '../../test/bed/host/host-packages.ts';
import { berthHost, type BerthHost } from '../../test/e2e/fixtures/berth-host.ts';
import { databaseOnHost } from '../../test/e2e/fixtures/people-on-host.ts';
import { amount, median, type Figure } from '../figure.ts';

const sizes = [
  { count: 1_000, budgetMs: 1_000 },
  { count: 10_000, budgetMs: undefined },
] as const;
const changes = 5;
const settleLimitMs = 180_000;

/** Opens a bed of its own and closes it again. Needs root. */
export async function domainFigures(root: string, say: (text: string) => void): Promise<Figure[]> {
  const { signal } = new AbortController();
  await mustRun(['bash', '-c', 'root=$1; . "$root/bin/lib/machine.sh"; ensure_build', 'build', root], {
    cwd: root,
    limitMs: 300_000,
  });
  await installHostPackages(say, signal);
  const bed = await openBed({ name: `domains-${process.pid}`, log: say });
  try {
    const berth = await berthHost(bed, 'm1', 1);
    const { environment } = await berth.call<{ environment: { environmentId: string } }>('project.create', {
      name: 'bench',
    });
    const { applicationId } = await berth.call<{ applicationId: string }>('application.create', {
      name: 'bench',
      environmentId: environment.environmentId,
    });
    const figures: Figure[] = [];
    for (const size of sizes) {
      say(`${size.count} domains …`);
      await fill(bed, berth, applicationId, size.count);
      figures.push(await changesSeen(berth, applicationId, size));
    }
    await berth.stop();
    return figures;
  } finally {
    await bed.close();
  }
}

/** Rows as `domain.create` would make them, while Berth is away. */
async function fill(bed: Bed, berth: BerthHost, applicationId: string, count: number): Promise<void> {
  await berth.stop();
  const database = await databaseOnHost(bed, berth);
  const domains = tableStore(database, 'domain');
  const organizationId =
    (await tableStore(database, 'application').find({ applicationId }))?.organizationId ?? '';
  const present = (await domains.list({})).length;
  await database.transaction(async () => {
    for (let index = present + 1; index <= count; index += 1) {
      const host = `d${index}.bench.test`;
      await domains.insert({
        domainId: host,
        organizationId,
        host,
        asciiHost: host,
        path: '/',
        port: 1 + index,
        ownPort: 1 + index,
        https: false,
        certificateType: 'none',
        customCertResolver: null,
        applicationId,
        composeId: null,
        serviceName: null,
        domainType: 'application',
        previewDeploymentId: null,
        internalPath: '/',
        stripPath: false,
        hstsMaxAge: null,
        requestHeaders: {},
        maxBodyBytes: null,
        ...noDomainRules,
        uniqueConfigKey: index + 100_000,
        serverKey: 'local',
        createdAt: '2026-01-01T00:00:00.000Z',
      });
    }
  });
  await database.close();
  await berth.start();
}

/** New hosts redirect to https, which they do without a service; an unknown host is 404. */
async function changesSeen(
  berth: BerthHost,
  applicationId: string,
  { count, budgetMs }: (typeof sizes)[number],
): Promise<Figure> {
  await firstChange(berth, applicationId, count);
  const seen: number[] = [];
  const answered: number[] = [];
  const watches = [watch(`${berth.url}/api/health`), watch(`${berth.url}/api/settings.get`, berth.signed())];
  for (let change = 0; change < changes; change += 1) {
    const hostName = `new-${count}-${change}.bench.test`;
    const began = performance.now();
    const made = berth
      .call('domain.create', { applicationId, host: hostName, https: true, certificateType: 'none' })
      .then(() => answered.push(performance.now() - began));
    while ((await berth.proxied(hostName)).status !== 308) await sleep(5);
    seen.push(performance.now() - began);
    await made;
  }
  const [health = 0, read = 0] = await Promise.all(watches.map((end) => end()));
  const [own, proxy] = [await memory(berth, 'dist/server/src/main.js'), await memory(berth, '^caddy run')];
  const usual = median(seen);
  return {
    name: `a change among ${count.toLocaleString('en')} domains is seen`,
    kind: 'absolute',
    isKept: budgetMs === undefined || usual <= budgetMs,
    budget: budgetMs === undefined ? '–' : `≤ ${budgetMs} ms`,
    baseline: '–',
    measured:
      `after ${amount(usual, 'ms')} (at most ${amount(Math.max(...seen), 'ms')}; answered after ` +
      `${amount(median(answered), 'ms')}); health meanwhile within ${amount(health, 'ms')}, ` +
      `settings.get within ${amount(read, 'ms')}; Berth ${own}, proxy ${proxy}`,
  };
}

/** Berth starts the proxy, and gives it what there is, after it answers itself. */
async function firstChange(berth: BerthHost, applicationId: string, count: number): Promise<void> {
  for (const end = Date.now() + settleLimitMs; ; await sleep(500)) {
    const { status, body } = await berth.ask('domain.create', {
      applicationId,
      host: `first-${count}.bench.test`,
      https: true,
      certificateType: 'none',
    });
    if (status === 200) return;
    if (Date.now() > end) throw new Error(`The domain could not be made: ${JSON.stringify(body)}`);
  }
}

/** Resident memory of the processes on the host whose command line matches, now and at most. */
async function memory({ host }: BerthHost, pattern: string): Promise<string> {
  const { stdout } = await host.exec([
    'bash',
    '-c',
    'for pid in $(pgrep -f -- "$0"); do grep -hE "^Vm(RSS|HWM)" "/proc/$pid/status"; done',
    pattern,
  ]);
  const most = (name: string): number =>
    Math.max(
      0,
      ...[...stdout.matchAll(new RegExp(`${name}:\\s+(\\d+)`, 'g'))].map(([, kilobytes]) =>
        Number(kilobytes),
      ),
    );
  return `${(most('VmRSS') / 1024).toFixed(0)} MiB (at most ${(most('VmHWM') / 1024).toFixed(0)})`;
}

/** Asks all the time; the function it gives stops that and tells the slowest answer in ms. */
function watch(url: string, headers: Record<string, string> = {}): () => Promise<number> {
  let slowest = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const began = performance.now();
      await (await fetch(url, { headers })).text();
      slowest = Math.max(slowest, performance.now() - began);
      await sleep(10);
    }
  })();
  return async () => {
    isOver = true;
    await watching;
    return slowest;
  };
}
