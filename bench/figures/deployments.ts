/**
 * Deployments on a real engine of the test bed: Berth's share of their time, and requests that fail
 * meanwhile.
 */
import { testInstallation } from '../../test/installation.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { mustRun } from '../../images/command.ts';
import { createSwarmEngine } from '../../server/src/adapters/engine/swarm.ts';
import { openBed } from '../../test/bed/bed.ts';
import type { BedHost } from '../../test/bed/host/host.ts';
import { installHostPackages } from '../../test/bed/host/host-packages.ts';
import { berthHost, type BerthHost } from '../../test/e2e/fixtures/berth-host.ts';
import { amount, median, type Figure } from '../figure.ts';
import { steadyLoad } from '../steady-load.ts';
import { databaseShare } from './databases.ts';

const repository = '/srv/repository';
const hostName = 'bench.localhost';
const timedRounds = 5;
const rollingRounds = 3;
const requestsPerSecond = 200;
const shareBudgetMs = 500;

/** Both ways build this: the same Dockerfile with the same HEALTHCHECK. */
const sources = {
  dockerfile:
    'FROM berth/node:24\nHEALTHCHECK --interval=1s --timeout=2s --start-period=20s --retries=3 CMD ' +
    '["node", "-e", "fetch(\'http://127.0.0.1:3000\').then((a) => process.exit(a.ok ? 0 : 1), () => ' +
    'process.exit(1))"]\nCOPY . /app\nCMD ["node", "/app/server.js"]\n',
  server:
    'const server = require("node:http").createServer((request, response) => ' +
    'response.end(require("node:fs").readFileSync("/app/version"))).listen(3000);\nprocess.on("SIGTERM", ' +
    '() => server.close(() => process.exit(0)));\n',
};

export interface Stand {
  berth: BerthHost;
  /** Where the application runs, and where it is deployed by hand beside it. */
  host: BedHost;
  applicationId: string;
  /** Commits a new version of the source. */
  push(): Promise<void>;
}

/** Opens a bed of its own and closes it again. Needs root. */
export async function deploymentFigures(root: string, say: (text: string) => void): Promise<Figure[]> {
  const { signal } = new AbortController();
  await mustRun(['bash', '-c', 'root=$1; . "$root/bin/lib/machine.sh"; ensure_build', 'build', root], {
    cwd: root,
    limitMs: 300_000,
  });
  await installHostPackages(say, signal);
  const bed = await openBed({ name: `bench-${process.pid}`, log: say });
  try {
    const stand = await prepare(await berthHost(bed, 'm1', 1));
    say('first deployment …');
    await deploy(stand);
    say(`${timedRounds} deployments by hand and by Berth …`);
    const share = shareFigure(await platformShare(stand));
    say(`${rollingRounds} rolling deployments under load …`);
    const rolling = await rollingDeployments(stand);
    say('PostgreSQL by hand and by Berth …');
    const database = await databaseShare(stand.berth);
    await stand.berth.stop();
    return [share, rolling, database];
  } finally {
    await bed.close();
  }
}

/** On Berth's own machine, or on a server that is set up. */
export async function prepare(
  berth: BerthHost,
  { host, serverId }: { host: BedHost; serverId: string | null } = { host: berth.host, serverId: null },
): Promise<Stand> {
  const on = async (where: BedHost, script: string, ...args: string[]): Promise<void> => {
    const { code, stderr } = await where.exec(['sh', '-euc', script, 'sh', ...args], { limitMs: 120_000 });
    if (code !== 0) throw new Error(`Preparing the source failed: ${stderr}`);
  };
  const shell = async (script: string, ...args: string[]): Promise<void> => {
    // What is deployed by hand is where it runs.
    for (const where of new Set([berth.host, host])) await on(where, script, ...args);
  };
  await shell(
    'rm -rf "$1" && mkdir -p "$1" && cd "$1" && git init -q -b main && ' +
      'git config user.email bench@example.com && git ' +
      'config user.name bench && printf %s "$2" > Dockerfile && printf %s "$3" > server.js',
    repository,
    sources.dockerfile,
    sources.server,
  );
  const push = (): Promise<void> =>
    shell('cd "$1" && date +%s%N > version && git add -A && git commit -qm change', repository);
  await push();
  await berth.call('settings.update', { localRepositoryPaths: [repository] });
  const { environment } = await berth.call<{ environment: { environmentId: string } }>('project.create', {
    name: 'bench',
  });
  const { applicationId } = await berth.call<{ applicationId: string }>('application.create', {
    name: 'bench',
    environmentId: environment.environmentId,
    serverId,
  });
  await berth.call('application.update', {
    applicationId,
    sourceType: 'git',
    customGitUrl: `file://${repository}`,
    customGitBranch: 'main',
    buildType: 'dockerfile',
  });
  await domainWhenProxyAnswers(berth, applicationId);
  await on(
    host,
    'cp -r "$1" /tmp/first && /usr/bin/docker build -q -t hand/app:0 /tmp/first && /usr/bin/docker ' +
      'service create -q --detach --no-resolve-image --name hand --update-order start-first ' +
      '--update-monitor 5s --stop-grace-period 10s hand/app:0',
    repository,
  );
  return { berth, host, applicationId, push };
}

