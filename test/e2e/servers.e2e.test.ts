/** A machine that Berth reaches by SSH alone: services of every kind on it, and what happens to the way. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Bed } from '../bed/bed.ts';
import { bedOfRun } from '../bed/bed-of-run.ts';
import type { BedHost } from '../bed/host/host.ts';
import {
  berthHost,
  throughProxy,
  type Answer,
  type BerthHost,
  type DeploymentView,
} from './fixtures/berth-host.ts';
import { makeServices, type Services } from './hosts/services.ts';
import { databasePath, prepareKill } from './fixtures/berth-process.ts';
import { expectAllAnswered, startLoad } from './fixtures/load.ts';
import { createRepository, repositoriesFolder, type Repository } from './fixtures/repository.ts';
import { watchServer } from './servers/monitored.ts';
import { sshServerOf, type SshServer } from './servers/ssh-server.ts';
import { tinyFiles } from './fixtures/sources.ts';
import { deploymentEnded, docker, output, until } from './fixtures/applications.ts';
import { isOfThisRun, ofThisRun } from '../run/mode.ts';

let bed: Bed;
let berth: BerthHost;
let far: BedHost;
let sshd: SshServer;
let serverId: string;
let sshKeyId: string;
let services: Services;
let repository: Repository;

interface ServerView {
  hostKeyFingerprint: string | null;
}

beforeAll(async () => {
  bed = await bedOfRun();
  [far, berth] = await Promise.all([
    // No image is there: all come through the connection.
    bed.host('far', { index: 51, engine: true, sshd: true }),
    berthHost(bed, 'home', 52),
  ]);
  await smallDisk(far);
  sshd = await sshServerOf(far);
  await on('swarm', 'init', '--advertise-addr', far.ip);
  ({ sshKeyId } = await berth.call<{ sshKeyId: string }>('sshKey.create', {
    name: 'far',
    publicKey: await readFile(`${far.sshKeyPath}.pub`, 'utf8'),
    privateKey: await readFile(far.sshKeyPath, 'utf8'),
  }));
  ({ serverId } = await berth.call<{ serverId: string }>('server.create', {
    name: 'far',
    ipAddress: far.ip,
    port: 22,
    username: 'root',
    serverType: 'deploy',
    sshKeyId,
  }));
  await berth.call('settings.update', { localRepositoryPaths: [repositoriesFolder] });
  const made = await berth.call<{ environment: { environmentId: string } }>('project.create', {
    name: 'Shop',
  });
  repository = await createRepository(berth.host, 'away', tinyFiles('away'));
  const place = { environmentId: made.environment.environmentId, name: 'away', serverId };
  services = await makeServices(berth, { ...place, repository: repository.url });
});
afterAll(() => Promise.all([far, berth.host].map((host) => host.kill())));

it('services of every kind are deployed there, and its own proxy answers', async () => {
  expect(await server()).toMatchObject({ hostKeyFingerprint: null });
  await services.deploy();
  await untilAnswers('app.localhost', 'away');
  await untilAnswers('stack.localhost', 'away');
  expect(await servicesThere()).toEqual(['away-app', 'away-stack_web', 'away-store', 'berth-proxy']);
  expect(await output(berth.host, docker, 'service', 'ls', '--format', '{{.Name}}')).toBe('berth-proxy');
  expect((await server()).hostKeyFingerprint).toMatch(/^SHA256:/);
});

it('what runs there is shown, stopped and started, and a command runs in it', async () => {
  const nodes = await berth.call<{ hostname: string }[]>('swarm.getNodes', { serverId });
  expect(nodes.map(({ hostname }) => hostname)).toEqual(['far']);
  const { applicationId } = services;
  const ran = await berth.call('application.run', { applicationId, command: 'echo on the far side' });
  expect(ran).toMatchObject({ exitCode: 0 });
  expect(JSON.stringify(ran)).toContain('on the far side');
  await berth.call('application.stop', { applicationId });
  expect((await throughProxy(far.ip, 'app.localhost')).status).toBeGreaterThanOrEqual(500);
  await berth.call('application.start', { applicationId });
  await untilAnswers('app.localhost', 'away');
});

it('a change is deployed, a broken one leaves what ran, and the former one comes back', async () => {
  const [first] = await deployments();
  await repository.commit(tinyFiles('changed'));
  await services.deployApplication();
  await untilAnswers('app.localhost', 'changed');
  await repository.commit({ Dockerfile: 'FROM berth/node:24\nCMD ["node", "-e", "process.exit(1)"]\n' });
  await expect(services.deployApplication()).rejects.toThrow('The application of away');
  await untilAnswers('app.localhost', 'changed');
  await berth.call('deployment.rollback', { deploymentId: first?.deploymentId });
  await untilAnswers('app.localhost', 'away');
  await repository.commit(tinyFiles('away'));
  await berth.settled(services.applicationId);
});

/** Of tests that seldom find what the others do not, one in three runs takes each. */
const isSeldom = (test: string): boolean => !isOfThisRun(test, 3);

