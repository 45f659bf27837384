/**
 * The interface document and its decisions as rows, against the started program under both forms of the
 * address. What needs an engine runs on a host (test/e2e/conformance.e2e.test.ts).
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { repositoryRoot } from '../../images/build-context.ts';
import { hashPassword } from '../../server/src/modules/user/sign-in/password.ts';
import { startPostgres } from '../bed/postgres.ts';
import { procedures } from '../e2e/fixtures/caller.ts';
import { hiddenTexts } from '../world/fixtures.ts';
import { password } from '../world/inputs.ts';
import { startProgram } from '../world/program.ts';
import { documentedProcedures } from './documented.ts';
import { documentedRules } from './documented-rules.ts';
import { ofThisRun } from '../run/mode.ts';
import { placesOf, runsAt, suitePlaces } from '../run/places.ts';
import { rows, rowsOf, suites } from './rows.ts';
import { nameOf } from './run-row.ts';
import { prepareRows, runsOf, type PreparedRows } from './run-rows.ts';
import { rulesOfOthers } from './rules-of-others.ts';

const ready = rowsOf('nothing');

/** Of a database that the program is to keep its data in; SQLite, in its own folder, needs none. */
interface Server {
  url?: string;
  stop(): Promise<void>;
}

const servers: Readonly<Record<string, () => Promise<Server>>> = {
  SQLite: async () => ({ stop: async () => undefined }),
  PostgreSQL: startPostgres,
};

const runs = placesOf('conformance').flatMap((place) =>
  Object.keys(servers).map((name) => ({ place, name })),
);

/** The ordinary run takes one database for each place, by its seed. */
it.each(
  placesOf('conformance').flatMap((place) =>
    ofThisRun(
      runs.filter((run) => run.place === place),
      2,
    ),
  ),
)(
  'the document holds in each row without an engine, under both forms, on $name, with services on: $place',
  async ({ name, place }) => {
    const rows = ready.filter((row) => runsAt(place, 'conformance', nameOf(row)));
    const server = await servers[name]?.();
    onTestFinished(() => server?.stop());
    let prepared: PreparedRows | undefined;
    await using program = await startProgram({
      ...(server?.url === undefined ? {} : { databaseUrl: server.url }),
      env: { BERTH_LOG_LEVEL: 'debug' },
      async prepare(database) {
        expect(database.dialect === 'postgres').toBe(name === 'PostgreSQL');
        prepared = await prepareRows(database, rows, {
          passwordHash: await hashPassword(password),
          server: place === 'server' ? 'unreachable' : undefined,
        });
      },
    });
    expect(await prepared?.run(program.url)).toEqual({ runs: runsOf(rows), faults: [] });
    expect(program.faults()).toEqual([]);
    // Answers are held to this one by one (answer.ts).
    const audit = await program.database.run(
      program.database.builder.selectFrom('audit').selectAll().compile(),
    );
    expect(audit.length).toBeGreaterThan(500);
    for (const [kind, text] of Object.entries({ ...hiddenTexts, password })) {
      expect(program.log().includes(text), `the log shows ${kind}`).toBe(false);
      expect(JSON.stringify(audit).includes(text), `the audit shows ${kind}`).toBe(false);
    }
  },
);

describe('nothing is left out', () => {
  const goodCalls = new Set(rows.map(({ call }) => call));
  const registered = new Set(procedures.map(({ path }) => path));

  it('has rows for every documented and for every registered procedure', () => {
    expect(Object.keys(documentedProcedures).filter((path) => !goodCalls.has(path))).toEqual([]);
    expect([...registered].filter((path) => !goodCalls.has(path))).toEqual([]);
  });

  it('has every documented procedure in the program', () => {
    expect(Object.keys(documentedProcedures).filter((path) => !registered.has(path))).toEqual([]);
  });

  it('calls nothing that is not in the program', () => {
    const steps = rows.flatMap((row) => [...(row.before ?? []), row, ...(row.after ?? [])]);
    expect(steps.map(({ call }) => call).filter((path) => !registered.has(path))).toEqual([]);
  });

  it('gives every row to a suite that runs all it is given', () => {
    const given = Object.entries(suites).flatMap(([suite, path]) => {
      const isRun =
        existsSync(join(repositoryRoot, path)) &&
        readFileSync(join(repositoryRoot, path), 'utf8').includes(`rowsOf('${suite}')`);
      return isRun ? rows.filter(({ needs = 'nothing' }) => needs === suite) : [];
    });
    expect(rows.filter((row) => !given.includes(row)).map(({ call }) => call)).toEqual([]);
    expect(given.length).toBe(rows.length);
  });

  it('names only rows that there are among those that do not run on a server', () => {
    const names = new Set(rows.map(nameOf));
    expect(Object.keys(suitePlaces.conformance.notOnServer).filter((name) => !names.has(name))).toEqual([]);
  });

  it('names files that are there for the rules that no single call shows', () => {
    const paths = Object.values(rulesOfOthers).flatMap((text) => /^[\w./-]+\.ts/.exec(text) ?? []);
    expect(paths.length).toBeGreaterThan(15);
    expect(paths.filter((path) => !existsSync(join(repositoryRoot, path)))).toEqual([]);
  });

  it('shows every documented rule', () => {
    const shown = new Set<string>([
      ...rows.flatMap(({ rule }) => (rule === undefined ? [] : [rule].flat())),
      ...Object.keys(rulesOfOthers),
    ]);
    const all = Object.keys(documentedRules);
    console.log(
      [
        `conformance: ${Object.keys(documentedProcedures).length} procedures documented, ` +
          `${procedures.length} in the program`,
        `${rows.length} rows (${ready.length} run without an engine, ${rowsOf('engine').length} with ` +
          'one, each under both forms)',
        `${all.length} rules documented, ${all.filter((rule) => shown.has(rule)).length} shown`,
      ].join('; '),
    );
    expect(all.filter((rule) => !shown.has(rule))).toEqual([]);
  });
});
