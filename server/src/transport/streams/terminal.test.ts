/** GET /api/exec: who is let in, what passes, and how it ends, with programs on the engine in memory. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { stepService } from '../../../../test/engine-suite/fixture.ts';
import { commandOf, type Step } from '../../../../test/engine-suite/steps.ts';
import { createEngineInMemory } from '../../../../test/engine-in-memory/engine-in-memory.ts';
import { never, type Program } from '../../../../test/engine-in-memory/programs/program.ts';
import { nodeProgram } from '../../../../test/engine-in-memory/programs/steps-program.ts';
import { createPeople, type People, type Person } from '../../../../test/http/people.ts';
import { createPlace, type Place } from '../../../../test/http/places.ts';
import { serve, type TestServer } from '../../../../test/http/serve.ts';
import { temporaryDatabase } from '../../../../test/http/temporary-database.ts';
import { openTerminal, opened, type TerminalClient } from '../../../../test/http/terminal-client.ts';
import { ownHost } from '../../../../test/hosts.ts';
import { createStores } from '../../composition/stores.ts';
import { createTerminals } from '../../modules/terminal/terminal.ts';

const { database, remove } = await temporaryDatabase();
const stores = createStores(database);
const memory = createEngineInMemory();
const { engine } = memory;
/** Marks of programs that were told that their terminal is gone. */
const hungUp: string[] = [];
let server: TestServer;
let people: People;
let place: Place;
let foreign: Place;

/** Runs no script, and without one repeats what is typed. */
const shell: Program = async (running) => {
  if (running.argv[1] !== '-c') {
    await running.write('stdout', `${running.env['TERM']} $ `);
    for await (const part of running.input) await running.write('stdout', part);
  } else if (running.argv[2]?.includes('kill -HUP')) hungUp.push(running.argv[4] ?? '');
  return 0;
};

beforeAll(async () => {
  people = await createPeople(database);
  place = await createPlace(database, people.owner, 'Shop');
  foreign = await createPlace(database, people.stranger, 'Theirs');
  memory.addImage('shop:1', {
    programs: { server: () => never(), sh: shell, node: nodeProgram },
    command: ['server'],
  });
  await deploy('shop', people.owner, place);
  await deploy('theirs', people.stranger, foreign);
  server = await begin();
}, 60_000);
afterAll(async () => {
  await server.close();
  await remove();
});

async function deploy(name: string, { organizationId }: Person, { applicationId }: Place): Promise<void> {
  const labels = {
    'berth.managed': 'true',
    'berth.organization': organizationId,
    'berth.application': applicationId,
  };
  await engine.applyService(stepService(name, [], { image: 'shop:1', command: ['server'], labels }));
  await vi.waitFor(async () => expect((await engine.service(name))?.running).toBe(1), { timeout: 20_000 });
}

const begin = (limits = { idleMs: 60_000, heartbeatMs: 1000 }): Promise<TestServer> =>
  serve(database, [], {
    streamLimits: { heartbeatMs: 40, unreadMs: 5000 },
    terminals: {
      limits,
      terminals: createTerminals({
        hosts: ownHost({ engine }),
        services: stores.serviceReads,
        busybox: '/no/busybox',
        applicationOf: async () => ({ name: 'none', serverId: null }),
      }),
    },
  });

const shop = (change: object = {}): Record<string, unknown> => ({
  serviceId: place.applicationId,
  ...change,
});
const steps = (...list: Step[]): object => ({ command: commandOf(list) });
const byOwner = (change: object = {}): Promise<TerminalClient> =>
  opened(server.url, shop(change), people.owner.headers);