it('monitoring measures it as its kernel and its engine do', async () => {
  expect(await watchServer({ berth, server: far, serverId, services })).toBe('measured');
}, 180_000);

it.skipIf(isSeldom('agent'))(
  'a newer Berth brings its agent there, and puts the former one back if it does not answer',
  async () => {
    const before = await containersThere();
    const agent = (): Promise<string> => on('ps', '-q', '--no-trunc', '--filter', 'name=berth-monitoring');
    const newest = async (): Promise<string> =>
      (await berth.call<{ timestamp: string }[]>('server.metrics', { serverId })).at(-1)?.timestamp ?? '';
    const measuresAgain = async (): Promise<void> => {
      const seen = (): Promise<string> => newest().catch(() => '');
      const last = await until('it answers', seen, 180_000);
      await until('it measures again', async () => !['', last].includes(await seen()), 180_000);
    };
    const first = await agent();
    await startNewer('$ a// newer');
    await until('the agent is renewed', async () => !['', first].includes(await agent()), 180_000);
    await measuresAgain();
    await startNewer('1 i process.exit(1);');
    await until(
      'it is put back',
      async () => (await berth.ownLog()).includes('the former one runs again'),
      240_000,
    );
    await measuresAgain();
    await startNewer();
    expect(await untouched(before)).toEqual([]);
  },
);

/** Starts Berth anew with an agent that a line of sed changed; without one, with its own. */
async function startNewer(change?: string): Promise<void> {
  const own = '/opt/project/dist/agent/agent.js';
  const { host } = berth;
  await berth.stop();
  await host.exec(['umount', own]);
  if (change !== undefined) {
    await output(host, 'sh', '-c', `sed "$1" ${own} > /srv/agent.js`, 'sh', change);
    await output(host, 'mount', '--bind', '/srv/agent.js', own);
  }
  await berth.start();
}

it.skipIf(isSeldom('connection'))(
  'a connection that is cut is made again; what runs is not touched',
  async () => {
    const before = await containersThere();
    await sshd.cut();
    await until('the server is read again', async () => (await nodes()).status === 200);
    await services.deployApplication();
    expect(await untouched(before)).toEqual([]);
  },
);

/** What the application answers that is deployed again and again. */
let shown = 'away';
const stages = ofThisRun(['checkout', 'build', 'release', 'await-healthy', 'route', 'prune'], 3);

it.skipIf(isSeldom('kills'))(
  'kill -9 of Berth in each stage of a deployment there: it goes on, what runs is not touched',
  async () => {
    const { applicationId } = services;
    const before = await containersThere();
    const load = startLoad({ ip: far.ip, hostName: 'app.localhost', path: '/', perSecond: 10 });
    const hit: string[] = [];
    for (const stage of stages) {
      await repository.commit(tinyFiles(stage));
      const killIn = await prepareKill(berth.host, await databasePath(bed, berth.host));
      await berth.call('application.deploy', { applicationId });
      const { deploymentId, stage: killed } = await killIn(applicationId, stage);
      hit.push(killed);
      await berth.start();
      expect(await deploymentEnded(berth, 'app', deploymentId)).toMatchObject({
        status: 'done',
        errorMessage: null,
      });
      await untilAnswers('app.localhost', stage);
      shown = stage;
    }
    console.log(`killed in the stages ${hit.join(', ')}`);
    // A short one may be over before the kill.
    expect(hit.filter((stage) => stages.includes(stage)).length).toBeGreaterThanOrEqual(
      Math.floor((stages.length * 2) / 3),
    );
    await expectAllAnswered('kills of a deployment there', load);
    expect(await untouched(before)).toEqual([]);
  },
);

