/** The interface document and its decisions as rows, against the started program under both forms of the address. What needs an engine runs on a host (test/e2e/conformance.e2e.test.ts). */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../../images/build-context.ts';
import { hashPassword } from '../../server/src/modules/user/password.ts';
import { inOrder } from '../access/in-order.ts';
import { procedures } from '../e2e/caller.ts';
import { password } from '../world/inputs.ts';
import { startProgram, type Program } from '../world/program.ts';
import { seedWorlds, type World } from '../world/world.ts';
import { documentedProcedures } from './documented.ts';
import { documentedRules } from './documented-rules.ts';
import type { Row } from './row.ts';
import { rows } from './rows.ts';
import { isRegistered, runRow } from './run-row.ts';
import { rulesOfOthers } from './rules-of-others.ts';

const forms = ['a', 'b'] as const;
const isWaiting = (row: Row): boolean => [...(row.before ?? []), row, ...(row.after ?? [])].some((step) => !isRegistered(step));
const ready = rows.filter((row) => row.needs === undefined && !isWaiting(row));
const [ofInstallation, ofWorlds] = [ready.filter(({ installation }) => installation), ready.filter(({ installation }) => !installation)];

let program: Program;
let first: World;
let worlds: World[];

beforeAll(async () => {
  program = await startProgram({
    async prepare(database) {
      const seeded = await seedWorlds(database, forms.length * ofWorlds.length + 1, { isInstallations: true, passwordHash: await hashPassword(password) });
      const [world, ...rest] = seeded;
      if (!world) throw new Error('There is no world.');
      [first, worlds] = [world, rest];
      await makeBusy(database, seeded);
    },
  });
});
afterAll(() => program[Symbol.asyncDispose]());

/** One application of each world is to run on its busy server. */
async function makeBusy(database: Program['database'], seeded: readonly World[]): Promise<void> {
  await database.transaction(async () => {
    for (const { own } of seeded) await database.change(database.builder.updateTable('application').set({ serverId: own['busyServerId'] }).where('applicationId', '=', own['otherApplicationId'] ?? '').compile());
  });
}

describe('the document', () => {
  it('holds in every row, under both forms', async () => {
    const faults = await inOrder(ofWorlds.flatMap((row) => forms.map((form) => ({ row, form }))), async ({ row, form }, index) => {
      const world = worlds[index];
      return world ? runRow(row, { url: program.url, world, form }) : 'there are too few worlds';
    });
    expect(faults).toEqual([]);
  });

  it('holds for what the installation has once', async () => {
    for (const row of ofInstallation) for (const form of forms) expect.soft(await runRow(row, { url: program.url, world: first, form })).toBeUndefined();
  });
});

describe('nothing is left out', () => {
  const goodCalls = new Set(rows.map(({ call }) => call));

  it('has rows for every documented and for every registered procedure', () => {
    expect(Object.keys(documentedProcedures).filter((path) => !goodCalls.has(path))).toEqual([]);
    expect(procedures.map(({ path }) => path).filter((path) => !goodCalls.has(path))).toEqual([]);
  });

  it('has every documented procedure in the program, unless its whole router is still to come', () => {
    const registered = new Set(procedures.map(({ path }) => path));
    const missing = Object.keys(documentedProcedures).filter((path) => !registered.has(path));
    console.log(`not in the program yet: ${missing.length === 0 ? 'none' : missing.join(', ')}`);
    const routers = new Set(procedures.map(({ router }) => router));
    expect(missing.filter((path) => routers.has(path.split('.')[0] ?? ''))).toEqual([]);
  });

  it('names files that are there for the rules that no single call shows', () => {
    const paths = Object.values(rulesOfOthers).flatMap((text) => /^[\w./-]+\.ts/.exec(text) ?? []);
    expect(paths.length).toBeGreaterThan(15);
    expect(paths.filter((path) => !existsSync(join(repositoryRoot, path)))).toEqual([]);
  });

  it('shows every documented rule', () => {
    const shown = new Set<string>([...rows.flatMap(({ rule }) => (rule === undefined ? [] : [rule].flat())), ...Object.keys(rulesOfOthers)]);
    const all = Object.keys(documentedRules);
    const waiting = rows.filter(isWaiting);
    console.log([
      `conformance: ${Object.keys(documentedProcedures).length} procedures documented, ${procedures.length} in the program`,
      `${rows.length} rows (${ready.length} run here under both forms, ${rows.filter(({ needs }) => needs).length} need an engine, ${waiting.length} wait for their procedures)`,
      `${all.length} rules documented, ${all.filter((rule) => shown.has(rule)).length} shown`,
      `${rows.filter(({ refused }) => refused === 'NOT_IMPLEMENTED').length} rows answer 501`,
    ].join('; '));
    expect(all.filter((rule) => !shown.has(rule))).toEqual([]);
  });
});

it('met nothing unexpected', () => {
  expect(program.faults()).toEqual([]);
});