/** Berth starts the proxy after it answers itself. */
async function domainWhenProxyAnswers(berth: BerthHost, applicationId: string): Promise<void> {
  for (let left = 60; ; left -= 1) {
    const { status, body } = await berth.ask('domain.create', { applicationId, host: hostName, port: 3000 });
    if (status === 200) return;
    if (left === 0) throw new Error(`The domain could not be made: ${JSON.stringify(body)}`);
    await sleep(500);
  }
}

/** Deploys and waits for the end; gives the milliseconds from accepted to healthy. */
export async function deploy({ berth, applicationId }: Stand): Promise<number> {
  await berth.call('application.deploy', { applicationId });
  const accepted = Date.now();
  const {
    deployments: [newest],
  } = await berth.settled(applicationId);
  if (newest?.status !== 'done' || newest.healthyAt === null)
    throw new Error(
      'The deployment failed: ' +
        `${newest?.errorMessage ?? ''}\n${(await berth.log(newest?.deploymentId ?? '')).join('\n')}`,
    );
  return Date.parse(newest.healthyAt) - accepted;
}

/** Milliseconds, medians of rounds by turns. */
export interface Share {
  own: number;
  byHand: number;
  share: number;
}

export async function platformShare(stand: Stand): Promise<Share> {
  const own: number[] = [];
  const byHand: number[] = [];
  for (let round = 1; round <= timedRounds; round += 1) {
    await stand.push();
    byHand.push(await deployByHand(stand.host, round));
    await stand.push();
    own.push(await deploy(stand));
  }
  const share = median(own.map((ms, index) => ms - (byHand[index] ?? NaN)));
  return { own: median(own), byHand: median(byHand), share };
}

function shareFigure({ own, byHand, share }: Share): Figure {
  return {
    name: "platform's share of a deployment",
    kind: 'absolute',
    measured: `${amount(share, 'ms')} (${amount(own, 'ms')} accepted to healthy)`,
    baseline: `${amount(byHand, 'ms')} by git clone, docker build, docker service update`,
    budget: `≤ ${shareBudgetMs} ms`,
    isKept: share <= shareBudgetMs,
  };
}

/** The same with three commands; the milliseconds until the engine says that the new task is healthy. */
async function deployByHand(host: BedHost, round: number): Promise<number> {
  const image = `hand/app:${round}`;
  const script =
    'date +%s%3N; rm -rf /tmp/hand; git clone -q --depth 1 "file://$1" /tmp/hand; /usr/bin/docker build ' +
    '-q -t "$2" /tmp/hand >/dev/null; /usr/bin/docker service update -q --detach --no-resolve-image ' +
    '--image "$2" hand >/dev/null';
  const { code, stdout, stderr } = await host.exec(
    ['env', 'DOCKER_BUILDKIT=1', 'sh', '-euc', script, 'sh', repository, image],
    { limitMs: 120_000 },
  );
  if (code !== 0) throw new Error(`Deploying by hand failed: ${stderr}`);
  const engine = createSwarmEngine({ installation: testInstallation, socketPath: host.engineSocket });
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(100)) {
    const task = (await engine.tasks('hand')).find(
      (one) => one.image.startsWith(image) && one.state === 'running',
    );
    if (task) {
      const healthyAt = Date.parse(task.stateAt);
      await sleep(6000); // The engine's monitor, so that the next round begins at rest.
      return healthyAt - Number(stdout.trim());
    }
  }
  throw new Error('The service updated by hand did not become healthy in a minute.');
}

async function rollingDeployments(stand: Stand): Promise<Figure> {
  let requests = 0;
  let failed = 0;
  const kinds: string[] = [];
  const times: number[] = [];
  for (let round = 0; round < rollingRounds; round += 1) {
    await stand.push();
    const result = await steadyLoad({
      ip: stand.berth.host.ip,
      host: hostName,
      perSecond: requestsPerSecond,
      until: deploy(stand),
    });
    requests += result.requests;
    times.push(result.p99Ms);
    for (const [kind, count] of result.failures) {
      failed += count;
      kinds.push(`${count} × ${kind}`);
    }
  }
  return {
    name: `requests failed in ${rollingRounds} rolling deployments at ${requestsPerSecond} req/s`,
    kind: 'ratio',
    measured:
      `${failed} of ` +
      `${amount(requests, 'requests')}${kinds.length === 0 ? '' : ` (${kinds.join(', ')})`}, p99 ` +
      `${amount(median(times), 'ms')}`,
    baseline: '–',
    budget: '0',
    isKept: failed === 0,
  };
}
