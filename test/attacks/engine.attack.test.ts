/**
 * A tenant's container on the way to what is beneath the platform: into other networks, as the proxy by a
 * label of its image; to Berth's own port, the engine's and the swarm's on the machine; to whatever else the
 * machine has, to its neighbours, and to the metadata of its cloud.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Argv } from '../../images/command.ts';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { growingPause } from '../bed/machine/pauses.ts';
import { project } from '../e2e/fixtures/berth-host.ts';
import { valueOf, type Call } from '../e2e/fixtures/caller.ts';
import { viewFromContainers, type FromContainers, type Reached } from '../e2e/fixtures/from-containers.ts';
import { deployed } from '../e2e/fixtures/settling.ts';
import { textOf } from '../http/interface-client.ts';
import { attackTable, leavesOutWall } from './support/attack.ts';
import type { Outcome } from './support/rows.ts';
import { attackedHost, type Attacked, type Party } from './support/fixture.ts';

const loot = 'what the others keep';
const evil = 'evil/dump:1';
const table = attackTable('engine');
let world: Attacked;
let fromContainers: FromContainers;

beforeAll(async () => {
  world = await attackedHost(await bedOfRun(), 'engines', 43);
  fromContainers = viewFromContainers(world.berth.host);
  const says = (text: string): string =>
    `require('http').createServer((_, response) => response.end('${text}')).listen(3000)`;
  await application(world.installation, 'vault', says(loot));
  await application(world.tenant, 'thief', says('thief'));
  await neighbours();
  // As a tenant's image for dumps would be: its labels become those of the container that runs it.
  await docker(
    'build',
    '--tag',
    evil,
    '--label',
    'com.docker.swarm.service.name=berth-proxy',
    '/run/bed/evil',
  );
  await docker(
    'run',
    '--detach',
    '--name',
    'dump',
    '--network',
    `berth-${world.tenant.environmentId}`,
    evil,
    'node',
    '-e',
    'setInterval(() => {}, 1000)',
  );
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

async function application({ owner, environmentId }: Party, appName: string, program: string): Promise<void> {
  const made = await valueOf(owner('application.create', { name: appName, appName, environmentId }));
  const applicationId = textOf(made, 'applicationId');
  await valueOf(
    owner('application.saveContainerProvider', { applicationId, containerImage: 'berth/node:24' }),
  );
  await valueOf(owner('application.update', { applicationId, command: 'node', args: ['-e', program] }));
  await deployed(owner, applicationId);
}

const neighbour = '10.77.0.2';
const metadata = '169.254.169.254';
const daemonPort = 9791;

/** Gives the machine a daemon of its own, and a neighbour that also answers as metadata of a cloud do. */
async function neighbours(): Promise<void> {
  const serving = (port: number): string =>
    `require('http').createServer((_, r) => r.end('${loot}')).listen(${port})`;
  await docker('run', '--detach', '--network', 'host', 'berth/node:24', 'node', '-e', serving(daemonPort));
  await docker(
    'run',
    '--detach',
    '--name',
    'neighbour',
    '--network',
    'none',
    'berth/node:24',
    'node',
    '-e',
    serving(80),
  );
  const pid = await docker('inspect', '--format', '{{.State.Pid}}', 'neighbour');
  const inside: Argv = ['nsenter', `--target=${pid}`, '--net', '--'];
  for (const argv of [
    ['ip', 'link', 'add', 'lan0', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', pid],
    ['ip', 'addr', 'add', '10.77.0.1/24', 'dev', 'lan0'],
    ['ip', 'link', 'set', 'lan0', 'up'],
    [...inside, 'ip', 'addr', 'add', `${neighbour}/24`, 'dev', 'eth0'],
    [...inside, 'ip', 'addr', 'add', `${metadata}/32`, 'dev', 'eth0'],
    [...inside, 'ip', 'link', 'set', 'eth0', 'up'],
    [...inside, 'ip', 'route', 'add', 'default', 'via', '10.77.0.1'],
    ['ip', 'route', 'add', `${metadata}/32`, 'dev', 'lan0'],
  ] satisfies Argv[]) {
    const { code, stderr } = await world.berth.host.exec(argv);
    if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${stderr}`);
  }
}

async function docker(...args: string[]): Promise<string> {
  const { host } = world.berth;
  if (args[0] === 'build') {
    await host.exec(['mkdir', '-p', '/run/bed/evil']);
    await host.exec(['sh', '-c', 'echo FROM berth/node:24 > /run/bed/evil/Dockerfile']);
  }
  const { code, stdout, stderr } = await host.exec(['/usr/bin/docker', ...args], { limitMs: 120_000 });
  if (code !== 0) throw new Error(`docker ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout.trim();
}

const networksOf = async (container: string): Promise<string> =>
  docker(
    'inspect',
    '--format',
    '{{range $name, $_ := .NetworkSettings.Networks}}{{$name}} {{end}}',
    container,
  );

/** Takes the proxy out of the victim's network, and waits until Berth has put it back: it has looked then. */
async function looked(owner: Call, network: string): Promise<void> {
  const proxy = await docker('ps', '--quiet', '--filter', 'name=berth-proxy.1');
  await docker('network', 'disconnect', '--force', network, proxy);
  const pause = growingPause();
  for (const end = Date.now() + 90_000; Date.now() < end; await pause()) {
    // Each change of a setting lets Berth look at everything.
    await valueOf(owner('settings.update', {}));
    if ((await networksOf(proxy)).includes(network)) return;
  }
  throw new Error(`The proxy was not put back into ${network}: ${await world.berth.ownLog()}`);
}

async function attached({ installation }: Attacked): Promise<Outcome> {
  const network = `berth-${installation.environmentId}`;
  // Once more: the first look may have gone to the proxy before it went to the other one.
  for (let time = 0; time < 2; time += 1) await looked(installation.owner, network);
  const networks = await networksOf('dump');
  if (!networks.includes(network)) return { succeeded: false, said: `the dump stands in ${networks}` };
  const program = "fetch('http://vault:3000').then((answer) => answer.text()).then(console.log)";
  return { succeeded: true, said: await docker('exec', 'dump', 'node', '-e', program) };
}

/** What the service reaches of the machine by each address that leads there. */
async function machineFrom(service: string, port: number): Promise<Reached[]> {
  const gateway = await docker(
    'network',
    'inspect',
    '--format',
    '{{(index .IPAM.Config 0).Gateway}}',
    'docker_gwbridge',
  );
  const hosts = [gateway, world.berth.host.ip];
  return fromContainers.ask(
    service,
    hosts.map((host) => ({ host, port, path: '/api/health' })),
  );
}

/** Whether something there took the connection; what speaks no HTTP breaks it off afterwards. */
const isReached = ({ outcome }: Reached): boolean =>
  !/ECONNREFUSED|TIMEOUT|ABORT|EHOSTUNREACH/i.test(outcome);

/** What is dropped has no answer, as what speaks no HTTP; so what was said counts. */
const isLoot = ({ body }: Reached): boolean => body?.includes(loot) ?? false;

async function reachesBeside(host: string, service = 'thief'): Promise<Outcome> {
  const answers = await fromContainers.ask(service, [{ host, port: 80 }]);
  return { succeeded: answers.some(isLoot), said: answers.map(({ outcome }) => outcome).join() };
}

async function reaches(
  port: number,
  { service = 'thief', counts = isReached }: { service?: string; counts?: (answer: Reached) => boolean } = {},
): Promise<Outcome> {
  const answers = await machineFrom(service, port);
  const said = answers.map(({ host, outcome }) => `${host}:${port} ${outcome}`).join(', ');
  return { succeeded: answers.some(counts), said };
}

const attacks: Readonly<Record<string, (world: Attacked) => Promise<Outcome>>> = {
  "a container with the proxy's label is attached to every network": attached,
  "a service asks Berth's own port": () => reaches(3000),
  'a service asks the manager of the swarm': () => reaches(2377),
  "a service asks the swarm's gossip": () => reaches(7946),
  'a service asks another daemon of the machine': () => reaches(daemonPort, { counts: isLoot }),
  'a service asks a neighbour of the machine': () => reachesBeside(neighbour),
  'a service asks for the metadata of the cloud': () => reachesBeside(metadata),
};

describe('with the walls as built', () => {
  it.each(Object.entries(attacks))('%s: held', async (attack, run) => {
    expect(await table.note(attack, 'as built', run(world))).toMatchObject({ succeeded: false });
  });

  it('the settings say so, the proxy still serves, and rules that were taken away come back', async () => {
    const { installation, berth } = world;
    expect(await valueOf(installation.owner('settings.portWall'))).toEqual({ isSet: true, problem: null });
    const iptables = (...args: string[]) => berth.host.exec(['iptables', '-w', ...args]);
    expect((await iptables('-S', 'BERTH-INPUT')).stdout).toContain('docker_gwbridge');
    await iptables('-D', 'INPUT', '-j', 'BERTH-INPUT');
    expect((await reaches(3000)).succeeded).toBe(true);
    const pause = growingPause();
    let outcome = await reaches(3000);
    for (const end = Date.now() + 60_000; outcome.succeeded && Date.now() < end; await pause()) {
      await valueOf(installation.owner('settings.update', {}));
      outcome = await reaches(3000);
    }
    expect(outcome).toMatchObject({ succeeded: false });
    expect((await fetch(`${berth.url}/api/health`)).status).toBe(200);
  });

  it('services of the installation reach neighbour and machine, and no metadata', async () => {
    const { installation, berth } = world;
    expect(await reachesBeside(neighbour, 'vault')).toMatchObject({ succeeded: true });
    expect(await reaches(daemonPort, { service: 'vault', counts: isLoot })).toMatchObject({
      succeeded: true,
    });
    expect(await reachesBeside(metadata, 'vault')).toMatchObject({ succeeded: false });
    expect(await reaches(80)).toMatchObject({ succeeded: true });
    // A container of another address is known as soon as it has started.
    await docker('kill', await docker('ps', '--quiet', '--filter', 'name=vault.1'));
    const pause = growingPause();
    let outcome: Outcome = { succeeded: false, said: '' };
    for (const end = Date.now() + 60_000; !outcome.succeeded && Date.now() < end; await pause())
      outcome = await reachesBeside(neighbour, 'vault').catch((error: unknown) => ({
        succeeded: false,
        said: String(error),
      }));
    expect(outcome).toMatchObject({ succeeded: true });
    outcome = { succeeded: false, said: '' };
    // Berth may put its rules back before the question is asked.
    for (const end = Date.now() + 60_000; !outcome.succeeded && Date.now() < end; ) {
      await berth.host.exec(['iptables', '-w', '-F', 'DOCKER-USER']);
      outcome = await reachesBeside(neighbour);
    }
    expect(outcome).toMatchObject({ succeeded: true });
    for (const end = Date.now() + 60_000; outcome.succeeded && Date.now() < end; await pause()) {
      await valueOf(installation.owner('settings.update', {}));
      outcome = await reachesBeside(neighbour);
    }
    expect(outcome).toMatchObject({ succeeded: false });
  });

  it('no label of an image stands for one of ours on a container that Berth makes', async () => {
    const { installation, tenant } = world;
    // No registry has it; where one does, its labels are the tenant's, too.
    await valueOf(installation.owner('settings.update', { sharedImages: ['berth/', 'evil/labels'] }));
    await docker(
      'build',
      '--tag',
      'evil/labels:1',
      '--label',
      'berth.database=d',
      '--label',
      'berth.role=proxy',
      '--label',
      'berth.organization=other',
      '/run/bed/evil',
    );
    const made = await valueOf(
      tenant.owner('application.create', {
        name: 'labelled',
        appName: 'labelled',
        environmentId: tenant.environmentId,
      }),
    );
    const applicationId = textOf(made, 'applicationId');
    await valueOf(
      tenant.owner('application.saveContainerProvider', { applicationId, containerImage: 'evil/labels:1' }),
    );
    await valueOf(
      tenant.owner('application.update', {
        applicationId,
        command: 'node',
        args: ['-e', "require('http').createServer((_, response) => response.end()).listen(3000)"],
      }),
    );
    await deployed(tenant.owner, applicationId);
    const labels: unknown = JSON.parse(
      await docker(
        'inspect',
        '--format',
        '{{json .Config.Labels}}',
        await docker('ps', '--quiet', '--filter', 'name=labelled.1'),
      ),
    );
    expect(labels).toMatchObject({
      'berth.organization': tenant.organizationId,
      'berth.application': applicationId,
      'berth.database': '',
      'berth.role': '',
      'com.docker.swarm.service.name': 'labelled',
    });
  });
});

describe.runIf(leavesOutWall(import.meta.url))('without them', () => {
  beforeAll(async () => {
    const { berth } = world;
    await berth.stop();
    for (const program of ['iptables', 'ip6tables'])
      await berth.host.exec([program, '-w', '-D', 'INPUT', '-j', 'BERTH-INPUT']);
    await berth.host.exec(['iptables', '-w', '-F', 'DOCKER-USER']);
    await berth.start({}, `${project}/test/attacks/without/engine-walls.ts`);
  });

  it.each(Object.entries(attacks))('%s: succeeds', async (attack, run) => {
    expect(await table.note(attack, 'left out', run(world))).toMatchObject({ succeeded: true });
  });
});
