/**
 * A server beside Berth's own machine: its engine read through SSH and on the spot, an image that travels and
 * `docker save | docker load` the same way, a deployment there and here, the agent that measures it.
 */
import { testInstallation } from '../../test/installation.ts';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mustRun } from '../../images/command.ts';
import { createSwarmEngine } from '../../server/src/adapters/engine/swarm.ts';
import {
  createSshConnection,
  type SshHostConnection,
} from '../../server/src/adapters/host/ssh/ssh-connection.ts';
import { Secret } from '../../server/src/domain/secrets/secret.ts';
import type { BuildEngines } from '../../server/src/ports/engine/build-engine.ts';
import type { Engine } from '../../server/src/ports/engine/engine.ts';
import { openBed } from '../../test/bed/bed.ts';
import type { BedHost } from '../../test/bed/host/host.ts';
import { installHostPackages } from '../../test/bed/host/host-packages.ts';
import { berthHost, type BerthHost } from '../../test/e2e/fixtures/berth-host.ts';
import { until } from '../../test/e2e/fixtures/applications.ts';
import { createBuilderFixture, type BuilderFixture } from '../../test/integration/builder/builder-fixture.ts';
import { amount, median, type Figure } from '../figure.ts';
import { agentFigures } from './agent.ts';
import { deploy, platformShare, prepare, type Share } from './deployments.ts';

const reads = 200;
const readBudget = 2;
const imageBytes = 300 * 1024 ** 2;
const docker = '/usr/bin/docker';
const dockerfile =
  `FROM berth/node:24\nRUN head -c ${imageBytes} /dev/urandom > /modules\n` + 'COPY server.js /app/\n';

/** Opens a bed of its own and closes it again. Needs root. */
export async function serverFigures(root: string, say: (text: string) => void): Promise<Figure[]> {
  const { signal } = new AbortController();
  await mustRun(['bash', '-c', 'root=$1; . "$root/bin/lib/machine.sh"; ensure_build', 'build', root], {
    cwd: root,
    limitMs: 300_000,
  });
  await installHostPackages(say, signal);
  const bed = await openBed({ name: `bench-servers-${process.pid}`, log: say });
  const folder = await mkdtemp(join(tmpdir(), 'berth-ssh-'));
  try {
    const [far, berth] = await Promise.all([
      bed.host('far', { index: 2, engine: true, images: true, sshd: true }),
      berthHost(bed, 'm1', 1),
    ]);
    await far.exec([docker, 'swarm', 'init', '--advertise-addr', far.ip]);
    const connection = await connect(far, folder);
    say(`${reads} reads of the engine by turns …`);
    const reading = await readings(far, connection);
    say('an image of 300 MB …');
    const travel = await travelling(berth.host, connection, say);
    connection.reset();
    const serverId = await setUp(berth, far);
    say('deployments here and there …');
    const shares = await sharesOf(berth, far, serverId);
    const agent = await agentFigures(berth, far, { serverId, say });
    await berth.stop();
    return [reading, ...travel, remoteFigure(shares), ...agent];
  } finally {
    await rm(folder, { recursive: true, force: true });
    await bed.close();
  }
}

async function connect(far: BedHost, folder: string): Promise<SshHostConnection> {
  const privateKey = new Secret(await readFile(far.sshKeyPath, 'utf8'));
  const target = { serverName: 'the server far', ipAddress: far.ip, address: far.ip, port: 22 };
  return createSshConnection({
    folder,
    target: async () => ({ ...target, username: 'root', hostKey: null, privateKey }),
    pin: async () => true,
    proxySockets: { asked: 'admin.sock', answered: [] },
    proxyPorts: { http: 80, https: 443 },
    waitMs: async () => 60_000,
    probePath: '/bin/busybox',
  });
}

async function readings(far: BedHost, { engineSocket }: SshHostConnection): Promise<Figure> {
  const here = createSwarmEngine({ installation: testInstallation, socketPath: far.engineSocket });
  const through = createSwarmEngine({
    installation: testInstallation,
    socketPath: engineSocket,
    serverName: 'the server far',
  });
  // The first connects.
  await timed(through);
  await timed(here);
  const [own, local]: [number[], number[]] = [[], []];
  for (let round = 0; round < reads; round += 1) {
    local.push(await timed(here));
    own.push(await timed(through));
  }
  const ratio = median(own) / median(local);
  return {
    name: "reading a server's engine through SSH (services and facts), p50",
    kind: 'ratio',
    measured: `${amount(median(own), 'ms')}; ${ratio.toFixed(2)} ×`,
    baseline: `${amount(median(local), 'ms')} on its own socket`,
    budget: `≤ ${readBudget} ×`,
    isKept: ratio <= readBudget,
  };
}

async function timed(engine: Engine): Promise<number> {
  const began = performance.now();
  await engine.services();
  await engine.info();
  return performance.now() - began;
}

interface Travel {
  bytes: number;
  ms: number;
}

