/** A whole Berth on machines in memory that lives by a virtual clock, and can be killed and started again. */
import { sql } from 'kysely';
import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createCipher } from '../../server/src/db/values/cipher.ts';
import type { Database } from '../../server/src/db/database.ts';
import { migrate } from '../../server/src/db/migrations.ts';
import { openSqlite } from '../../server/src/db/sqlite.ts';
import { tables } from '../../server/src/db/tables.ts';
import { AppError } from '../../server/src/domain/errors.ts';
import { isoTime, systemClock } from '../../server/src/ports/clock.ts';
import type { Outgoing } from '../../server/src/ports/outgoing.ts';
import { procedures } from '../e2e/fixtures/caller.ts';
import { inputQuery } from '../http/call.ts';
import { createPeople, type People, type Person } from '../http/people.ts';
import type { Machine } from '../kill-matrix/neighbours.ts';
import { createReaper, type Reaper } from '../kill-matrix/reaper.ts';
import { createMachine } from '../kill-matrix/trial.ts';
import { createWorld, nowhere, type World } from '../kill-matrix/world.ts';

/** What a receiver of webhooks took, in its order. */
export interface Taken {
  id: string;
  event: string;
  count: number;
}

export interface Receiver {
  taken: Taken[];
  /** Calls that it refused. */
  refused: number;
  isDown: boolean;
}

export interface BerthByTheClock {
  people: People;
  database: Database;
  /** Berth's own machine, and a server of the organization. */
  own: Machine;
  far: Machine;
  receiver: Receiver;
  /** Calls a procedure as a person; throws on a refusal. */
  call(person: Person, path: string, input?: object): Promise<Record<string, unknown>>;
  /** Work with the Berth that runs now. */
  run<T>(work: (world: World) => Promise<T>): Promise<T>;
  start(): Promise<void>;
  kill(): void;
  /** Rows of each table that has some. */
  rows(): Promise<Record<string, number>>;
  /** Files and their bytes on Berth's disk. */
  files(): { count: number; bytes: number };
  close(): Promise<void>;
}

export const farServer = 'far';

export async function createBerthByTheClock(folder: string): Promise<BerthByTheClock> {
  const path = join(folder, 'berth.sqlite');
  const cipher = createCipher(randomBytes(32));
  const database = openSqlite({ path, synchronous: 'NORMAL', cipher });
  await migrate(database, isoTime(systemClock));
  const people = await createPeople(database);
  const [own, far] = [await createMachine(), await createMachine()];
  own.others.set(farServer, { ...far, disk: own.disk });
  const receiver: Receiver = { taken: [], refused: 0, isDown: false };
  let life: { world: World; reaper: Reaper } | undefined;
  const living = (): { world: World; reaper: Reaper } => {
    if (!life) throw new Error('Berth does not run.');
    return life;
  };
  return {
    people,
    database,
    own,
    far,
    receiver,
    run: (work) => {
      const { world, reaper } = living();
      return reaper.run(() => work(world));
    },
    call: (person, path, input = {}) => asked(living(), { person, path, input }),
    async start() {
      const reaper = createReaper(folder, [own.memory.state, far.memory.state]);
      const outgoing: Outgoing = { ...nowhere, request: receive(receiver) };
      const world = await reaper.run(() =>
        createWorld(own, database, folder, reaper, { outgoing, observes: true }),
      );
      await reaper.run(async () => {
        await world.start();
        await world.goByTheClock();
      });
      life = { world, reaper };
    },
    kill() {
      living().reaper.kill();
      life = undefined;
    },
    rows: () => rowsOf(database),
    files: () => filesBelow(folder),
    async close() {
      life?.reaper.kill();
      await database.close();
    },
  };
}

async function asked(
  { world, reaper }: { world: World; reaper: Reaper },
  { person: { headers }, path, input }: { person: Person; path: string; input: object },
): Promise<Record<string, unknown>> {
  const isChange = procedures.find((one) => one.path === path)?.procedure.kind === 'mutation';
  const asking = isChange
    ? ({ method: 'POST', url: `/api/${path}`, headers, payload: input } as const)
    : ({ method: 'GET', url: `/api/${path}${inputQuery(input)}`, headers } as const);
  const answer = await reaper.run(() => world.http().inject(asking));
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${answer.body}`);
  return Object.fromEntries(Object.entries(Object(answer.json())));
}

/** A receiver of webhooks that answers in this process, since a socket knows no virtual time. */
function receive(receiver: Receiver): Outgoing['request'] {
  return async ({ body = '' }) => {
    if (receiver.isDown) {
      receiver.refused += 1;
      throw new AppError('SERVICE_UNAVAILABLE', 'hooks.example.com refuses connections.');
    }
    const { id, event, count } = JSON.parse(String(body));
    receiver.taken.push({ id: String(id), event: String(event), count: Number(count) });
    return { status: 204, body: nothing() };
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function rowsOf({ builder, run }: Database): Promise<Record<string, number>> {
  const counted: Record<string, number> = {};
  for (const table of Object.keys(tables)) {
    const query = sql<{ count: number }>`select count(*) as "count" from ${sql.table(table)}`;
    counted[table] = Number((await run(query.compile(builder)))[0]?.count);
  }
  return Object.fromEntries(Object.entries(counted).filter(([, count]) => count > 0));
}

function filesBelow(folder: string): { count: number; bytes: number } {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const bytes = found.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  return { count: found.length, bytes };
}
