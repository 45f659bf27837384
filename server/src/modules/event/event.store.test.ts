import { expect, it } from 'vitest';
import { createRandom, type Random } from '../../../../test/fuzz/random.ts';
import { createPeople, type Person } from '../../../../test/http/people.ts';
import { createPlace, type Place } from '../../../../test/http/places.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createAccounts } from '../../composition/installation/accounts.ts';
import { createStores } from '../../composition/stores.ts';
import type { Database } from '../../db/database.ts';
import type { Actor } from '../../procedure/context.ts';
import type { Clock } from '../../ports/clock.ts';
import { systemClock } from '../../ports/clock.ts';
import { keptMs, type Events } from './event.ts';
import type { ShownEvent } from './record.ts';

const seeds = [1, 2, 3];
const writers = 5;
const changesOfEach = 12;

function eventsOn(database: Database, clock: Clock = systemClock): Events {
  return createAccounts(createStores(database), database, clock).events;
}

/** Who reads, as the database has them at that moment. */
function actorNowOf(database: Database, { userId, organizationId }: Person): () => Promise<Actor> {
  const { users } = createStores(database);
  return async () => {
    const place = await users.findPlace(userId, organizationId);
    if (!place) throw new Error('No member any more.');
    return {
      userId,
      organizationId,
      ...place,
      apiKeyId: undefined,
      sessionId: 's',
      permissions: undefined,
    };
  };
}

type Places = readonly [Place, Place, Place];

interface Committed {
  resourceId: string;
  place: Place;
}

/** Changes of random places by several at once; some are taken back, whole or in a part. */
async function change(
  database: Database,
  { events, random, places, name }: { events: Events; random: Random; places: Places; name: string },
): Promise<Committed[]> {
  const committed: Committed[] = [];
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, random.below(4)));
  const tell = (place: Place, resourceId: string, organizationId: string): Promise<void> => {
    const scope = { organizationId, ...place, serviceId: place.applicationId };
    const told = { kind: 'application', what: 'updated', resourceId, organizationId } as const;
    return events.tellChange({ ...told, scope, former: undefined, userId: null });
  };
  const one = async (writer: number): Promise<void> => {
    for (let count = 0; count < changesOfEach; count += 1) {
      const place = random.pick(places);
      const resourceId = `${name} ${writer}-${count}`;
      const organizationId = place === places[2] ? 'organization-other' : 'organization-first';
      const failsWhole = random.below(5) === 0;
      await database
        .transaction(async () => {
          if (random.below(4) === 0)
            await database
              .attempt(async () => {
                await tell(place, `${resourceId} attempted`, organizationId);
                throw new Error('taken back');
              })
              .catch(() => undefined);
          await tell(place, resourceId, organizationId);
          await pause();
          if (failsWhole) throw new Error('taken back');
        })
        .then(
          () => void committed.push({ resourceId, place }),
          () => undefined,
        );
      await pause();
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => one(writer)));
  return committed;
}

/** Reads over many connections, each broken at a random moment, through either of two processes. */
async function read(
  sources: readonly [Events, Events],
  {
    random,
    actorNow,
    from,
    until,
  }: { random: Random; actorNow(): Promise<Actor>; from: string; until: string },
): Promise<ShownEvent[]> {
  const seen: ShownEvent[] = [];
  let lastEventId = from;
  for (;;) {
    const gone = new AbortController();
    const following = { lastEventId, follow: true, signal: gone.signal, actorNow };
    for await (const { id, data } of random.pick(sources).stream(following)) {
      lastEventId = id;
      seen.push(data);
      if (data.type === 'event' && data.resourceId === until) return seen;
      if (random.below(6) === 0) break;
    }
    gone.abort();
  }
}