describe('who opens a terminal', () => {
  const refusals: [
    string,
    number,
    string,
    () => Promise<[Record<string, unknown>, Record<string, string>]>,
  ][] = [
    ['nobody', 401, 'UNAUTHORIZED', async () => [shop(), {}]],
    ['a bad key', 401, 'UNAUTHORIZED', async () => [shop(), { 'x-api-key': 'berth_nothing' }]],
    ['another organization', 403, 'FORBIDDEN', async () => [shop(), people.stranger.headers]],
    [
      'a member without the grant',
      403,
      'FORBIDDEN',
      async () => {
        await people.grant({ accessedServices: [place.applicationId], canAccessToContainers: true });
        return [shop(), people.member.headers];
      },
    ],
    [
      'a member whose service it is not',
      403,
      'FORBIDDEN',
      async () => {
        await people.grant({ canOpenTerminal: true });
        return [shop(), people.member.headers];
      },
    ],
    [
      'a key that is narrowed to something else',
      403,
      'FORBIDDEN',
      async () => [
        shop(),
        (await people.newKey(people.owner, { permissions: { application: ['read', 'write'] } })).headers,
      ],
    ],
    [
      "a page of another address, with the person's cookie",
      403,
      'FORBIDDEN',
      async () => [
        shop(),
        { ...(await people.session(people.owner, server.url)), origin: 'http://evil.example' },
      ],
    ],
    [
      'a page of another port of this host',
      403,
      'FORBIDDEN',
      async () => [
        shop(),
        { ...(await people.session(people.owner, server.url)), origin: 'http://127.0.0.1:1' },
      ],
    ],
    [
      'a page that a browser says is of another site',
      403,
      'FORBIDDEN',
      async () => [
        shop(),
        { ...(await people.session(people.owner, server.url)), 'sec-fetch-site': 'same-site' },
      ],
    ],
    ['whoever names no service', 400, 'BAD_REQUEST', async () => [{}, people.owner.headers]],
    [
      'whoever names none that is there',
      404,
      'NOT_FOUND',
      async () => [{ serviceId: 'x' }, people.owner.headers],
    ],
    [
      'whoever names no task that runs',
      404,
      'NOT_FOUND',
      async () => [shop({ task: 'x' }), people.owner.headers],
    ],
    [
      'whoever asks for no size',
      400,
      'BAD_REQUEST',
      async () => [shop({ columns: 0 }), people.owner.headers],
    ],
    [
      'whoever names a service of no compose file',
      400,
      'BAD_REQUEST',
      async () => [shop({ serviceName: 'web' }), people.owner.headers],
    ],
  ];
  it.each(refusals)('not %s', async (_title, status, code, given) => {
    const [input, headers] = await given();
    expect(await openTerminal(server.url, input, headers)).toMatchObject({
      status,
      body: { error: { code, data: { httpStatus: status, path: 'terminal.open' } } },
    });
  });

  it('a page of ours is told why in the socket, for it cannot read the answer to a handshake', async () => {
    const session = await people.session(people.stranger, server.url);
    const client = await opened(server.url, shop(), session);
    expect(await client.ended).toMatchObject({
      code: 4403,
      end: {
        reason: 'refused',
        code: 'FORBIDDEN',
        httpStatus: 403,
        message: expect.stringContaining('belongs to another organization'),
      },
    });
    const { cookie: _none, ...signedOut } = session;
    expect((await (await opened(server.url, shop(), signedOut)).ended).code).toBe(4401);
  });

  it('a page of ours, a key narrowed to it, and a member with the grant and the service', async () => {
    await people.grant({ canOpenTerminal: true, accessedServices: [place.applicationId] });
    const narrowed = await people.newKey(people.owner, { permissions: { terminal: ['open'] } });
    for (const headers of [
      await people.session(people.owner, server.url),
      narrowed.headers,
      people.member.headers,
    ]) {
      const client = await opened(server.url, shop(), headers);
      await client.until('xterm-256color $ ');
      expect(client.frames[0]).toMatchObject({ type: 'opened', serviceName: 'shop', command: ['sh'] });
      client.socket.close();
      await client.ended;
    }
  });

  it('stands in the audit log, with what was refused', async () => {
    const entries = await stores.audit.all(people.owner.organizationId);
    const seen = entries.filter(({ procedure }) => procedure === 'terminal.open');
    expect(new Set(seen.map(({ outcome, resourceId }) => `${outcome} ${resourceId}`))).toEqual(
      new Set([
        `BAD_REQUEST ${place.applicationId}`,
        `done ${place.applicationId}`,
        `FORBIDDEN ${place.applicationId}`,
        'NOT_FOUND x',
        `NOT_FOUND ${place.applicationId}`,
      ]),
    );
  });

  it('is a WebSocket and nothing else, and no other address is one', async () => {
    const answer = await fetch(`${server.url}/api/exec?serviceId=x`, { headers: people.owner.headers });
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'BAD_REQUEST' }]);
    const elsewhere = new WebSocket(`${server.url.replace('http', 'ws')}/api/health`);
    const [, answered] = await once(
      elsewhere.on('error', () => undefined),
      'unexpected-response',
    );
    expect(Reflect.get(Object(answered), 'statusCode')).toBe(200);
    elsewhere.terminate();
  });
});

