/** Lines from services on the engine in memory to receivers of syslog and of Loki. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it, vi } from 'vitest';
import { killContainer } from '../../../../test/engine-in-memory/containers.ts';
import { createEngineInMemory } from '../../../../test/engine-in-memory/engine-in-memory.ts';
import { nodeProgram } from '../../../../test/engine-in-memory/programs/steps-program.ts';
import { stepService } from '../../../../test/engine-suite/fixture.ts';
import { commandOf, type Step } from '../../../../test/engine-suite/steps.ts';
import { createPeople } from '../../../../test/http/people.ts';
import { createPlace } from '../../../../test/http/places.ts';
import { homeOutgoing } from '../../../../test/integration/git/outgoing-fixture.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { sentenceOf } from '../../domain/errors.ts';
import { systemClock } from '../../ports/clock.ts';
import { createFollowing } from './following.ts';
import { createLogDrains } from './log-drain.ts';
import { createSendLines } from './sending.ts';
import { createShipping } from './shipping.ts';

const waiting = { timeout: 30_000, interval: 50 };

/** Reads messages as RFC 6587 counts them. */
async function syslogTcp(port = 0) {
  const messages: string[] = [];
  const server = createServer((socket) => {
    let rest = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      for (;;) {
        const [whole = '', digits] = /^(\d+) /.exec(rest.subarray(0, 12).toString('latin1')) ?? [];
        const end = whole.length + Number(digits);
        if (digits === undefined || rest.length < end) return;
        messages.push(rest.subarray(whole.length, end).toString());
        rest = rest.subarray(end);
      }
    });
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    messages,
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

async function syslogUdp() {
  const messages: string[] = [];
  const socket = createSocket('udp4', (message) => void messages.push(message.toString()));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { messages, port: socket.address().port, close: () => socket.close() };
}

async function loki(password: string) {
  const texts: string[] = [];
  const state = { status: 204 };
  const server = createHttpServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.once('end', () => {
      const wanted = `Basic ${Buffer.from(`berth:${password}`).toString('base64')}`;
      const isRight = request.url === '/loki/api/v1/push' && request.headers.authorization === wanted;
      if (isRight && state.status === 204)
        for (const { values } of JSON.parse(body).streams)
          texts.push(...values.map(([, text]: [string, string]) => text));
      response.writeHead(isRight ? state.status : 401).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    texts,
    state,
    address: `http://127.0.0.1:${port}/loki/api/v1/push`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

const textOf = (message: string): string => /\] (.*)$/s.exec(message)?.[1] ?? message;

eachDatabase('log drains', (test) => {
  async function begin() {
    const database = await test.open();
    const stores = createStores(database);
    const people = await createPeople(database);
    const { organizationId } = people.owner;
    const [shop, mail] = [
      await createPlace(database, people.owner, 'Shop'),
      await createPlace(database, people.owner, 'Mail'),
    ];
    const theirs = await createPlace(database, people.stranger, 'Theirs');
    const memory = createEngineInMemory();
    memory.addImage('steps:1', { programs: { node: nodeProgram }, command: ['node'] });
    const time = { ahead: 0 };
    const clock = { now: () => systemClock.now() + time.ahead };
    const faults: unknown[] = [];
    const troubles: string[] = [];
    const onFault = (error: unknown): void => void faults.push(error);
    const drains = createLogDrains(stores.logDrains, clock);
    const another = () =>
      createShipping({
        store: stores.logDrains,
        send: createSendLines(homeOutgoing),
        clock,
        onFault,
        follow: createFollowing({
          hosts: async () => [{ key: 'local', name: 'here', engine: memory.engine }],
          placed: () => stores.serviceReads.everywhere(),
          organizationName: async (id) => id,
          clock,
          onTrouble: (what, error) => void troubles.push(`${what}: ${sentenceOf(error)}`),
          onOver: (what) => void troubles.push(`${what} is read again`),
        }),
      });
    const run = (
      name: string,
      applicationId: string,
      organization: string,
      ...steps: Step[]
    ): Promise<unknown> =>
      memory.engine.applyService(
        stepService(name, steps, {
          image: 'steps:1',
          command: commandOf(steps),
          labels: {
            'berth.managed': 'true',
            'berth.organization': organization,
            'berth.application': applicationId,
          },
        }),
      );
    return {
      stores,
      people,
      organizationId,
      shop,
      mail,
      theirs,
      memory,
      time,
      drains,
      shipping: another(),
      another,
      faults,
      troubles,
      run,
    };
  }

  it('send what services write, each line once, in order, and only what is the organization’s', async () => {
    const { drains, shipping, run, shop, mail, theirs, organizationId, people, faults } = await begin();
    const [tcp, udp, http] = [await syslogTcp(), await syslogUdp(), await loki('secret')];
    const all = { name: 'all', type: 'syslogTcp', address: `127.0.0.1:${tcp.port}` } as const;
    await drains.create(organizationId, all);
    const one = { name: 'one', type: 'syslogUdp', address: `127.0.0.1:${udp.port}` } as const;
    await drains.create(organizationId, { ...one, projectId: mail.projectId });
    const signedIn = { name: 'loki', type: 'loki', address: http.address, username: 'berth' } as const;
    const { logDrainId } = await drains.create(organizationId, { ...signedIn, password: 'secret' });
    await shipping.flush();
    await run(
      'shop',
      shop.applicationId,
      organizationId,
      { do: 'count', text: 'shop', times: 300 },
      { do: 'stay' },
    );
    await run(
      'mail',
      mail.applicationId,
      organizationId,
      { do: 'count', text: 'mail', times: 20 },
      { do: 'stay' },
    );
    await run('theirs', theirs.applicationId, people.stranger.organizationId, {
      do: 'count',
      text: 'theirs',
      times: 20,
    });
    await vi.waitFor(async () => {
      await shipping.flush();
      expect([tcp.messages.length, udp.messages.length, http.texts.length]).toEqual([320, 20, 320]);
    }, waiting);
    const expected = (text: string, times: number): string[] =>
      Array.from({ length: times }, (_, number) => `${text} ${number}`);
    const texts = tcp.messages.map(textOf);
    expect(texts.filter((text) => text.startsWith('shop'))).toEqual(expected('shop', 300));
    expect(texts.filter((text) => text.startsWith('mail'))).toEqual(expected('mail', 20));
    expect(http.texts.filter((text) => text.startsWith('shop'))).toEqual(expected('shop', 300));
    expect(new Set(udp.messages.map(textOf))).toEqual(new Set(expected('mail', 20)));
    for (const message of [...tcp.messages, ...udp.messages])
      expect(message).toMatch(
        /^<134>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ \S+ \S+ - \[berth@32473 organization="organization-first" /,
      );
    expect(await drains.one(logDrainId, organizationId)).toMatchObject({
      sent: 320,
      dropped: 0,
      lastError: null,
    });
    expect(faults).toEqual([]);
    await shipping.stop();
    udp.close();
    await Promise.all([tcp.close(), http.close()]);
  });

  it('wait while an address does not answer, drop what is too much, and say so', async () => {
    const { drains, shipping, run, shop, organizationId, time, faults } = await begin();
    const gone = await syslogTcp();
    await gone.close();
    const address = `127.0.0.1:${gone.port}`;
    const { logDrainId } = await drains.create(organizationId, { name: 'all', type: 'syslogTcp', address });
    await shipping.flush();
    const times = 10_500;
    await run(
      'shop',
      shop.applicationId,
      organizationId,
      { do: 'count', text: 'shop', times },
      { do: 'stay' },
    );
    await vi.waitFor(async () => {
      time.ahead += 60_000;
      await shipping.flush();
      expect((await drains.one(logDrainId, organizationId)).dropped).toBe(500);
    }, waiting);
    expect(await drains.one(logDrainId, organizationId)).toMatchObject({
      sent: 0,
      lastSentAt: null,
      lastError: expect.stringContaining('127.0.0.1'),
    });
    const back = await syslogTcp(gone.port);
    time.ahead += 60_000;
    await shipping.flush();
    // What was taken by its machine is read by it in its own time.
    await vi.waitFor(() => expect(back.messages).toHaveLength(10_001), waiting);
    const texts = back.messages.map(textOf);
    expect(texts[0]).toContain('500 lines were dropped: more came than this address took.');
    expect(texts.slice(1)).toEqual(Array.from({ length: 10_000 }, (_, number) => `shop ${number}`));
    expect(await drains.one(logDrainId, organizationId)).toMatchObject({ sent: 10_000, lastError: null });
    expect(faults).toEqual([]);
    await shipping.stop();
    await back.close();
  });

  it('say once that a server is away, and go on when it is back', async () => {
    const { drains, shipping, run, shop, organizationId, memory, time, faults, troubles } = await begin();
    const tcp = await syslogTcp();
    await drains.create(organizationId, {
      name: 'all',
      type: 'syslogTcp',
      address: `127.0.0.1:${tcp.port}`,
    });
    await shipping.flush();
    const steps: Step[] = [{ do: 'count', text: 'shop', times: 20 }, { do: 'stay' }];
    await run('shop', shop.applicationId, organizationId, ...steps);
    await vi.waitFor(async () => {
      await shipping.flush();
      expect(tcp.messages).toHaveLength(20);
    }, waiting);
    memory.setAway(true);
    for (let count = 0; count < 20; count += 1) {
      time.ahead += 10_000;
      await shipping.flush();
    }
    expect(troubles).toEqual([expect.stringMatching(/^here: /)]);
    memory.setAway(false);
    for (const container of memory.state.containers.values()) killContainer(container);
    await vi.waitFor(async () => {
      time.ahead += 60_000;
      await shipping.flush();
      expect(tcp.messages).toHaveLength(40);
    }, waiting);
    const written = Array.from({ length: 20 }, (_, number) => `shop ${number}`);
    expect(tcp.messages.map(textOf)).toEqual([...written, ...written]);
    expect(troubles).toEqual([expect.stringMatching(/^here: /), 'here is read again']);
    expect(faults).toEqual([]);
    await shipping.stop();
    await tcp.close();
  });

  it('are one process’s at a time, end when they are switched off, and are tried by a line', async () => {
    const { drains, shipping, another, run, shop, organizationId, stores, time } = await begin();
    const http = await loki('right');
    const signedIn = { name: 'loki', type: 'loki', address: http.address, username: 'berth' } as const;
    const { logDrainId } = await drains.create(organizationId, { ...signedIn, password: 'wrong' });
    const record = () => drains.found(logDrainId, organizationId);
    await expect(shipping.test(await record())).rejects.toThrow('answered with status 401');
    await drains.update(logDrainId, organizationId, { password: 'right' });
    await shipping.test(await record());
    expect(http.texts).toEqual(['Berth reaches this address. (log drain loki)']);
    const beside = another();
    await shipping.flush();
    await beside.flush();
    await run(
      'shop',
      shop.applicationId,
      organizationId,
      { do: 'count', text: 'shop', times: 50 },
      { do: 'stay' },
    );
    await vi.waitFor(async () => {
      await Promise.all([shipping.flush(), beside.flush()]);
      expect(http.texts).toHaveLength(51);
    }, waiting);
    // The one that has it stops, and the other goes on.
    await shipping.stop();
    await beside.flush();
    expect((await stores.logDrains.find({ logDrainId }))?.leaseHolder).not.toBeNull();
    await drains.update(logDrainId, organizationId, { enabled: false });
    time.ahead += 60_000;
    await beside.flush();
    await beside.stop();
    await http.close();
  });
});