it.skipIf(isSeldom('full disk'))(
  'a full disk there fails a deployment in its words, and what runs is not touched',
  async () => {
    const before = await containersThere();
    await repository.commit(
      tinyFiles('too much', { steps: ['dd if=/dev/urandom of=/www/noise bs=1M count=16'] }),
    );
    // What the engine writes beside images still finds its place.
    const fill =
      'free=$(df --output=avail -B1 /var/lib/docker | tail -n 1); ' +
      'head -c $((free - 8388608)) /dev/zero > /var/lib/docker/filler';
    await output(far, 'sh', '-c', fill);
    try {
      await expect(services.deployApplication()).rejects.toThrow(/no space left on device/i);
      expect((await throughProxy(far.ip, 'app.localhost')).body.trim()).toBe(shown);
      expect(await untouched(before)).toEqual([]);
    } finally {
      await output(far, 'rm', '/var/lib/docker/filler');
    }
    await services.deployApplication();
    await untilAnswers('app.localhost', 'too much');
    shown = 'too much';
  },
);

it.skipIf(isSeldom('packets'))(
  'packets that vanish are noticed within 20 s: the server is unreachable, not down',
  async () => {
    const [before, states] = [await containersThere(), await services.states()];
    await nodes();
    let deploymentId = '';
    await sshd.dropPackets();
    try {
      const began = performance.now();
      expect(await nodes()).toMatchObject({ status: 503 });
      await until('it is told since when', async () =>
        JSON.stringify(await nodes()).includes('nreachable since'),
      );
      // Two keep-alives without an answer, and a machine that is busy.
      expect(performance.now() - began).toBeLessThan(30_000);
      // It goes on there, and its records say what they said.
      expect((await throughProxy(far.ip, 'app.localhost')).body.trim()).toBe(shown);
      expect(await services.states()).toEqual(states);
      // What is accepted meanwhile waits, and says so.
      const { applicationId } = services;
      await berth.call('application.deploy', { applicationId, title: 'meanwhile' });
      const [waiting] = await deployments();
      deploymentId = waiting?.deploymentId ?? '';
      await until('the deployment says that it waits', async () =>
        (await berth.log(deploymentId)).some((line) => line.includes('waits for it, at most 30 minutes')),
      );
      await on('service', 'rm', 'away-stack_web');
    } finally {
      await sshd.letPacketsThrough();
    }
    await until(
      'the deployment has gone on',
      async () => (await deployments()).find((one) => one.deploymentId === deploymentId)?.status === 'done',
      180_000,
    );
    await untilAnswers('stack.localhost', 'away');
    expect(await untouched(before.filter((name) => name.startsWith('away-store')))).toEqual([]);
  },
);

it('two sessions at once are enough', async () => {
  await sshd.restart(['MaxSessions 2']);
  await until('the server is read again', async () => (await nodes()).status === 200, 60_000);
  await services.deploy();
  expect(await services.states()).toEqual(['done', 'done', 'done']);
});

// OpenSSH refuses sockets, too, where it forwards no TCP: its list of permitted targets is one for both.
it.each(['AllowTcpForwarding no', 'AllowStreamLocalForwarding no'])(
  '%s is told with the way out',
  async (line) => {
    const told = ({ body }: Answer): boolean => JSON.stringify(body).includes(wayOut);
    const answers = await answersUnder(line, told);
    expect(answers.filter((answer) => answer.startsWith('200'))).toEqual([]);
  },
);

const wayOut = 'Set AllowStreamLocalForwarding and AllowTcpForwarding to yes';

