import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { killContainer } from '../../../../test/engine-in-memory/containers.ts';
import { createEngineInMemory } from '../../../../test/engine-in-memory/engine-in-memory.ts';
import { nodeProgram } from '../../../../test/engine-in-memory/programs/steps-program.ts';
import { stepService } from '../../../../test/engine-suite/fixture.ts';
import { commandOf, type Step } from '../../../../test/engine-suite/steps.ts';
import { installVirtualTime } from '../../../../test/virtual-time/virtual-time.ts';
import { AppError } from '../../domain/errors.ts';
import { systemClock as clock } from '../../ports/clock.ts';
import type { PlacedService } from '../service/service.ts';
import { mostBytes } from './buffer.ts';
import { createFollowing } from './following.ts';
import { createLogDrains, type LogDrains } from './log-drain.ts';
import { createShipping, type Shipping } from './shipping.ts';
import type { LogDrainRecord, LogDrainStore } from './store.ts';

let uninstall: () => void;
beforeAll(() => {
  uninstall = installVirtualTime();
});
afterAll(() => uninstall());

/** Longer than any pause after a failure, than a lease, and than what runs takes to be seen. */
const laterMs = 61_000;
const minuteMs = 60_000;

function storeInMemory(): LogDrainStore {
  const rows = new Map<string, LogDrainRecord>();
  const matching = (where: Partial<LogDrainRecord>): LogDrainRecord[] =>
    [...rows.values()].filter((row) =>
      Object.entries({ ...row, ...where }).every(([key, value]) => value === Reflect.get(row, key)),
    );
  const change = (id: string, patch: Partial<LogDrainRecord>): number => {
    const row = rows.get(id);
    if (row) rows.set(id, { ...row, ...patch });
    return row ? 1 : 0;
  };
  // Of a table, log drains use no more than this.
  return {
    insert: async (row: LogDrainRecord) => void rows.set(row.logDrainId, row),
    find: async (where: Partial<LogDrainRecord>) => matching(where)[0],
    list: async (where: Partial<LogDrainRecord>) => matching(where),
    update: async ({ logDrainId = '' }, patch: Partial<LogDrainRecord>) => change(logDrainId, patch),
    remove: async ({ logDrainId = '' }) => Number(rows.delete(logDrainId)),
    async lease(id: string, { holder, now, until }: { holder: string; now: number; until: number }) {
      const row = rows.get(id);
      const isFree = row !== undefined && (row.leaseUntil <= now || row.leaseHolder === holder);
      return isFree && change(id, { leaseHolder: holder, leaseUntil: until }) === 1;
    },
    async count(id: string, { sent, dropped }: { sent: number; dropped: number }) {
      const row = rows.get(id);
      if (row) change(id, { sent: row.sent + sent, dropped: row.dropped + dropped });
    },
  } as unknown as LogDrainStore;
}

const placed = (serviceId: string, organizationId: string, projectId: string): PlacedService =>
  ({
    kind: 'application',
    serviceId,
    organizationId,
    projectId,
    appName: serviceId,
    projectName: projectId,
    environmentName: 'production',
  }) as PlacedService;

interface World {
  memory: ReturnType<typeof createEngineInMemory>;
  store: LogDrainStore;
  drains: LogDrains;
  /** What each address has taken, by the name of the drain. */
  taken: Map<string, string[]>;
  /** Addresses that refuse, with how. */
  refusing: Map<string, Error>;
  troubles: string[];
  faults: unknown[];
  shipping: Shipping;
  another(): Shipping;
  run(name: string, ...steps: Step[]): Promise<void>;
  add(name: string, projectId?: string): Promise<string>;
}

function world(): World {
  const [memory, store] = [createEngineInMemory(), storeInMemory()];
  memory.addImage('steps:1', { programs: { node: nodeProgram }, command: ['node'] });
  const services = [placed('shop', 'o', 'p'), placed('mail', 'o', 'q'), placed('theirs', 'other', 'r')];
  const [taken, refusing] = [new Map<string, string[]>(), new Map<string, Error>()];
  const [troubles, faults]: [string[], unknown[]] = [[], []];
  const drains = createLogDrains(store, clock);
  const another = (): Shipping =>
    createShipping({
      store,
      clock,
      onFault: (error) => void faults.push(error),
      async send({ name }, lines) {
        const refusal = refusing.get(name);
        if (refusal) throw refusal;
        taken.set(name, [...(taken.get(name) ?? []), ...lines.map(({ text }) => text)]);
      },
      follow: createFollowing({
        hosts: async () => [{ key: 'local', name: 'here', engine: memory.engine }],
        placed: async () => services,
        organizationName: async (id) => id,
        clock,
        onTrouble: (what) => void troubles.push(`${what}: away`),
        onOver: (what) => void troubles.push(`${what}: back`),
      }),
    });
  return {
    memory,
    store,
    drains,
    taken,
    refusing,
    troubles,
    faults,
    another,
    shipping: another(),
    async run(name, ...steps) {
      const labels = { 'berth.managed': 'true', 'berth.organization': 'o', 'berth.application': name };
      const command = commandOf([...steps, { do: 'stay' }]);
      await memory.engine.applyService(stepService(name, [], { image: 'steps:1', command, labels }));
    },
    async add(name, projectId) {
      const input = { name, type: 'syslogTcp', address: 'logs.example.com:514', projectId } as const;
      return (await drains.create('o', input)).logDrainId;
    },
  };
}

async function later(shipping: Shipping, times = 2): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    await pause(laterMs);
    await shipping.flush();
  }
}

const count = (text: string, times: number): Step => ({ do: 'count', text, times });
const counted = (text: string, times: number): string[] =>
  Array.from({ length: times }, (_, number) => `${text} ${number}`);