describe('a terminal', () => {
  it('has the size it is given, then and later, and gives the exit code', async () => {
    const client = await byOwner({
      columns: 91,
      rows: 17,
      ...steps({ do: 'saySize', until: '100x30' }, { do: 'exit', code: 7 }),
    });
    await client.until('size 91x17');
    client.tell({ type: 'resize', columns: 100, rows: 30 });
    expect(await client.ended).toMatchObject({ code: 1000, end: { reason: 'exited', exitCode: 7 } });
    expect(client.stdout().toString()).toContain('size 100x30');
  });

  it('hands ctrl-C on, and characters however they are cut', async () => {
    const client = await byOwner({ ...steps({ do: 'copyInput' }) });
    const text = Buffer.from('Grüße, 世界 🚀\n');
    for (const byte of text) client.type(Buffer.of(byte));
    await client.until(text.toString());
    client.type('\u0003');
    expect(await client.ended).toMatchObject({ end: { reason: 'exited', exitCode: 130 } });
  });

  it('without one keeps the outputs apart and ends the input', async () => {
    const client = await byOwner({
      terminal: false,
      ...steps({ do: 'say', text: 'bad', on: 'stderr' }, { do: 'copyInput' }),
    });
    client.type('in');
    client.tell({ type: 'endInput' });
    expect(await client.ended).toMatchObject({ end: { reason: 'exited', exitCode: 0 } });
    expect([client.stdout().toString(), client.stderr().toString()]).toEqual(['in', 'bad\n']);
  });

  it('gives no more than its window ahead of what was drawn', async () => {
    const bytes = 1024 * 1024;
    const client = await byOwner({
      terminal: false,
      window: 128 * 1024,
      ...steps({ do: 'pour', bytes }, { do: 'copyInput' }),
    });
    await vi.waitFor(() => expect(client.stdout().length).toBeGreaterThanOrEqual(128 * 1024));
    await pause(100);
    // A piece of output is at most so long.
    expect(client.stdout().length).toBeLessThanOrEqual(192 * 1024);
    let acknowledged = 0;
    while (client.stdout().length < bytes) {
      const { length } = client.stdout();
      client.tell({ type: 'ack', bytes: length - acknowledged });
      acknowledged = length;
      await pause(1);
    }
    client.tell({ type: 'endInput' });
    expect(await client.ended).toMatchObject({ end: { exitCode: 0 } });
    expect(client.stdout()).toHaveLength(bytes);
  });

  it('ends with a frame that is none of the protocol', async () => {
    const client = await byOwner({ ...steps({ do: 'stay' }) });
    client.tell({ type: 'resize', columns: 'wide' });
    expect(await client.ended).toMatchObject({
      code: 1003,
      end: { reason: 'badFrame', message: expect.stringContaining('columns') },
    });
  });
});

describe('a terminal ends', () => {
  it('with its container', async () => {
    const client = await byOwner({ ...steps({ do: 'say', text: 'ready' }, { do: 'stay' }) });
    await client.until('ready');
    await engine.scaleService('shop', 0);
    expect(await client.ended).toMatchObject({ code: 1000, end: { reason: 'containerEnded' } });
    expect(await openTerminal(server.url, shop(), people.owner.headers)).toMatchObject({ status: 412 });
    await engine.scaleService('shop', 1);
    await vi.waitFor(async () => expect((await engine.service('shop'))?.running).toBe(1), {
      timeout: 20_000,
    });
  });

  const losses: [string, (person: Person) => Promise<unknown>][] = [
    ['the key', ({ userId }) => stores.users.keys.remove({ userId })],
    ['the membership', ({ userId }) => stores.users.members.remove({ userId })],
    [
      'the grant',
      ({ userId }) =>
        stores.users.members
          .find({ userId })
          .then((member) =>
            stores.users.members.update(
              { userId },
              { grants: { ...Object(member).grants, canOpenTerminal: false } },
            ),
          ),
    ],
  ];
  it.each(losses)('with %s of whoever has it, and what ran is hung up', async (_title, lose) => {
    await people.grant({ canOpenTerminal: true, accessedServices: [place.applicationId] });
    const person = await people.newKey(people.member);
    const client = await opened(
      server.url,
      shop(steps({ do: 'say', text: 'ready' }, { do: 'stay' })),
      person.headers,
    );
    await client.until('ready');
    const before = hungUp.length;
    const member = await stores.users.members.find({ userId: person.userId });
    await lose(person);
    expect(await client.ended).toMatchObject({ code: 1008, end: { reason: 'accessLost' } });
    await vi.waitFor(() => expect(hungUp.length).toBe(before + 1));
    await stores.users.members.remove({ userId: person.userId });
    if (member) await stores.users.members.insert(member);
  });

  it('when nothing comes or goes, and when the other side is gone without a word', async () => {
    const impatient = await begin({ idleMs: 300, heartbeatMs: 60_000 });
    const idle = await opened(impatient.url, shop(steps({ do: 'stay' })), people.owner.headers);
    expect(await idle.ended).toMatchObject({ code: 1000, end: { reason: 'idle' } });
    await impatient.close();
    const pinging = await begin({ idleMs: 60_000, heartbeatMs: 50 });
    const before = hungUp.length;
    const silent = await opened(pinging.url, shop(steps({ do: 'stay' })), people.owner.headers);
    silent.socket.pause();
    await vi.waitFor(() => expect(hungUp.length).toBe(before + 1), { timeout: 20_000 });
    silent.socket.terminate();
    await pinging.close();
  });

  it('when Berth stops, which does not wait for long', async () => {
    const stopping = await begin();
    const client = await opened(stopping.url, shop(steps({ do: 'stay' })), people.owner.headers);
    await stopping.close();
    expect(await client.ended).toMatchObject({ code: 1001, end: { reason: 'stopped' } });
  });

  it('is refused beyond twenty of one user, and may be opened again when one has ended', async () => {
    const clients = await Promise.all(
      Array.from({ length: 20 }, () => byOwner({ ...steps({ do: 'stay' }) })),
    );
    expect(await openTerminal(server.url, shop(), people.owner.headers)).toMatchObject({
      status: 429,
      body: { message: expect.stringContaining('20 terminals open') },
    });
    const [first, ...others] = clients;
    first?.socket.close();
    await vi.waitFor(async () => others.push(await byOwner({ ...steps({ do: 'stay' }) })), {
      timeout: 20_000,
    });
    for (const { socket } of others) socket.terminate();
  });
});
