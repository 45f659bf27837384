/**
 * Runs the rows of a suite against a started Berth: each under both forms, each time in a world of its own.
 */
import type { Database } from '../../server/src/db/database.ts';
import { atOnce, inOrder } from '../access/in-order.ts';
import { procedures, type Form } from '../e2e/fixtures/caller.ts';
import { of } from '../world/fixtures.ts';
import { seedWorlds, type SeedOptions, type World } from '../world/world.ts';
import type { Row } from './row.ts';
import { runRow } from './run-row.ts';
import { verbOf } from '../../server/src/procedure/procedure.ts';

const forms: readonly Form[] = ['a', 'b'];

export interface PreparedRows {
  /**
   * Runs all of them, a few at once, and what the installation has only once at the end, one after another.
   */
  run(url: string): Promise<RowsReport>;
}

export interface RowsReport {
  /** Runs of rows: every row counts once for each form. */
  runs: number;
  faults: string[];
}

/** How many runs these rows must come to. */
export function runsOf(rows: readonly Row[]): number {
  return rows.length * forms.length;
}

export interface PrepareOptions extends Pick<SeedOptions, 'passwordHash'> {
  /**
   * Where the services stand, if not on Berth's own machine. 'unreachable': on the busy server of each
   * world's fixtures, which is nowhere. Else on the server that this adds as the owner of the first world,
   * and gives the id of; all worlds are in one organization then.
   */
  server?: 'unreachable' | ((first: World) => Promise<string>) | undefined;
}

/**
 * Puts the worlds of the rows into the database: one for what the installation has once, one for each run
 * that changes something, and a few that those take in turns which only look or are refused.
 */
export async function prepareRows(
  database: Database,
  rows: readonly Row[],
  { server, ...options }: PrepareOptions = {},
): Promise<PreparedRows> {
  const runs = rows.flatMap((row) => forms.map((form) => ({ row, form, isChanging: isChanging(row) })));
  const [ofWorlds, ofInstallation] = [
    runs.filter(({ row }) => row.installation !== true),
    runs.filter(({ row }) => row.installation === true),
  ];
  const seeded = await seedWorlds(database, 1 + atOnce + ofWorlds.filter((run) => run.isChanging).length, {
    ...options,
    isInstallations: true,
    isOne: typeof server === 'function',
  });
  await makeBusy(database, seeded);
  const [first, ...others] = seeded;
  const serverId = first && typeof server === 'function' ? await server(first) : undefined;
  const serverOf = ({ own }: World): string | null =>
    serverId ?? (server === 'unreachable' ? of(own, 'busyServerId') : null);
  await placeServices(database, seeded, serverOf);
  const [inTurns, own] = [others.slice(0, atOnce), others.slice(atOnce)];
  return {
    async run(url) {
      let done = 0;
      const run = async (
        { row, form }: { row: Row; form: Form },
        world: World | undefined,
      ): Promise<string | undefined> => {
        if (!world) return 'there are too few worlds';
        done += 1;
        return runRow(row, { url, world, form, serverId: serverOf(world) });
      };
      const faults = await inOrder(ofWorlds, async (one) => {
        const world = one.isChanging ? own.pop() : inTurns.pop();
        const fault = await run(one, world);
        if (world && !one.isChanging) inTurns.push(world);
        return fault;
      });
      for (const one of ofInstallation) {
        const fault = await run(one, first);
        if (fault !== undefined) faults.push(fault);
      }
      return { runs: done, faults };
    },
  };
}

const reads = new Set(
  procedures.filter(({ procedure }) => verbOf(procedure) === 'GET').map(({ path }) => path),
);

/** Whether a step of the row is to change something; of what was refused a part may have been kept. */
function isChanging(row: Row): boolean {
  if (row.after !== undefined && !reads.has(row.call)) return true;
  return [...(row.before ?? []), row, ...(row.after ?? [])].some(
    ({ call, refused, flat }) => refused === undefined && flat === undefined && !reads.has(call),
  );
}

/** One application of each world is to run on its busy server. */
async function makeBusy(database: Database, seeded: readonly World[]): Promise<void> {
  await database.transaction(async () => {
    for (const { own } of seeded)
      await database.change(
        database.builder
          .updateTable('application')
          .set({ serverId: own['busyServerId'] })
          .where('applicationId', '=', own['otherApplicationId'] ?? '')
          .compile(),
      );
  });
}

/** Whatever stands on a server stands there from now on, but for what is on another one. */
async function placeServices(
  database: Database,
  seeded: readonly World[],
  serverOf: (world: World) => string | null,
): Promise<void> {
  const places = new Map(seeded.map((world) => [world.own.organizationId, serverOf(world)]));
  await database.transaction(async () => {
    for (const [organizationId, serverId] of places)
      if (serverId !== null) await placeOf(database, organizationId, serverId);
  });
}

async function placeOf(database: Database, organizationId: string, serverId: string): Promise<void> {
  for (const table of ['application', 'compose', 'database', 'certificate'] as const)
    await database.change(
      database.builder
        .updateTable(table)
        .set({ serverId })
        .where('organizationId', '=', organizationId)
        .where('serverId', 'is', null)
        .compile(),
    );
  for (const table of ['domain', 'port'] as const)
    await database.change(
      database.builder
        .updateTable(table)
        .set({ serverKey: serverId })
        .where('organizationId', '=', organizationId)
        .compile(),
    );
}