it('send what services of their organization write, in order, of one project where it is named', async () => {
  const { add, run, shipping, taken, drains, faults } = world();
  const all = await add('all');
  await add('mail alone', 'q');
  await shipping.flush();
  await run('shop', count('shop', 300));
  await run('theirs', count('theirs', 5));
  await later(shipping);
  await run('mail', count('mail', 5));
  await later(shipping);
  expect(taken.get('all')).toEqual([...counted('shop', 300), ...counted('mail', 5)]);
  expect(taken.get('mail alone')).toEqual(counted('mail', 5));
  expect(await drains.one(all, 'o')).toMatchObject({ sent: 305, dropped: 0, lastError: null });
  expect(faults).toEqual([]);
  await shipping.stop();
});

it('keep what an address does not take, and say what had to be dropped', async () => {
  const { add, run, shipping, taken, drains, refusing } = world();
  const id = await add('all');
  refusing.set('all', new AppError('SERVICE_UNAVAILABLE', 'logs.example.com does not answer.'));
  await shipping.flush();
  // Together more bytes than wait for one address.
  const written = counted('x'.repeat(10_000), 450);
  await run('shop', count('x'.repeat(10_000), 450));
  await later(shipping);
  const { dropped, ...record } = await drains.one(id, 'o');
  expect(record).toMatchObject({
    sent: 0,
    lastSentAt: null,
    lastError: 'logs.example.com does not answer.',
  });
  refusing.clear();
  await later(shipping);
  const [words, ...lines] = taken.get('all') ?? [];
  expect(words).toBe(`${dropped} lines were dropped: more came than this address took. (log drain all)`);
  expect(lines.length * 2 * 10_000).toBeGreaterThan(0.98 * mostBytes);
  expect(lines).toEqual(written.slice(0, written.length - dropped));
  expect(await drains.one(id, 'o')).toMatchObject({ sent: lines.length, lastError: null });
  await shipping.stop();
});

it('wait longer after each refusal', async () => {
  const { add, run, shipping, refusing, store } = world();
  const logDrainId = await add('all');
  refusing.set('all', new AppError('SERVICE_UNAVAILABLE', 'away'));
  await shipping.flush();
  await run('shop', count('shop', 1));
  const tried: number[] = [];
  let last: string | null | undefined;
  const start = Date.now();
  while (Date.now() - start < 4 * minuteMs) {
    await pause(1000);
    await shipping.flush();
    const { lastErrorAt } = (await store.find({ logDrainId })) ?? {};
    if (lastErrorAt && lastErrorAt !== last) tried.push(Date.parse((last = lastErrorAt)));
  }
  const pauses = tried.slice(1).map((at, index) => Math.round((at - (tried[index] ?? 0)) / 1000));
  expect(pauses.slice(0, 4)).toEqual([2, 5, 15, 60]);
  await shipping.stop();
});

it('say once that a server is away, and go on after the last line when it is back', async () => {
  const { add, run, shipping, taken, memory, troubles, faults } = world();
  await add('all');
  await shipping.flush();
  await run('shop', count('shop', 20));
  await later(shipping);
  memory.setAway(true);
  await later(shipping, 5);
  expect(troubles).toEqual(['here: away']);
  memory.setAway(false);
  for (const container of memory.state.containers.values()) killContainer(container);
  await later(shipping, 4);
  expect(taken.get('all')).toEqual([...counted('shop', 20), ...counted('shop', 20)]);
  expect(troubles).toEqual(['here: away', 'here: back']);
  expect(faults).toEqual([]);
  await shipping.stop();
});

it('are one process’s at a time; the next one has them when that stops or dies', async () => {
  const { add, run, shipping, another, taken, drains, store } = world();
  const id = await add('all');
  const beside = another();
  await shipping.flush();
  await beside.flush();
  await run('shop', count('shop', 10), { do: 'every', ms: 300_000, text: 'again' });
  await later(shipping);
  await beside.flush();
  expect(taken.get('all')).toEqual(counted('shop', 10));
  const holder = async () => (await store.find({ logDrainId: id }))?.leaseHolder;
  const first = await holder();
  await shipping.stop();
  await beside.flush();
  expect(await holder()).not.toBe(first);
  await later(beside, 10);
  expect(taken.get('all')?.slice(0, 12)).toEqual([...counted('shop', 10), 'again 0', 'again 1']);
  await drains.update(id, 'o', { enabled: false });
  await later(beside);
  const before = taken.get('all')?.length;
  await later(beside, 4);
  expect(taken.get('all')).toHaveLength(before ?? -1);
  await beside.stop();
});

it('are tried by a line, and hide their password in what went wrong', async () => {
  const { shipping, drains, taken, refusing, faults } = world();
  const { logDrainId } = await drains.create('o', {
    name: 'loki',
    type: 'loki',
    address: 'https://logs.example.com/push',
    username: 'berth',
    password: 'top-secret',
  });
  const record = () => drains.found(logDrainId, 'o');
  await shipping.test(await record());
  expect(taken.get('loki')).toEqual(['Berth reaches this address. (log drain loki)']);
  refusing.set('loki', new AppError('SERVICE_UNAVAILABLE', 'Not signed in with top-secret.'));
  await expect(shipping.test(await record())).rejects.toThrow('Not signed in');
  expect(await record()).toMatchObject({ lastError: 'Not signed in with ••••.' });
  refusing.set('loki', new TypeError('inside'));
  await expect(shipping.test(await record())).rejects.toThrow('inside');
  expect([(await record()).lastError, faults.length]).toEqual(['Something went wrong inside Berth.', 1]);
});
