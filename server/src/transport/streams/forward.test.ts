/** GET /api/forward: who is let in, and bytes both ways, with the engine in memory and a real server. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, assert, beforeAll, expect, it, vi } from 'vitest';
import { forwardPort, type Forwarder } from '../../../../cli/connection/forwarder.ts';
import { createEngineInMemory } from '../../../../test/engine-in-memory/engine-in-memory.ts';
import { never, type Program } from '../../../../test/engine-in-memory/programs/program.ts';
import { stepService } from '../../../../test/engine-suite/fixture.ts';
import { ownHost } from '../../../../test/hosts.ts';
import { createPeople, type People } from '../../../../test/http/people.ts';
import { createPlace, type Place } from '../../../../test/http/places.ts';
import { serve, type TestServer } from '../../../../test/http/serve.ts';
import { temporaryDatabase } from '../../../../test/http/temporary-database.ts';
import { openTerminal, type Refused } from '../../../../test/http/terminal-client.ts';
import { createStores } from '../../composition/stores.ts';
import { createTerminals } from '../../modules/terminal/terminal.ts';

const { database, remove } = await temporaryDatabase();
const stores = createStores(database);
const memory = createEngineInMemory();
const { engine } = memory;
const busybox = '/.berth/busybox';
let server: TestServer;
let people: People;
let place: Place;
/** What stands for the program in the container: each connection is handed to the test. */
let inside: Server;
let accepted: (socket: Socket) => void;
let port: number;

/** As busybox does it: `true`, and for the script of a forwarded port a connection to 127.0.0.1. */
const tool: Program = async ({ argv, input, write }) => {
  if (argv[1] === 'true') return 0;
  const target = connect(Number(argv.at(-1)), '127.0.0.1');
  try {
    await once(target, 'connect');
  } catch {
    await write('stderr', "nc: can't connect to remote host (127.0.0.1): Connection refused\n");
    return 1;
  }
  const sending = (async () => {
    for await (const part of input) if (!target.write(part)) await once(target, 'drain');
    target.end();
  })();
  sending.catch(() => target.destroy());
  for await (const part of target) await write('stdout', part);
  return 0;
};

beforeAll(async () => {
  people = await createPeople(database);
  place = await createPlace(database, people.owner, 'Shop');
  memory.addImage('shop:1', {
    programs: { server: () => never(), [busybox]: tool },
    command: ['server'],
  });
  const labels = {
    'berth.managed': 'true',
    'berth.organization': people.owner.organizationId,
    'berth.application': place.applicationId,
  };
  await engine.applyService(stepService('shop', [], { image: 'shop:1', command: ['server'], labels }));
  await vi.waitFor(async () => assert((await engine.service('shop'))?.running === 1), { timeout: 20_000 });
  inside = createServer({ allowHalfOpen: true }, (socket) => accepted(socket)).listen(0, '127.0.0.1');
  await once(inside, 'listening');
  port = Number(Object(inside.address()).port);
  server = await serve(database, [], {
    terminals: {
      terminals: createTerminals({
        hosts: ownHost({ engine }),
        services: stores.serviceReads,
        busybox,
        applicationOf: async () => ({ name: 'none', serverId: null }),
      }),
    },
  });
}, 60_000);
afterAll(async () => {
  await server.close();
  inside.close();
  await remove();
});

async function forwarder(
  to = port,
  headers: Record<string, string> = people.owner.headers,
): Promise<Forwarder & { said: string[]; local(): Promise<Socket> }> {
  const said: string[] = [];
  const made = await forwardPort({
    connection: { url: server.url, apiKey: headers['x-api-key'], cookie: headers['cookie'] },
    target: { serviceId: place.applicationId, port: to },
    localPort: 0,
    signal: new AbortController().signal,
    say: (sentence) => void said.push(sentence),
  });
  return {
    ...made,
    said,
    async local() {
      const socket = connect({ port: made.port, host: '127.0.0.1', allowHalfOpen: true });
      await once(socket, 'connect');
      return socket;
    },
  };
}

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function allOf(socket: Socket): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part);
  return Buffer.concat(parts);
}

