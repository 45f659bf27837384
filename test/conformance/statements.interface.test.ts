/**
 * Reads run a fixed number of statements, however many rows they give: every query, counted in the started
 * program before and after much more of everything is there.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NamedProcedure } from '../../server/src/procedure/describe/listing.ts';
import { callerOf, procedures } from '../e2e/fixtures/caller.ts';
import { inputFor } from '../world/inputs.ts';
import { addMore } from '../world/more.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';

/** More of everything than one; a statement for each would be far more than any read needs. */
const more = 40;
/** Timers of the program run statements too; the least of several looks is the read's own. */
const looks = 3;
const people = ['owner', 'granted'] as const;

let program: Program;
let world: World;

beforeAll(async () => {
  ({ program, first: world } = await startWithWorlds(0, {
    nodeOptions: ['--import', join(import.meta.dirname, '../world/statement-probe.ts')],
  }));
});
afterAll(() => program[Symbol.asyncDispose]());

interface Look {
  status: number;
  bytes: number;
  statements: number;
}

async function lookAt(procedure: NamedProcedure, who: (typeof people)[number]): Promise<Look> {
  const call = callerOf(program.url, world.people[who].byKey);
  const counts: number[] = [];
  let [status, bytes] = [0, 0];
  for (let look = 0; look < looks; look += 1) {
    const before = Number(await program.message('SIGUSR2'));
    const answer = await call(procedure.path, inputFor(procedure, { world, who }));
    [status, bytes] = [answer.status, answer.text.length];
    counts.push(Number(await program.message('SIGUSR2')) - before);
  }
  return { status, bytes, statements: Math.min(...counts) };
}

it('every query runs as many statements for many rows as for few', async () => {
  const queries = procedures.filter(
    ({ procedure: { kind, access } }) => kind === 'query' && !access.sessionOnly,
  );
  const asked = queries.flatMap((procedure) => people.map((who) => ({ procedure, who })));
  const few = new Map<string, Look>();
  for (const { procedure, who } of asked)
    few.set(`${procedure.path} as ${who}`, await lookAt(procedure, who));
  await addMore(program.database, world, more);
  const faults: string[] = [];
  let [compared, grown] = [0, 0];
  for (const { procedure, who } of asked) {
    const name = `${procedure.path} as ${who}`;
    const before = few.get(name);
    let after = await lookAt(procedure, who);
    if (before?.status !== after.status) faults.push(`${name}: ${after.status} instead of ${before?.status}`);
    if (!before || after.status !== 200) continue;
    compared += 1;
    if (before.statements === 0) faults.push(`${name}: not a statement was counted`);
    if (after.bytes > 5 * before.bytes) grown += 1;
    // What Berth does by itself meanwhile is counted, too; a read that grew has no look with as few.
    for (let again = 0; again < 10 && after.statements > before.statements; again += 1)
      after = await lookAt(procedure, who);
    if (after.statements > before.statements)
      faults.push(`${name}: ${after.statements} statements instead of ${before.statements}`);
  }
  console.log(
    `statements: ${compared} reads compared, ${grown} of them with an answer more than five times as large`,
  );
  expect(faults).toEqual([]);
  expect(grown).toBeGreaterThan(30);
});

it('met nothing unexpected', () => {
  expect(program.faults()).toEqual([]);
});
