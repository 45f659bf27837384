/**
 * A tenant's build on a server besides Berth's own, which two organizations build on: on the way to the
 * other's cache, to the server beneath, and to what stands beside it.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { randomId } from '../../server/src/ports/clock.ts';
import { bedOfRun } from '../bed/bed-of-run.ts';
import type { BedHost } from '../bed/host/host.ts';
import { project } from '../e2e/fixtures/berth-host.ts';
import { valueOf } from '../e2e/fixtures/caller.ts';
import { until } from '../e2e/fixtures/applications.ts';
import { textOf } from '../http/interface-client.ts';
import { attackTable, leavesOutWall } from './support/attack.ts';
import type { Outcome } from './support/rows.ts';
import { base, built, fetching, knocking, looted, loot, sleeping } from './support/building.ts';
import { attackedHost, type Attacked, type Party } from './support/fixture.ts';
import { arrivals, countArrivals, machineAddresses, type Knock } from './support/machine-ports.ts';

const loopbackPort = 8099;
const metadata = '169.254.169.254';
const metadataPort = 8098;
const table = attackTable('builders on a second server');
const { machineIp } = inject('bed');
/** Of another machine in the same private network. */
const neighbour = createServer((_, response) => void response.end(loot));
let neighbourPort = 0;
let world: Attacked;
let server: BedHost;
/** The one server, as each organization has it. */
const serverIds = new Map<Party, string>();

beforeAll(async () => {
  const bed = await bedOfRun();
  [server, world] = await Promise.all([
    bed.host('second', { index: 64, engine: true, images: true, sshd: true }),
    attackedHost(bed, 'two-machines', 65),
  ]);
  await valueOf(
    world.installation.owner('settings.update', {
      sharedImages: ['berth/'],
      // A tenant's server in a private network; its builds reach it no more for that.
      allowedPrivateNetworks: [`${server.ip}/32`],
    }),
  );
  for (const party of [world.installation, world.tenant]) serverIds.set(party, await setUp(party));
  await server.exec(['ip', 'address', 'add', `${metadata}/32`, 'dev', 'lo']);
  const serve = `require('http').createServer((q, a) => a.end('${loot}'))`;
  await server.launch('loopback', ['node', '-e', `${serve}.listen(${loopbackPort}, '127.0.0.1')`]);
  await server.launch('metadata', ['node', '-e', `${serve}.listen(${metadataPort}, '${metadata}')`]);
  await countArrivals(server);
  await new Promise<void>((resolve) => neighbour.listen(0, machineIp, resolve));
  const address = neighbour.address();
  neighbourPort = typeof address === 'object' && address !== null ? address.port : 0;
}, 900_000);
afterAll(async () => {
  neighbour.close();
  await server.kill();
  await world[Symbol.asyncDispose]();
});

async function setUp({ owner, organizationId }: Party): Promise<string> {
  const key = await valueOf(
    owner('sshKey.create', {
      name: `of ${organizationId}`,
      publicKey: await readFile(`${server.sshKeyPath}.pub`, 'utf8'),
      privateKey: await readFile(server.sshKeyPath, 'utf8'),
    }),
  );
  const record = { name: 'second', ipAddress: server.ip, port: 22, username: 'root', serverType: 'build' };
  const made = await valueOf(owner('server.create', { ...record, sshKeyId: textOf(key, 'sshKeyId') }));
  const serverId = textOf(made, 'serverId');
  await valueOf(owner('server.setup', { serverId }));
  await until(
    'the server is set up',
    async () => textOf(await valueOf(owner('server.one', { serverId })), 'setupStatus') === 'done',
    400_000,
  );
  return serverId;
}

const there = (party: Party): { buildServerId: string } => ({
  buildServerId: serverIds.get(party) ?? '',
});
const lootedThere = (party: Party, dockerfile: string): Promise<Outcome> =>
  looted(party, dockerfile, there(party));

/** The server counts what arrives of it. */
async function knocks(party: Party, knock: Knock): Promise<Outcome> {
  const before = await arrivals(server, knock);
  const step = knocking(await machineAddresses(server), knock.protocol, knock.port);
  const { log } = await built(party, `${base}${step}${sleeping}`, there(party));
  if (!log.includes('has-knocked-2')) throw new Error(`The step did not run: ${log}`);
  const arrived = (await arrivals(server, knock)) - before;
  return { succeeded: arrived > 0, said: `${arrived} packets arrived` };
}

const attacks: Readonly<Record<string, (world: Attacked) => Promise<Outcome>>> = {
  "reads another organization's cache mount": async ({ installation, tenant }) => {
    const mount = '--mount=type=cache,id=npm,target=/cache';
    const secret = `RUN ${mount} printf '%s%s' nobody-elses -affair > /cache/${randomId(6)}\n`;
    await built(installation, `${base}${secret}${sleeping}`, there(installation));
    return lootedThere(tenant, `${base}RUN ${mount} cat /cache/* || true\n`);
  },
  "has the server's loopback asked by ADD": ({ tenant }) =>
    lootedThere(tenant, `${base}ADD http://127.0.0.1:${loopbackPort}/ /stolen\nRUN cat /stolen\n`),
  "asks for the cloud's metadata in a step": ({ tenant }) =>
    lootedThere(tenant, fetching(`http://${metadata}:${metadataPort}/`)),
  'asks a neighbour in the private network': ({ tenant }) =>
    lootedThere(tenant, fetching(`http://${machineIp}:${neighbourPort}/`)),
  "asks for Berth's own port on its own machine": async ({ berth, tenant }) => {
    const { log } = await built(tenant, `${fetching(`${berth.url}/api/health`)}${sleeping}`, there(tenant));
    const answer = log.split('\n').find((line) => /#\d+ \d+\.\d+ .*"(ok|status)"/.test(line));
    return { succeeded: answer !== undefined, said: answer ?? log.split('\n').at(-1) ?? '' };
  },
  "knocks at the engine's port": ({ tenant }) => knocks(tenant, { protocol: 'tcp', port: 2375 }),
  "sends into the swarm's overlay networks": ({ tenant }) => knocks(tenant, { protocol: 'udp', port: 4789 }),
};

describe('as built', () => {
  it.each(Object.entries(attacks))('%s: held', async (attack, run) => {
    expect(await table.note(attack, 'as built', run(world))).toMatchObject({ succeeded: false });
  });

  it('builds by the record of another organization: held', async () => {
    const { owner, environmentId } = world.tenant;
    const made = await valueOf(owner('application.create', { name: 'spy', appName: 'spy', environmentId }));
    const applicationId = textOf(made, 'applicationId');
    const answer = await owner('application.update', { applicationId, ...there(world.installation) });
    await table.note('builds by the record of another organization', 'as built', {
      succeeded: answer.status === 200,
      said: answer.text,
    });
    expect(answer.status).toBe(403);
  });

  it('a build works there, by the same way', async () => {
    const works = await lootedThere(world.tenant, `${base}RUN printf '%s%s\\n' nobody-elses -affair\n`);
    expect(works).toEqual({ succeeded: true, said: loot });
  });
});

describe.runIf(leavesOutWall(import.meta.url))('with the server’s engine in the place of builders', () => {
  beforeAll(async () => {
    await world.berth.stop();
    await world.berth.start({}, `${project}/test/attacks/without/builders.ts`);
  });

  it.each(Object.entries(attacks))('%s: succeeds', async (attack, run) => {
    expect(await table.note(attack, 'left out', run(world))).toMatchObject({ succeeded: true });
  });
});
