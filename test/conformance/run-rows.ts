/** Runs the rows of a suite against a started Berth: each under both forms, each time in a world of its own. */
import type { Database } from '../../server/src/db/database.ts';
import { inOrder } from '../access/in-order.ts';
import { procedures, type Form } from '../e2e/caller.ts';
import { seedWorlds, type SeedOptions, type World } from '../world/world.ts';
import type { Row } from './row.ts';
import { runRow } from './run-row.ts';

const forms: readonly Form[] = ['a', 'b'];

export interface PreparedRows {
  /** Runs all of them, a few at once, and what the installation has only once at the end, one after another. */
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

/** Puts the worlds of the rows into the database: one for what the installation has once, one for all that only look or are refused, and one for each run that changes something. */
export async function prepareRows(database: Database, rows: readonly Row[], options: Pick<SeedOptions, 'passwordHash'> = {}): Promise<PreparedRows> {
  const runs = rows.flatMap((row) => forms.map((form) => ({ row, form })));
  const changing = runs.filter(({ row }) => row.installation !== true && isChanging(row));
  const seeded = await seedWorlds(database, changing.length + 2, { ...options, isInstallations: true });
  await makeBusy(database, seeded);
  const [first, shared, ...own] = seeded;
  const worldOf = ({ row }: { row: Row }): World | undefined => (row.installation === true ? first : isChanging(row) ? own.pop() : shared);
  const [ofWorlds, ofInstallation] = [runs.filter(({ row }) => row.installation !== true), runs.filter(({ row }) => row.installation === true)];
  return {
    async run(url) {
      let done = 0;
      const run = async (one: { row: Row; form: Form }): Promise<string | undefined> => {
        const world = worldOf(one);
        if (!world) return 'there are too few worlds';
        done += 1;
        return runRow(one.row, { url, world, form: one.form });
      };
      const faults = await inOrder(ofWorlds, run);
      for (const one of ofInstallation) {
        const fault = await run(one);
        if (fault !== undefined) faults.push(fault);
      }
      return { runs: done, faults };
    },
  };
}

const reads = new Set(procedures.filter(({ procedure: { kind } }) => kind === 'query' || kind === 'subscription').map(({ path }) => path));

/** Whether a step of the row is to change something. */
function isChanging(row: Row): boolean {
  return [...(row.before ?? []), row, ...(row.after ?? [])].some(({ call, refused, flat }) => refused === undefined && flat === undefined && !reads.has(call));
}

/** One application of each world is to run on its busy server. */
async function makeBusy(database: Database, seeded: readonly World[]): Promise<void> {
  await database.transaction(async () => {
    for (const { own } of seeded) await database.change(database.builder.updateTable('application').set({ serverId: own['busyServerId'] }).where('applicationId', '=', own['otherApplicationId'] ?? '').compile());
  });
}
