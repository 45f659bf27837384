/**
 * Services of other environments and organizations are out of reach: by name, by address, and through the
 * proxy, which stands in every network.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { textOf } from '../http/interface-client.ts';
import { berthHost, type BerthHost } from './fixtures/berth-host.ts';
import { callerOf, valueOf, type Call } from './fixtures/caller.ts';
import { fieldOf } from './fixtures/one-of-everything.ts';
import { viewFromContainers, type FromContainers, type Target } from './fixtures/from-containers.ts';
import { peopleOnHost, type PeopleOnHost } from './fixtures/people-on-host.ts';
import { deployed } from './fixtures/settling.ts';

let berth: BerthHost;
let people: PeopleOnHost;
let fromContainers: FromContainers;
/** Of the two organizations. */
let owner: Call;
let stranger: Call;
let staging: string;

/**
 * `shop` and `shop-db` stand in one environment, `shop-staging` in another one of their project, `rival` in
 * another organization.
 */
const names = { shop: 'shop', neighbour: 'shop-db', staging: 'shop-staging', rival: 'rival' };
const ids = new Map<string, string>();

beforeAll(async () => {
  const bed = await bedOfRun();
  berth = await berthHost(bed, 'isolation', 28);
  people = await peopleOnHost(bed, berth);
  await closeOutside();
  fromContainers = viewFromContainers(berth.host);
  [owner, stranger] = [
    callerOf(berth.url, people.owner.headers),
    callerOf(berth.url, people.stranger.headers),
  ];
  await valueOf(owner('settings.update', { buildsConcurrency: 4 }));
  const shop = await valueOf(owner('project.create', { name: 'Shop' }));
  const production = textOf(fieldOf(shop, 'environment'), 'environmentId');
  staging = textOf(
    await valueOf(
      owner('environment.create', {
        projectId: textOf(fieldOf(shop, 'project'), 'projectId'),
        name: 'staging',
      }),
    ),
    'environmentId',
  );
  const rival = textOf(
    fieldOf(await valueOf(stranger('project.create', { name: 'Rival' })), 'environment'),
    'environmentId',
  );
  await Promise.all([
    release(owner, production, names.shop),
    release(owner, production, names.neighbour),
    release(owner, staging, names.staging),
    release(stranger, rival, names.rival),
  ]);
});
afterAll(async () => {
  await people[Symbol.asyncDispose]();
  await berth.host.kill();
});

/**
 * On some machines anything outside answers to any address; here only what runs on this host is to answer.
 */
async function closeOutside(): Promise<void> {
  const closed = await berth.host.exec([
    'iptables',
    '--insert',
    'DOCKER-USER',
    '--in-interface',
    'docker_gwbridge',
    '!',
    '--out-interface',
    'docker_gwbridge',
    '--jump',
    'REJECT',
  ]);
  if (closed.code !== 0) throw new Error(closed.stderr);
}

/**
 * An application that answers its name on port 3000 over HTTP, notes every datagram that comes to it there,
 * and says so at /seen.
 */
async function release(call: Call, environmentId: string, appName: string): Promise<void> {
  const applicationId = textOf(
    await valueOf(call('application.create', { environmentId, name: appName, appName })),
    'applicationId',
  );
  ids.set(appName, applicationId);
  await valueOf(
    call('application.saveContainerProvider', { applicationId, containerImage: 'berth/node:24' }),
  );
  const program = `const seen = [];
    const socket = require('dgram').createSocket('udp4');
    socket.on('message', (text) => seen.push(String(text))).bind(3000);
    const answer = (url) => (url === '/seen' ? JSON.stringify(seen) : 'this is ${appName}');
    const server = require('http').createServer((request, response) => response.end(answer(request.url)));
    server.listen(3000);`;
  await valueOf(call('application.update', { applicationId, command: 'node', args: ['-e', program] }));
  await deployed(call, applicationId);
}

/**
 * Every way that leads from outside a container to it: its names, its tasks' names and each address it has on
 * any network.
 */
async function waysTo(service: string): Promise<Target[]> {
  const hosts = [
    service,
    `tasks.${service}`,
    ...(await fromContainers.containerNames(service)),
    ...(await fromContainers.addresses(service)),
  ];
  return hosts.map((host) => ({ host, port: 3000 }));
}

const strangers = [
  [names.shop, names.staging],
  [names.shop, names.rival],
  [names.staging, names.shop],
  [names.staging, names.rival],
  [names.rival, names.shop],
  [names.rival, names.staging],
] as const;