/** Asks under a line of sshd's configuration until it is answered so; gives all answers, status first. */
async function answersUnder(line: string, isSo: (answer: Answer) => boolean): Promise<string[]> {
  const answers: string[] = [];
  await sshd.restart([line]);
  try {
    await until(
      `it is answered as it should under ${line}`,
      async () => {
        const answer = await nodes();
        answers.push(`${answer.status} ${JSON.stringify(answer.body)}`);
        return isSo(answer);
      },
      60_000,
    );
  } catch (error) {
    throw new Error(`Answered: ${[...new Set(answers)].join('\n')}`, { cause: error });
  } finally {
    await sshd.restart();
  }
  await until('the server is read again', async () => (await nodes()).status === 200, 60_000);
  return answers;
}

it('another host key is refused with both fingerprints, until it is trusted', async () => {
  const { former, present } = await sshd.otherHostKey();
  await until('it is refused', async () => (await nodes()).status !== 200, 60_000);
  await until(
    'both are named',
    async () => {
      const said = JSON.stringify(await nodes());
      return said.includes(former) && said.includes(present);
    },
    60_000,
  );
  await expect(services.deployApplication()).rejects.toThrow(present);
  await berth.call('server.trustHostKey', { serverId, fingerprint: present });
  expect(await nodes()).toMatchObject({ status: 200 });
  expect(await server()).toMatchObject({ hostKeyFingerprint: present });
});

it('a key that does not open it is told with the way out', async () => {
  const other = await berth.call<{ sshKeyId: string }>('sshKey.generate', { name: 'other' });
  await berth.call('server.update', { serverId, sshKeyId: other.sshKeyId });
  expect(await nodes()).toMatchObject({
    status: 503,
    body: { message: expect.stringContaining('authorized_keys of root') },
  });
  await expect(services.deployApplication()).rejects.toThrow('authorized_keys of root');
  await berth.call('server.update', { serverId, sshKeyId });
  expect(await nodes()).toMatchObject({ status: 200 });
});

it('what is removed is gone there', async () => {
  const { applicationId, redisId, composeId } = services;
  await berth.call('application.delete', { applicationId });
  await berth.call('redis.remove', { redisId });
  await berth.call('compose.delete', { composeId, deleteVolumes: true });
  await until('nothing else is left', async () => (await servicesThere()).length === 2, 60_000);
  expect(await servicesThere()).toEqual(['berth-monitoring', 'berth-proxy']);
});

/** Of its own, so that it can be full without the machine's being so. */
async function smallDisk(host: BedHost): Promise<void> {
  await host.engine.stop();
  await output(host, 'mount', '-t', 'tmpfs', '-o', 'size=3g', 'tmpfs', '/var/lib/docker');
  await host.engine.start();
}

const nodes = () => berth.ask('swarm.getNodes', { serverId });
const server = () => berth.call<ServerView>('server.one', { serverId });

const deployments = (): Promise<DeploymentView[]> =>
  berth.call<DeploymentView[]>('deployment.all', { applicationId: services.applicationId });

const on = (...words: string[]): Promise<string> => output(far, docker, ...words);

const servicesThere = async (): Promise<string[]> =>
  (await on('service', 'ls', '--format', '{{.Name}}')).split('\n').toSorted();

/** Names with the ids of running containers; a task's name ends in its id. Idle builders end alone. */
const containersThere = async (): Promise<string[]> =>
  (await on('ps', '--format', '{{.Names}} {{.ID}}'))
    .split('\n')
    .filter((line) => !/^(away-app|berth-builder|berth-monitoring)/.test(line));

async function untouched(before: readonly string[]): Promise<string[]> {
  const now = new Set(await containersThere());
  return before.filter((line) => !now.has(line));
}

const untilAnswers = (hostName: string, words: string): Promise<unknown> =>
  until(
    `${hostName} answers ${words}`,
    async () => {
      const answer = await throughProxy(far.ip, hostName).catch(() => undefined);
      return answer?.body.trim() === words;
    },
    120_000,
  );
