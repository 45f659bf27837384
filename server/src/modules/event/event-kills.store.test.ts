/** Events of processes that are killed, read by processes that are killed and started again. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRandom, type Random } from '../../../../test/fuzz/random.ts';
import { createPeople, type Person } from '../../../../test/http/people.ts';
import { createPlace } from '../../../../test/http/places.ts';
import { eachDatabase, type TestDatabase } from '../../../../test/store/each-database.ts';
import type { WriterOrder } from '../../../../test/store/event-writer.ts';
import { createAccounts } from '../../composition/installation/accounts.ts';
import { createStores } from '../../composition/stores.ts';
import type { Database } from '../../db/database.ts';
import type { Actor } from '../../procedure/context.ts';
import { systemClock } from '../../ports/clock.ts';
import type { ShownEvent } from './record.ts';

const seeds = [1, 2];
const lives = 3;
const limitMs = 60_000;
const program = join(import.meta.dirname, '../../../../test/store/event-writer.ts');

/**
 * Lets a process write until it has committed so many changes, and kills it in the middle of the next ones.
 */
async function writeAndKill(order: WriterOrder, changes: number): Promise<void> {
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const signal = AbortSignal.timeout(limitMs);
  for (let committed = 0; committed < changes; ) {
    const [told]: Buffer[] = await once(child.stdout, 'data', { signal });
    committed += told?.length ?? 0;
  }
  child.kill('SIGKILL');
  await ended;
}

const actorNowOf =
  (database: Database, { userId, organizationId }: Person): (() => Promise<Actor>) =>
  async () => {
    const standing = await createStores(database).users.findPlace(userId, organizationId);
    if (!standing) throw new Error('No member any more.');
    const identity = { userId, organizationId, apiKeyId: undefined, sessionId: 's', permissions: undefined };
    return { ...identity, ...standing };
  };

/** Reads by one Berth after another, each stopped at a random event, until the last one has come. */
async function readThroughRestarts(
  test: TestDatabase,
  database: Database,
  { person, random, until }: { person: Person; random: Random; until: string },
): Promise<ShownEvent[]> {
  const seen: ShownEvent[] = [];
  let lastEventId = '0';
  for (;;) {
    const own = test.reopen(database);
    const { events } = createAccounts(createStores(own), own, systemClock);
    const gone = new AbortController();
    const following = {
      lastEventId,
      follow: true,
      signal: gone.signal,
      actorNow: actorNowOf(own, person),
    };
    let left = 5 + random.below(40);
    for await (const { id, data } of events.stream(following)) {
      lastEventId = id;
      seen.push(data);
      left -= 1;
      if ((data.type === 'event' && data.resourceId === until) || left === 0) break;
    }
    gone.abort();
    await test.close(own);
    const last = seen.at(-1);
    if (last?.type === 'event' && last.resourceId === until) return seen;
  }
}

eachDatabase('events of processes that are killed', (test, dialect) => {
  it.each(seeds)(
    'are those of the changes that were committed, for whoever may see them (seed %i)',
    async (seed) => {
      const database = await test.open();
      const { owner, member, stranger, grant } = await createPeople(database);
      const [first, second, third] = [
        { ...(await createPlace(database, owner, 'A')), organizationId: owner.organizationId },
        { ...(await createPlace(database, owner, 'B')), organizationId: owner.organizationId },
        { ...(await createPlace(database, stranger, 'C')), organizationId: stranger.organizationId },
      ];
      await grant({ accessedProjects: [first.projectId] });
      const places: WriterOrder['places'] = [first, second, third];
      const random = createRandom(seed);
      const until = 'the last one';
      const reading = Object.entries({ owner, member, stranger }).map(async ([name, person], index) => {
        const own = { person, random: createRandom(seed * 10 + index), until };
        return [name, await readThroughRestarts(test, database, own)] as const;
      });
      const location = test.locationOf(database);
      // SQLite has one writing process, as an installation has; PostgreSQL may have two.
      const processes = dialect === 'sqlite' ? 1 : 2;
      const writing = Array.from({ length: processes }, async (_, index) => {
        for (let life = 0; life < lives; life += 1) {
          const name = `process ${index}, life ${life},`;
          const order = { dialect, location, name, seed: seed * 100 + index * 10 + life, places };
          await writeAndKill(order, 15 + random.below(30));
        }
      });
      await Promise.all(writing);
      const { events } = createAccounts(createStores(database), database, systemClock);
      for (const organizationId of [owner.organizationId, stranger.organizationId])
        await events.tellChange({
          kind: 'organization',
          what: 'updated',
          resourceId: until,
          organizationId,
          scope: { organizationId },
          former: undefined,
          userId: null,
        });
      const seen = Object.fromEntries(await Promise.all(reading));
      const committed = Object.entries(await createStores(database).settings.all());
      const changesIn = (...places: { applicationId: string }[]): string[] =>
        committed
          .filter(([, value]) => places.some(({ applicationId }) => applicationId === value))
          .map(([name]) => name);
      const expected = {
        owner: changesIn(first, second),
        member: changesIn(first),
        stranger: changesIn(third),
      };
      for (const [name, changes] of Object.entries(expected)) {
        const told = (seen[name] ?? []).flatMap((event) =>
          event.type === 'event' && event.kind === 'application' ? [event.resourceId] : [],
        );
        expect(changes.length).toBeGreaterThan(10);
        expect(told.toSorted()).toEqual(changes.toSorted());
        const positions = (seen[name] ?? []).map(({ id }) => Number(id));
        expect(positions).toEqual([...new Set(positions)].toSorted((left, right) => left - right));
        expect((seen[name] ?? []).filter(({ type }) => type === 'reset')).toEqual([]);
        // Of each writer in the order in which it committed.
        const counts = Map.groupBy(told, (id) => id.replace(/-\d+$/, ''));
        for (const own of counts.values()) {
          const numbers = own.map((id) => Number(/\d+$/.exec(id)?.[0]));
          expect(numbers).toEqual(numbers.toSorted((left, right) => left - right));
        }
      }
    },
  );
});