eachDatabase('events', (test) => {
  it.each(seeds)(
    'reach every reader who may see them, all, once and in order, whatever breaks meanwhile (seed %i)',
    async (seed) => {
      const database = await test.open();
      const people = await createPeople(database);
      const places: Places = [
        await createPlace(database, people.owner, 'A'),
        await createPlace(database, people.owner, 'B'),
        await createPlace(database, people.stranger, 'C'),
      ];
      const [first, second] = places;
      const other = test.reopen(database);
      const [events, beside] = [eventsOn(database), eventsOn(other)];
      await people.grant({ accessedProjects: [first.projectId] });
      const readers = { owner: people.owner, member: people.member, stranger: people.stranger };
      const seen: Record<string, ShownEvent[]> = { owner: [], member: [], stranger: [] };
      const committed: Committed[][] = [];
      for (const [phase, granted] of [first, second].entries()) {
        const mark = `mark ${phase}`;
        await people.grant({ accessedProjects: [granted.projectId] });
        await Promise.all(
          ['organization-first', 'organization-other'].map((organizationId) =>
            events.tellChange({
              kind: 'organization',
              what: 'updated',
              resourceId: `grants ${phase}`,
              organizationId,
              scope: { organizationId },
              former: undefined,
              userId: null,
            }),
          ),
        );
        const reading = Object.entries(readers).map(async ([name, person], index) => {
          const random = createRandom(seed * 100 + phase * 10 + index);
          const last = seen[name]?.at(-1)?.id ?? '0';
          const actorNow = actorNowOf(database, person);
          seen[name]?.push(...(await read([events, beside], { random, actorNow, from: last, until: mark })));
        });
        const changing = { events, places, random: createRandom(seed * 7 + phase), name: `phase ${phase}` };
        committed.push(await change(database, changing));
        for (const organizationId of ['organization-first', 'organization-other'])
          await events.tellChange({
            kind: 'organization',
            what: 'updated',
            resourceId: mark,
            organizationId,
            scope: { organizationId },
            former: undefined,
            userId: null,
          });
        await Promise.all(reading);
      }
      const expected = (sees: (place: Place, phase: number) => boolean): string[] =>
        committed.flatMap((some, phase) =>
          some.filter(({ place }) => sees(place, phase)).map(({ resourceId }) => resourceId),
        );
      const shown = (name: string): string[] =>
        (seen[name] ?? []).flatMap((event) =>
          event.type === 'event' && event.kind === 'application' ? [event.resourceId] : [],
        );
      const sight = {
        owner: expected((place) => place !== places[2]),
        member: expected((place, phase) => place === places[phase]),
        stranger: expected((place) => place === places[2]),
      };
      for (const [name, all] of Object.entries(sight)) {
        expect(all.length).toBeGreaterThan(10);
        expect(shown(name).toSorted()).toEqual(all.toSorted());
        const positions = (seen[name] ?? []).map(({ id }) => Number(id));
        expect(positions).toEqual([...new Set(positions)].toSorted((left, right) => left - right));
        expect((seen[name] ?? []).filter(({ type }) => type !== 'event')).toEqual([]);
      }
      // Whoever sees less sees it in the same order.
      const common = shown('owner').filter((id) => sight.member.includes(id));
      expect(shown('member')).toEqual(common);
    },
  );

  it('begin with the position, and anew with a reset when it is too old or unknown', async () => {
    const database = await test.open();
    const { owner } = await createPeople(database);
    let now = Date.parse('2026-11-20T10:00:00.000Z');
    const events = eventsOn(database, { now: () => now });
    const once = async (lastEventId?: string): Promise<ShownEvent[]> => {
      const signal = new AbortController().signal;
      const actorNow = actorNowOf(database, owner);
      const all = await Array.fromAsync(events.stream({ lastEventId, follow: false, signal, actorNow }));
      return all.map(({ data }) => data);
    };
    const tell = (resourceId: string): Promise<void> =>
      events.tellChange({
        kind: 'destination',
        what: 'created',
        resourceId,
        organizationId: owner.organizationId,
        scope: undefined,
        former: undefined,
        userId: null,
      });
    expect(await once()).toEqual([{ type: 'position', id: '0' }]);
    await tell('a');
    now += keptMs / 2;
    await tell('b');
    expect(await once()).toEqual([{ type: 'position', id: '2' }]);
    expect((await once('0')).map(({ id }) => id)).toEqual(['1', '2']);
    expect(await once('1')).toEqual([
      {
        type: 'event',
        id: '2',
        at: '2026-11-20T10:07:30.000Z',
        kind: 'destination',
        what: 'created',
        resourceId: 'b',
      },
    ]);
    now += keptMs / 2 + 1;
    expect(await once('0')).toEqual([{ type: 'reset', id: '2' }]);
    expect((await once('1')).map(({ id }) => id)).toEqual(['2']);
    now += keptMs;
    expect(await once('1')).toEqual([{ type: 'reset', id: '2' }]);
    expect(await once('2')).toEqual([]);
    for (const unknown of ['3', '-1', 'x', '1e9', '99999999999999999999'])
      expect(await once(unknown)).toEqual([{ type: 'reset', id: '2' }]);
  });
});
