/**
 * A tenant's build on the way to other organizations' caches and images, to the machine beneath, to what
 * stands beside it, and beyond its limits.
 */
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { growingPause } from '../bed/machine/pauses.ts';
import { randomId } from '../../server/src/ports/clock.ts';
import { project } from '../e2e/fixtures/berth-host.ts';
import { valueOf } from '../e2e/fixtures/caller.ts';
import { attackTable, leavesOutWall } from './support/attack.ts';
import type { Outcome } from './support/rows.ts';
import { base, built, fetching, knocking, looted, loot, sleeping } from './support/building.ts';
import { attackedHost, type Attacked, type Party } from './support/fixture.ts';
import { arrivals, countArrivals, machineAddresses, type Knock } from './support/machine-ports.ts';

const loopbackPort = 8099;
const metadata = '169.254.169.254';
/** The proxy has port 80 on every address. */
const metadataPort = 8098;
const table = attackTable('builders');
const { machineIp } = inject('bed');
/** Of another machine in the same private network. */
const heard = new Set<string>();
const neighbour = createServer((request, response) => {
  heard.add(request.url ?? '');
  response.end(loot);
});
let neighbourPort = 0;
let world: Attacked;

beforeAll(async () => {
  world = await attackedHost(await bedOfRun(), 'builders', 39);
  await valueOf(world.installation.owner('settings.update', { buildsConcurrency: 2 }));
  const { host } = world.berth;
  await host.exec(['ip', 'address', 'add', `${metadata}/32`, 'dev', 'lo']);
  const serve = `require('http').createServer((q, a) => a.end('${loot}'))`;
  await host.launch('loopback', ['node', '-e', `${serve}.listen(${loopbackPort}, '127.0.0.1')`]);
  await host.launch('metadata', ['node', '-e', `${serve}.listen(${metadataPort}, '${metadata}')`]);
  await countArrivals(host);
  await new Promise<void>((resolve) => neighbour.listen(0, machineIp, resolve));
  const address = neighbour.address();
  neighbourPort = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(async () => {
  neighbour.close();
  await world[Symbol.asyncDispose]();
});

type Attack = (world: Attacked) => Promise<Outcome>;

/** Sends to a port of the machine by each of its addresses; the machine counts what arrives. */
async function knocks(party: Party, knock: Knock): Promise<Outcome> {
  const { host } = world.berth;
  const before = await arrivals(host, knock);
  const step = knocking(await machineAddresses(host), knock.protocol, knock.port);
  const { log } = await built(party, `${base}${step}${sleeping}`);
  if (!log.includes('has-knocked-2')) throw new Error(`The step did not run: ${log}`);
  const arrived = (await arrivals(host, knock)) - before;
  return { succeeded: arrived > 0, said: `${arrived} packets arrived` };
}

/**
 * Builds with a frontend that `of` has built, which sends the neighbour something in place of reading the
 * Dockerfile; its exit code tells whether it ran, and whether it was answered.
 */
async function byFrontend(
  of: Party,
  by: Party,
  named: 'in the Dockerfile' | 'as an argument' = 'in the Dockerfile',
): Promise<Outcome> {
  const path = `/${randomId(12)}`;
  // As a service, which the image is deployed as too, it does nothing.
  const program =
    'process.env.BUILDKIT_SESSION_ID === undefined ? setInterval(() => {}, 1000) : ' +
    `fetch('http://${machineIp}:${neighbourPort}${path}', { signal: AbortSignal.timeout(10000) })` +
    '.then(() => process.exit(41), () => process.exit(42))';
  const { image } = await built(of, `${base}ENTRYPOINT ["node", "-e", "${program}"]\n`, { keeps: true });
  const { log } = await built(
    by,
    `${named === 'in the Dockerfile' ? `# syntax=${image}\n` : ''}${base}${sleeping}`,
    named === 'in the Dockerfile' ? {} : { buildArgs: `BUILDKIT_SYNTAX=${image}` },
  );
  const last = log.split('\n').findLast((line) => line.trim() !== '') ?? '';
  // One that did not run is no attack; that of another organization is refused before.
  if (of === by && !/exit code: 4[12]/.test(log)) throw new Error(`The frontend did not run: ${log}`);
  return { succeeded: heard.has(path), said: last };
}

const attacks: Readonly<Record<string, Attack>> = {
  "reads another organization's cache mount": async ({ installation, tenant }) => {
    const mount = '--mount=type=cache,id=npm,target=/cache';
    await built(
      installation,
      `${base}RUN ${mount} printf '%s%s' nobody-elses -affair > /cache/${randomId(6)}\n${sleeping}`,
    );
    return looted(tenant, `${base}RUN ${mount} cat /cache/* || true\n`);
  },
  "poisons another organization's cache mount": async ({ installation, tenant }) => {
    const mount = '--mount=type=cache,id=tools,target=/cache';
    const poison = `printf '%s%s' nobody-elses -affair > /cache/${randomId(6)}`;
    await built(tenant, `${base}RUN ${mount} ${poison}\n${sleeping}`);
    return looted(installation, `${base}RUN ${mount} cat /cache/* || true\n`);
  },
  "begins from another organization's built image": async ({ installation, tenant }) => {
    const secret = `${base}RUN printf '%s%s' nobody-elses -affair > /secret-${randomId(6)}\n${sleeping}`;
    const { image } = await built(installation, secret, { keeps: true });
    return looted(tenant, `FROM ${image}\nRUN cat /secret-*\n`);
  },
  "has the machine's loopback asked by ADD": ({ tenant }) =>
    looted(tenant, `${base}ADD http://127.0.0.1:${loopbackPort}/ /stolen\nRUN cat /stolen\n`),
  "has the cloud's metadata asked by ADD": ({ tenant }) =>
    looted(tenant, `${base}ADD http://${metadata}:${metadataPort}/ /credentials\nRUN cat /credentials\n`),
  "asks for the cloud's metadata in a step": ({ tenant }) =>
    looted(tenant, fetching(`http://${metadata}:${metadataPort}/`)),
  'asks a neighbour in the private network': ({ tenant }) =>
    looted(tenant, fetching(`http://${machineIp}:${neighbourPort}/`)),
  "asks for Berth's own port": async ({ berth, tenant }) => {
    const { log } = await built(tenant, `${fetching(`${berth.url}/api/health`)}${sleeping}`);
    const answer = log.split('\n').find((line) => /#\d+ \d+\.\d+ .*"(ok|status)"/.test(line));
    return { succeeded: answer !== undefined, said: answer ?? log.split('\n').at(-1) ?? '' };
  },
  "knocks at Berth's port on every address of the machine": ({ tenant }) =>
    knocks(tenant, { protocol: 'tcp', port: 3000 }),
  "knocks at the engine's port": ({ tenant }) => knocks(tenant, { protocol: 'tcp', port: 2375 }),
  "knocks at the swarm manager's port": ({ tenant }) => knocks(tenant, { protocol: 'tcp', port: 2377 }),
  "knocks at the swarm's gossip": ({ tenant }) => knocks(tenant, { protocol: 'udp', port: 7946 }),
  "sends into the swarm's overlay networks": ({ tenant }) => knocks(tenant, { protocol: 'udp', port: 4789 }),
  'asks a neighbour by a frontend of its own': ({ tenant }) => byFrontend(tenant, tenant),
  'asks a neighbour by a frontend of its own, which an argument names': ({ tenant }) =>
    byFrontend(tenant, tenant, 'as an argument'),
  "runs another organization's image as its frontend": ({ installation, tenant }) =>
    byFrontend(installation, tenant),
  "runs another organization's image as its frontend, which an argument names": ({ installation, tenant }) =>
    byFrontend(installation, tenant, 'as an argument'),
  'starts more processes than its limit': async ({ tenant }) => {
    const many = 'i=0; while [ $i -lt 2500 ]; do sleep 900 & i=$((i+1)); done; echo nobody-elses"-"affair';
    return looted(tenant, `FROM berth/debian:12\nRUN ${many}\n`);
  },
};

describe('as built', () => {
  it.each(Object.entries(attacks))('%s: held', async (attack, run) => {
    expect(await table.note(attack, 'as built', run(world))).toMatchObject({ succeeded: false });
  });

  // By its namespace, with the walls and without: a step never shares the machine's network.
  it('a step asks the machine’s loopback: held', async () => {
    const asked = `fetch('http://127.0.0.1:${loopbackPort}/').then((a) => a.text()).then(console.log)`;
    expect(
      await table.note(
        "asks the machine's loopback in a step",
        'as built',
        looted(world.tenant, `${base}RUN node -e "${asked}"\n`),
      ),
    ).toMatchObject({ succeeded: false });
  });

  it('a build works, by the same way', async () => {
    const outcome = await looted(world.tenant, `${base}RUN printf '%s%s\\n' nobody-elses -affair\n`);
    expect(outcome).toEqual({ succeeded: true, said: loot });
  });
});

/** As though something had put the builder there: only its own walls are left then. */
describe('in the network of another environment', () => {
  const stood = new Map<Party, { address: string; builder: string }>();
  async function docker(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await world.berth.host.exec(['/usr/bin/docker', ...args]);
    if (code !== 0) throw new Error(`docker ${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  }
  const pairs: readonly (readonly [string, (from: Attacked) => readonly [Party, Party]])[] = [
    ["a tenant's step asks a service of the installation", (all) => [all.tenant, all.installation]],
    // It reaches private networks, and must not reach these.
    ["a step of the installation asks a tenant's service", (all) => [all.installation, all.tenant]],
  ];
  beforeAll(async () => {
    for (const [, of] of pairs) {
      const [attacker, victim] = of(world);
      const network = `berth-${victim.environmentId}`;
      // A release makes the network; a container that is there keeps it.
      await built(victim, `${base}${sleeping}`, { keeps: true });
      const pause = growingPause();
      const isThere = async (): Promise<boolean> =>
        (await world.berth.host.exec(['/usr/bin/docker', 'network', 'inspect', network])).code === 0;
      for (const end = Date.now() + 60_000; !(await isThere()); await pause())
        if (Date.now() > end) throw new Error(`The network ${network} was not made.`);
      const serve = `require('http').createServer((q, a) => a.end('${loot}')).listen(3000)`;
      const vault = await docker(
        'run',
        '--detach',
        `--network=${network}`,
        'berth/node:24',
        'node',
        '-e',
        serve,
      );
      const shown = `{{(index .NetworkSettings.Networks "${network}").IPAddress}}`;
      const address = await docker('inspect', '--format', shown, vault);
      // Its builder runs after a build.
      await built(attacker, `${base}${sleeping}`);
      const label = `label=berth.builder=${attacker.organizationId}`;
      const builder = await docker('ps', '--quiet', '--filter', label);
      await docker('network', 'connect', network, builder);
      stood.set(attacker, { address, builder });
    }
  });
  const asks = (attacker: Party): Promise<Outcome> =>
    looted(attacker, fetching(`http://${stood.get(attacker)?.address}:3000/?${randomId(6)}`));

  it.each(pairs)('%s: held', async (attack, of) => {
    expect(await table.note(attack, 'as built', asks(of(world)[0]))).toMatchObject({ succeeded: false });
  });

  it.each(pairs)('%s, without the rules in its builder: succeeds', async (attack, of) => {
    const [attacker] = of(world);
    const builder = stood.get(attacker)?.builder ?? '';
    await docker('exec', builder, 'nft', 'delete', 'table', 'inet', 'berth');
    const outcome = await asks(attacker);
    await docker('rm', '--force', builder);
    await table.note(attack, 'left out', outcome);
    expect(outcome).toEqual({ succeeded: true, said: loot });
  });
});

describe.runIf(leavesOutWall(import.meta.url))('with the machine’s engine in the place of builders', () => {
  beforeAll(async () => {
    await world.berth.stop();
    // The packet filter outlives Berth.
    for (const program of ['iptables', 'ip6tables'])
      await world.berth.host.exec([program, '-w', '-D', 'INPUT', '-j', 'BERTH-INPUT']);
    await world.berth.start({}, `${project}/test/attacks/without/builders.ts`);
  });

  it.each(Object.entries(attacks))('%s: succeeds', async (attack, run) => {
    expect(await table.note(attack, 'left out', run(world))).toMatchObject({ succeeded: true });
  });
});