describe('a service', () => {
  it('reaches its neighbours in its own environment by name and by address', async () => {
    const [own] = await fromContainers.addressesOnOverlays(names.neighbour);
    const answers = await fromContainers.ask(names.shop, [
      { host: names.neighbour, port: 3000 },
      { host: `tasks.${names.neighbour}`, port: 3000 },
      { host: own ?? '', port: 3000 },
    ]);
    expect(answers.map(({ body }) => body)).toEqual(
      Array.from({ length: 3 }, () => `this is ${names.neighbour}`),
    );
  });

  it.concurrent.each(strangers)('%s does not reach %s', async (from, to) => {
    const ways = await waysTo(to);
    // Two names, the container's own two, and an address on its environment's network and on the bridge to
    // the outside at least.
    expect(ways.length).toBeGreaterThanOrEqual(6);
    const answers = await fromContainers.ask(from, ways);
    console.log(
      `isolation: ${from} → ${to}: ${answers.map(({ host, outcome }) => `${host} ${outcome}`).join(', ')}`,
    );
    expect(answers.filter(({ body }) => body !== null)).toEqual([]);
  });

  it('gets no datagram from a stranger, and one from a neighbour', async () => {
    const senders = [names.shop, names.neighbour, names.staging, names.rival];
    await Promise.all(
      senders.map(async (from) =>
        fromContainers.tell(
          from,
          (await Promise.all(senders.filter((name) => name !== from).map(waysTo))).flat(),
          `from ${from}`,
        ),
      ),
    );
    await wait(500);
    const seen = await Promise.all(
      senders.map(async (name) => [name, [...new Set(await fromContainers.seenBy(name))]]),
    );
    expect(Object.fromEntries(seen)).toEqual({
      [names.shop]: [`from ${names.neighbour}`],
      [names.neighbour]: [`from ${names.shop}`],
      [names.staging]: [],
      [names.rival]: [],
    });
  });
});

describe('the proxy', () => {
  it('stands in the network of every environment', async () => {
    expect((await fromContainers.addressesOnOverlays('berth-proxy')).length).toBeGreaterThanOrEqual(4);
  });

  it.concurrent.each([names.shop, names.rival])(
    'gives its admin interface to no service (%s)',
    async (from) => {
      const addresses = await fromContainers.addresses('berth-proxy');
      const answers = await fromContainers.ask(
        from,
        [...addresses, 'berth-proxy', 'tasks.berth-proxy', '127.0.0.1'].flatMap((host) => [
          { host, port: 2019, path: '/config/' },
          { host, port: 80, path: '/config/', hostHeader: 'localhost:2019' },
        ]),
      );
      expect(
        answers.some(({ outcome }) => outcome === '404' || outcome === '503'),
        'the proxy itself answers on port 80',
      ).toBe(true);
      expect(answers.filter(({ port, body }) => port === 2019 && body !== null)).toEqual([]);
      expect(answers.filter(({ body }) => body?.includes('"apps"'))).toEqual([]);
    },
  );

  it('passes no packet on, neither to another network nor to the outside', async () => {
    const [gate] = await fromContainers.commonWith(names.shop, 'berth-proxy');
    const [victim] = await fromContainers.addressesOnOverlays(names.rival);
    if (gate === undefined || victim === undefined)
      throw new Error('The proxy shares no network with the service.');
    const before = await fromContainers.seenBy(names.rival);
    // What a container with raw sockets can send anyway: a packet for the other network, handed to the proxy.
    await fromContainers.withRoute(names.shop, `${victim}/32`, gate, () =>
      fromContainers.tell(names.shop, [{ host: victim, port: 3000 }], 'through the proxy'),
    );
    await wait(500);
    expect(await fromContainers.seenBy(names.rival)).toEqual(before);
  });

  it("cannot be led to another's service by its name, which nobody else gets while it runs", async () => {
    for (const name of ['berth-proxy', 'Berth-Proxy', names.rival, names.rival.toUpperCase()]) {
      const answer = await owner('application.create', {
        environmentId: staging,
        name: 'Thief',
        appName: name,
      });
      expect(answer.status, name).toBe(409);
    }
    // Renamed but not deployed since: the service still runs under the former name.
    await valueOf(
      stranger('application.update', { applicationId: ids.get(names.rival), appName: 'rival-renamed' }),
    );
    for (const name of [names.rival, names.rival.toUpperCase()])
      expect(
        (await owner('application.create', { environmentId: staging, name: 'Thief', appName: name })).status,
      ).toBe(409);
    const thief = ids.get(names.staging);
    expect((await owner('application.update', { applicationId: thief, appName: names.rival })).status).toBe(
      409,
    );
    await valueOf(
      stranger('application.update', { applicationId: ids.get(names.rival), appName: names.rival }),
    );
  });
});

describe('joined networks', () => {
  it('open a way to the other environment of the project and to nothing else', async () => {
    const applicationId = ids.get(names.neighbour) ?? '';
    await valueOf(owner('application.update', { applicationId, networks: [staging] }));
    await deployed(owner, applicationId);
    const [open] = await fromContainers.ask(names.neighbour, [{ host: names.staging, port: 3000 }]);
    expect(open?.body).toBe(`this is ${names.staging}`);
    const closed = await fromContainers.ask(names.shop, await waysTo(names.staging));
    expect(closed.filter(({ body }) => body !== null)).toEqual([]);
  });

  it('are refused for an environment of another project', async () => {
    const other = textOf(
      fieldOf(await valueOf(owner('project.create', { name: 'Other' })), 'environment'),
      'environmentId',
    );
    const answer = await owner('application.update', {
      applicationId: ids.get(names.shop),
      networks: [other],
    });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('networks');
  });
});
