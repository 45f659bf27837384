import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { homeOutgoing } from '../../../../test/integration/git/outgoing-fixture.ts';
import { receiver, standardWebhook, type Receiver } from '../../../../test/notifications/receivers.ts';
import { textOf } from '../../../../test/http/interface-client.ts';
import { worlds, type World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createMailer } from '../../adapters/mail/smtp.ts';
import type { Database } from '../../db/database.ts';
import type { Fact, TellFact } from '../../domain/states/fact.ts';
import { systemClock } from '../../ports/clock.ts';
import { router } from '../../procedure/registry.ts';
import { notificationContract } from './contract.ts';
import { createDispatch, type Dispatch } from './dispatch.ts';
import { notificationHandlers } from './handlers.ts';
import { createNotifications, mostChannels } from './notification.ts';
import { createSend } from './sending.ts';
import { createNotificationStore, type NotificationStore } from './store.ts';
import { createTelling, mostSingle } from './tell-fact.ts';
import { createTesting } from './testing.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const minuteMs = 60_000;

/** Takes requests and answers none; `asked` resolves with the first. */
async function neverAnswers() {
  const first = Promise.withResolvers<void>();
  const server = createServer(() => first.resolve());
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    asked: first.promise,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Told extends World {
  clock: { time: number; now(): number };
  store: NotificationStore;
  tell: TellFact;
  dispatch: Dispatch;
  /** Of a second process on the same database. */
  dispatchOfAnother(): Dispatch;
  faults: unknown[];
  notificationId: string;
  fact(name: string, event?: Fact['event']): Fact;
  /** Time goes on and what is due is sent. */
  after(ms: number): Promise<void>;
  one(): Promise<Record<string, unknown>>;
}

eachDatabase('notifications', (test) => {
  const createWorld = worlds(test);

  async function begin(
    other: Receiver,
    events: string[] = ['deploymentFailed', 'deploymentDone'],
  ): Promise<Told> {
    const clock = { time: systemClock.now(), now: () => clock.time };
    const faults: unknown[] = [];
    const onFault = (error: unknown): void => void faults.push(error);
    const send = createSend({
      outgoing: homeOutgoing,
      mailer: createMailer(homeOutgoing),
      clock: systemClock,
    });
    const partsOf = (database: Database) => {
      const store = createNotificationStore(database);
      return {
        store,
        tell: createTelling({ store, clock, onFault }),
        dispatch: createDispatch({ store, send, clock, onFault }),
      };
    };
    const world = await createWorld((database) => {
      const { store } = partsOf(database);
      const notifications = createNotifications(store, clock);
      const testing = createTesting({ store, notifications, send, clock });
      return [
        router('notification', notificationContract, notificationHandlers({ notifications, test: testing })),
      ];
    });
    const { tell, dispatch, store } = partsOf(world.database);
    const notificationId = textOf(
      await world.owner.mutate('notification.create', {
        name: 'ops',
        channel: 'webhook',
        events,
        webhook: { url: other.url, secret },
      }),
      'notificationId',
    );
    return {
      ...world,
      clock,
      store,
      tell,
      dispatch,
      dispatchOfAnother: () => partsOf(world.database).dispatch,
      faults,
      notificationId,
      fact: (name, event = 'deploymentFailed') => ({
        event,
        organizationId: world.people.owner.organizationId,
        subject: { type: 'application', id: name, name },
        sentence: `${name} failed`,
      }),
      async after(ms) {
        clock.time += ms;
        await dispatch.tick();
      },
      one: async () =>
        Object.fromEntries(
          Object.entries(Object(await world.owner.query('notification.one', { notificationId }))),
        ),
    };
  }
  const told = ({ taken }: Receiver): unknown[] => taken.map(({ body }) => body['title']);

  it('keep their secrets, and give them to no other address', async () => {
    await using other = await receiver(standardWebhook(secret));
    const { owner, admin, member, stranger, nobody, database, notificationId, one } = await begin(other);
    const shown = await one();
    expect(shown).toMatchObject({ webhook: { url: other.url }, slack: null, waiting: 0, lastError: null });
    expect(JSON.stringify(await owner.query('notification.all'))).not.toContain(secret);
    const store = createNotificationStore(database);
    expect((await store.find({ notificationId }))?.settings).toContain(secret);
    const input = { notificationId, webhook: { url: 'https://elsewhere.example.com' } };
    expect(await owner.mutate('notification.update', input)).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['webhook.secret'],
    });
    expect(await admin.mutate('notification.update', { ...input, name: 'x', webhook: null })).toMatchObject({
      name: 'x',
      webhook: { url: other.url },
    });
    expect(await owner.mutate('notification.update', { notificationId, slack: {} })).toMatchObject({
      fields: ['slack'],
    });
    expect(await stranger.query('notification.one', { notificationId })).toMatchObject({ code: 'FORBIDDEN' });
    expect(await member.query('notification.all')).toMatchObject({ code: 'FORBIDDEN' });
    expect(await nobody.query('notification.all')).toMatchObject({ code: 'UNAUTHORIZED' });
  });

  it('tell each fact once, to the organization alone, and only what was asked for', async () => {
    await using other = await receiver(standardWebhook(secret));
    const { tell, fact, after, one, people, faults, store } = await begin(other);
    await tell(fact('shop'));
    await tell(fact('shop', 'deploymentDone'));
    await tell(fact('shop', 'serviceDown'));
    await tell({ ...fact('rival'), organizationId: people.stranger.organizationId });
    await after(0);
    await after(minuteMs);
    expect(told(other)).toEqual(['Deployment failed: shop', 'Deployment done: shop']);
    expect(other.taken[0]?.body).toMatchObject({
      event: 'deploymentFailed',
      message: 'shop failed',
      count: 1,
      subject: { type: 'application', id: 'shop', name: 'shop' },
      id: other.taken[0]?.headers['webhook-id'],
    });
    expect(await one()).toMatchObject({ waiting: 0, lastError: null, lastSentAt: expect.any(String) });
    expect((await store.deliveries.list({})).map(({ state }) => state)).toEqual(['sent', 'sent']);
    expect(faults).toEqual([]);
  });

  it('wait while a channel is down, show why, and arrive in order under the same id', async () => {
    await using other = await receiver(standardWebhook(secret));
    const { tell, fact, after, one, clock, database, dispatch } = await begin(other);
    other.refusal = { status: 503, body: 'down for maintenance' };
    for (const name of ['one', 'two', 'three']) {
      await tell(fact(name));
      await after(minuteMs);
    }
    expect(await one()).toMatchObject({
      waiting: 3,
      lastSentAt: null,
      lastError: expect.stringContaining('answered with status 503: down for maintenance'),
    });
    // An hour later, through another Berth on the same database.
    for (let minute = 0; minute < 60; minute += 5) await after(5 * minuteMs);
    const ids = (await createNotificationStore(database).deliveries.list({ state: 'queued' })).map(
      ({ notice }) => notice.id,
    );
    await dispatch.stop();
    other.refusal = undefined;
    const send = createSend({
      outgoing: homeOutgoing,
      mailer: createMailer(homeOutgoing),
      clock: systemClock,
    });
    const next = createDispatch({
      store: createNotificationStore(database),
      send,
      clock,
      onFault: () => undefined,
    });
    clock.time += 15 * minuteMs;
    await next.tick();
    expect(told(other)).toEqual(['one', 'two', 'three'].map((name) => `Deployment failed: ${name}`));
    expect(new Set(other.taken.map(({ body }) => body['id']))).toEqual(new Set(ids));
    expect(await one()).toMatchObject({ waiting: 0, lastError: null });
  });

  it('give up after three days, and go on with what is newer', async () => {
    await using other = await receiver(standardWebhook(secret));
    const { tell, fact, after, store } = await begin(other);
    other.refusal = { status: 500, body: '' };
    await tell(fact('old'));
    await after(0);
    await after(71 * 60 * minuteMs);
    await tell(fact('new'));
    await after(2 * 60 * minuteMs);
    expect(
      (await store.deliveries.list({}, { by: ['sequence'], direction: 'asc' })).map(({ state }) => state),
    ).toEqual(['given up', 'queued']);
    other.refusal = undefined;
    await after(15 * minuteMs);
    expect(told(other)).toEqual(['Deployment failed: new']);
  });

  it('tell one of a kind and subject in five minutes, then a summary of the others', async () => {
    await using other = await receiver(standardWebhook(secret));
    const { tell, fact, after } = await begin(other);
    for (let count = 0; count < 50; count += 1) {
      await tell(fact('shop'));
      await after(1000);
    }
    expect(told(other)).toEqual(['Deployment failed: shop']);
    await after(5 * minuteMs);
    expect(told(other)).toEqual(['Deployment failed: shop', 'Summary: 49 × Deployment failed: shop']);
    expect(other.taken[1]?.body).toMatchObject({ event: 'summary', count: 49, subject: { id: 'shop' } });
    await after(10 * minuteMs);
    await tell(fact('shop'));
    await after(0);
    expect(told(other)).toHaveLength(3);
  });

  it('make a storm of 1,000 into twenty messages and a summary', async () => {
    await using other = await receiver(standardWebhook(secret));
    const { tell, fact, after, one } = await begin(other);
    for (let count = 0; count < 1000; count += 1)
      await tell(fact(`shop-${count}`, count % 2 === 0 ? 'deploymentFailed' : 'deploymentDone'));
    await after(0);
    expect(other.taken).toHaveLength(mostSingle);
    expect(await one()).toMatchObject({ waiting: 1 });
    await after(5 * minuteMs);
    expect(other.taken.at(-1)?.body).toMatchObject({
      event: 'summary',
      count: 1000 - mostSingle,
      message: expect.stringContaining('490 × Deployment failed, 490 × Deployment done'),
    });
    expect(other.taken).toHaveLength(mostSingle + 1);
  });

  it('lose nothing of facts that are told at the same moment', async () => {
    await using other = await receiver(standardWebhook(secret));
    const { tell, fact, store, database, faults } = await begin(other);
    const atOnce = 8;
    const transactions = Array.from({ length: atOnce }, () =>
      database.transaction(async () => tell(fact('shop'))),
    );
    await Promise.all(transactions);
    const stored = await store.deliveries.list({}, { by: ['opensAt'], direction: 'asc' });
    expect(stored.map(({ isSummary, notice }) => [isSummary, notice.counts])).toEqual([
      [false, { deploymentFailed: 1 }],
      [true, { deploymentFailed: atOnce - 1 }],
    ]);
    expect(faults).toEqual([]);
  });

  it('begin a summary of their own when the former is about to go out', async () => {
    await using other = await receiver(standardWebhook(secret));
    const { tell, fact, store, clock } = await begin(other);
    await tell(fact('shop'));
    await tell(fact('shop'));
    clock.time += 5 * minuteMs - 500;
    await tell(fact('shop'));
    const stored = await store.deliveries.list({}, { by: ['opensAt'], direction: 'asc' });
    expect(stored.map(({ notice }) => notice.counts)).toEqual(Array(3).fill({ deploymentFailed: 1 }));
  });

  it('wait for no other channel that takes its time', async () => {
    await using other = await receiver(standardWebhook(secret));
    await using silent = await neverAnswers();
    const { tell, fact, owner, notificationId, dispatch, people, stranger } = await begin(other);
    await owner.mutate('notification.update', { notificationId, webhook: { url: silent.url, secret } });
    const webhook = { url: other.url, secret };
    const theirs = { name: 'theirs', channel: 'webhook', events: ['deploymentFailed'], webhook };
    await stranger.mutate('notification.create', theirs);
    await tell(fact('shop'));
    await dispatch.begin();
    await silent.asked;
    await tell({ ...fact('rival'), organizationId: people.stranger.organizationId });
    await dispatch.begin();
    while (other.count === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(told(other)).toEqual(['Deployment failed: rival']);
    await silent[Symbol.asyncDispose]();
    await dispatch.stop();
  });

  it('are sent by one process at a time, in order, whatever the number of processes', async () => {
    await using other = await receiver(standardWebhook(secret));
    const { tell, fact, dispatch, dispatchOfAnother, clock, store, notificationId } = await begin(other);
    for (let count = 0; count < 10; count += 1) await tell(fact(`shop ${count}`));
    const another = dispatchOfAnother();
    await Promise.all([dispatch.tick(), another.tick(), dispatch.tick(), another.tick()]);
    await Promise.all([dispatch.tick(), another.tick()]);
    expect([...new Set(other.taken.map(({ body }) => body['id']))]).toHaveLength(10);
    // One that died in its turn holds it for a minute.
    await tell(fact('late'));
    await store.lease(notificationId, { holder: 'dead', now: clock.now(), until: clock.now() + minuteMs });
    await dispatch.tick();
    expect(other.taken).toHaveLength(10);
    clock.time += minuteMs;
    await another.tick();
    expect(other.taken).toHaveLength(11);
  });

  it('are fifty channels of an organization at most', async () => {
    await using other = await receiver(standardWebhook(secret));
    const { owner } = await begin(other);
    const another = {
      name: 'more',
      channel: 'webhook',
      events: ['deploymentFailed'],
      webhook: { url: other.url, secret },
    };
    for (let count = 1; count < mostChannels; count += 1) await owner.mutate('notification.create', another);
    expect(await owner.mutate('notification.create', another)).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('has 50 notification channels'),
    });
  });

  it('are a part of what they tell of: all or nothing', async () => {
    await using other = await receiver(standardWebhook(secret));
    const { tell, fact, store, database } = await begin(other);
    const failing = database.transaction(async () => {
      await tell(fact('shop'));
      throw new Error('taken back');
    });
    await expect(failing).rejects.toThrow('taken back');
    expect(await store.deliveries.list({})).toEqual([]);
  });

  it('are tried by a person, who is told what the other side said', async () => {
    await using other = await receiver(standardWebhook(secret));
    const { owner, notificationId, one } = await begin(other);
    expect(await owner.mutate('notification.test', { notificationId })).toEqual({ success: true });
    expect(other.taken[0]?.body).toMatchObject({ event: 'test' });
    other.refusal = { status: 410, body: 'gone' };
    expect(await owner.mutate('notification.test', { notificationId })).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('answered with status 410: gone'),
    });
    expect(await one()).toMatchObject({ lastError: expect.stringContaining('410') });
  });

  it('drop what waits when they are switched off', async () => {
    await using other = await receiver(standardWebhook(secret));
    const { owner, tell, fact, after, notificationId } = await begin(other);
    await tell(fact('shop'));
    await owner.mutate('notification.update', { notificationId, enabled: false });
    await tell(fact('other'));
    await after(minuteMs);
    expect(other.count).toBe(0);
  });
});