/** From a builder on Berth's machine to the server, as a built image goes; by hand the same way. */
async function travelling(
  from: BedHost,
  { engineSocket, transferSocket = engineSocket }: SshHostConnection,
  say: (text: string) => void,
): Promise<Figure[]> {
  const delivered: Travel[] = [];
  const builders = createBuilderFixture(from.engineSocket);
  const fixture = createBuilderFixture(from.engineSocket, { engines: timing(builders.engines, delivered) });
  const byHand: Travel[] = [];
  try {
    for (const version of ['first', 'second']) {
      fixture.write({
        Dockerfile: dockerfile,
        'server.js': `// ${version}`,
      });
      await fixture.build({
        deliverTo: { name: 'the server far', socket: transferSocket },
        labels: { 'berth.managed': 'true', 'berth.organization': fixture.organizationId },
      });
      say(`… ${version}, by hand`);
      byHand.push(await savedAndLoaded(fixture, version, { from: from.engineSocket, to: transferSocket }));
    }
  } finally {
    await fixture[Symbol.asyncDispose]();
    await builders[Symbol.asyncDispose]();
  }
  const [first, second] = delivered;
  const [firstByHand, secondByHand] = byHand;
  return [
    travelFigure('an image of 300 MB travels to a server, the first time', first, firstByHand),
    travelFigure('the same with one changed layer', second, secondByHand),
  ];
}

/** The same builders; what each image took on its way is noted. */
function timing(engines: BuildEngines, delivered: Travel[]): BuildEngines {
  return {
    ...engines,
    async lend(...given) {
      const lent = await engines.lend(...given);
      return {
        ...lent,
        async deliver(...image) {
          const began = performance.now();
          const sent = await lent.deliver(...image);
          delivered.push({ bytes: sent.bytes, ms: performance.now() - began });
          return sent;
        },
      };
    },
  };
}

async function savedAndLoaded(
  fixture: BuilderFixture,
  version: string,
  sockets: { from: string; to: string },
): Promise<Travel> {
  const image = `hand/travel:${version}`;
  await fixture.docker('build', '-q', '-t', image, fixture.source);
  const script =
    'set -o pipefail; "$1" -H "unix://$2" save "$4" | tee >(wc -c >"$5") | ' +
    '"$1" -H "unix://$3" load >/dev/null';
  const count = join(fixture.folder, `bytes-${version}`);
  const began = performance.now();
  await mustRun(['bash', '-c', script, 'bash', docker, sockets.from, sockets.to, image, count], {
    limitMs: 300_000,
  });
  const ms = performance.now() - began;
  await until('the bytes are counted', async () => (await readFile(count, 'utf8').catch(() => '')) !== '');
  return { bytes: Number((await readFile(count, 'utf8')).trim()), ms };
}

function travelFigure(name: string, own: Travel | undefined, byHand: Travel | undefined): Figure {
  const words = ({ bytes, ms }: Travel): string =>
    `${amount(bytes / 1_000_000, 'MB')} in ${amount(ms / 1000, 's')}`;
  if (!own || !byHand) throw new Error('The image did not travel.');
  return {
    name,
    kind: 'absolute',
    measured: words(own),
    baseline: `${words(byHand)} (docker save, docker load, the same connection)`,
    budget: 'no more bytes',
    isKept: own.bytes <= byHand.bytes,
  };
}

async function sharesOf(
  berth: BerthHost,
  far: BedHost,
  serverId: string,
): Promise<{ here: Share; there: Share }> {
  const local = await prepare(berth);
  await deploy(local);
  const here = await platformShare(local);
  const remote = await prepare(berth, { host: far, serverId });
  await deploy(remote);
  return { here, there: await platformShare(remote) };
}

async function setUp(berth: BerthHost, far: BedHost): Promise<string> {
  const { sshKeyId } = await berth.call<{ sshKeyId: string }>('sshKey.create', {
    name: 'far',
    publicKey: await readFile(`${far.sshKeyPath}.pub`, 'utf8'),
    privateKey: await readFile(far.sshKeyPath, 'utf8'),
  });
  const record = { name: 'far', ipAddress: far.ip, port: 22, username: 'root', serverType: 'deploy' };
  const { serverId } = await berth.call<{ serverId: string }>('server.create', { ...record, sshKeyId });
  await berth.call('settings.update', { sharedImages: ['berth/'] });
  await berth.call('server.setup', { serverId });
  const state = async () => (await berth.call('server.one', { serverId }))['setupStatus'];
  await until('the server is set up', async () => (await state()) === 'done', 300_000);
  return serverId;
}

function remoteFigure({ here, there }: { here: Share; there: Share }): Figure {
  const words = ({ own, byHand, share }: Share): string =>
    `${amount(share, 'ms')} (${amount(own, 'ms')} accepted to healthy, ${amount(byHand, 'ms')} by hand)`;
  return {
    name: "platform's share of a deployment to a server",
    kind: 'absolute',
    measured: words(there),
    baseline: `${words(here)} on Berth's own machine`,
    budget: 'said',
    isKept: true,
  };
}