it('carries every byte both ways, and the end of each', async () => {
  const [sent, answered] = [randomBytes(6_000_000), randomBytes(5_000_000)];
  const arrived = Promise.withResolvers<Buffer>();
  accepted = (socket) =>
    void allOf(socket).then((bytes) => {
      arrived.resolve(bytes);
      socket.end(answered);
    });
  const forwarded = await forwarder();
  const local = await forwarded.local();
  local.end(sent);
  const back = await allOf(local);
  expect(digest(await arrived.promise)).toBe(digest(sent));
  expect(digest(back)).toBe(digest(answered));
  forwarded.close();
  expect(forwarded.said).toEqual([]);
});

it('holds back who sends more than the other side reads', async () => {
  const far = Promise.withResolvers<Socket>();
  accepted = far.resolve;
  const forwarded = await forwarder();
  const local = await forwarded.local();
  const reading = (await far.promise).pause();
  const total = 100 * 1024 * 1024;
  local.write(Buffer.alloc(total));
  // All of it happens in this process: when so many turns change nothing, nothing moves any more.
  for (let [turns, left] = [0, total]; turns < 3000; turns += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (local.writableLength !== left) [turns, left] = [0, local.writableLength];
  }
  expect(local.writableLength).toBeGreaterThan(total / 2);
  reading.destroy();
  local.destroy();
  forwarded.close();
});

it('says that nothing listens there, and goes on', async () => {
  accepted = (socket) => socket.end('hello');
  const unused = createServer().listen(0, '127.0.0.1');
  await once(unused, 'listening');
  const free = Number(Object(unused.address()).port);
  unused.close();
  await once(unused, 'close');
  const forwarded = await forwarder(free);
  const local = await forwarded.local();
  expect(await allOf(local)).toHaveLength(0);
  await vi.waitFor(() =>
    expect(forwarded.said).toEqual([
      `Nothing accepted the connection to port ${free} of the service: connection refused.`,
    ]),
  );
  const again = await forwarded.local();
  expect(await allOf(again)).toHaveLength(0);
  forwarded.close();
});

it('ends with a refusal that no further try changes', async () => {
  const forwarded = await forwarder(port, people.stranger.headers);
  const local = await forwarded.local();
  local.on('error', () => undefined);
  await expect(forwarded.ended).rejects.toMatchObject({ code: 'FORBIDDEN' });
  forwarded.close();
});

it('is a grant of its own, and an action of its own for keys', async () => {
  const open = async (headers: Record<string, string>): Promise<Refused> => {
    const answer = await openTerminal(
      server.url,
      { serviceId: place.applicationId, port },
      headers,
      'forward',
    );
    if ('status' in answer) return answer;
    answer.socket.close();
    await answer.ended;
    return { status: 101, body: {} };
  };
  accepted = (socket) => socket.end();
  expect((await open({})).status).toBe(401);
  expect((await open(people.stranger.headers)).status).toBe(403);
  await people.grant({ accessedServices: [place.applicationId], canOpenTerminal: true });
  expect((await open(people.member.headers)).status).toBe(403);
  await people.grant({ canForwardPorts: true });
  expect((await open(people.member.headers)).status).toBe(403);
  await people.grant({ accessedServices: [place.applicationId], canForwardPorts: true });
  expect((await open(people.member.headers)).status).toBe(101);
  const entries = await stores.audit.all(people.owner.organizationId);
  const outcomes = entries
    .filter(({ procedure }) => procedure === 'terminal.forward')
    .map(({ outcome }) => outcome);
  expect(outcomes).toContain('FORBIDDEN');
  expect(outcomes).toContain('done');
});

it('has a limit of connections for each user', async () => {
  accepted = () => undefined;
  await people.grant({ accessedServices: [place.applicationId], canForwardPorts: true });
  const input = { serviceId: place.applicationId, port };
  const opened = await Promise.all(
    Array.from({ length: 50 }, () => openTerminal(server.url, input, people.member.headers, 'forward')),
  );
  expect(opened.filter((one) => 'socket' in one)).toHaveLength(50);
  expect(await openTerminal(server.url, input, people.member.headers, 'forward')).toMatchObject({
    status: 429,
    body: { message: expect.stringContaining('You have 50 forwarded connections open') },
  });
  for (const one of opened) if ('socket' in one) one.socket.close();
  await Promise.all(opened.map(async (one) => 'socket' in one && (await one.ended)));
});
