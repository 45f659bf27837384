/** The contents of a database of every kind, as the dashboard and the command line read them. */
import { expect, it } from 'vitest';
import type { DatabaseKindName } from '../../../server/src/domain/database-kind.ts';
import { until } from '../fixtures/applications.ts';
import { inSession } from './clients.ts';
import type { Base, DatabaseFixture } from './database-fixture.ts';
import { external } from './life.ts';

/** Signs that mean something to a client, a shell or the form in which rows are read. */
const hostile = 'tab\t, line\nbreak, <b> & "quotes" \'single\' \\n `tick` $(id) ü € ]]> \u001f \u001e';

interface Answer {
  columns: string[];
  rows: (string | null)[][];
  isCut: boolean;
}

interface Statements {
  running: { statement: string; seconds: number }[];
  slowest: { statement: string; totalMs: number }[];
  missing: string | null;
}

const sql = { postgres: 15_532, mariadb: 13_506, mysql: 13_507 } as const;

export function browseTests(databases: () => DatabaseFixture): void {
  const { call, ask } = {
    call: <T>(base: Base, operation: string, input: object = {}): Promise<T> =>
      databases().berth.call<T>(`database.${operation}`, { databaseId: base.id, ...input }),
    ask: (base: Base, operation: string, input: object = {}) =>
      databases().berth.ask(`database.${operation}`, { databaseId: base.id, ...input }),
  };
  const opened = async (kind: DatabaseKindName, externalPort: number): Promise<Base> => {
    const base = await databases().database(kind, `browse-${kind}`);
    await base.deploy();
    await base.do('saveExternalPort', { externalPort });
    return base;
  };

  it.concurrent.each(['postgres', 'mariadb', 'mysql'] as const)(
    '%s: tables, rows page by page, queries that read and none that write',
    async (kind) => {
      const base = await opened(kind, sql[kind]);
      await inSession(kind, await external(base), async (session) => {
        for (const [key, value] of [
          ['a', hostile],
          ['b', 'second'],
          ['c', 'x'.repeat(5000)],
        ] as const)
          await session.write(key, value);
      });
      const { tables } = await call<{ tables: { schema: string; name: string }[] }>(base, 'tables');
      expect(tables).toMatchObject([{ name: 'notes', kind: 'table', sizeBytes: expect.any(Number) }]);
      const notes = { schema: tables[0]?.schema, table: 'notes' };

      expect(await call(base, 'rows', { ...notes, limit: 1 })).toEqual({
        columns: ['name', 'note'],
        rows: [['a', hostile]],
        isCut: true,
      });
      expect(await call(base, 'rows', { ...notes, limit: 2, offset: 1 })).toEqual({
        columns: ['name', 'note'],
        rows: [
          ['b', 'second'],
          ['c', 'x'.repeat(1000)],
        ],
        isCut: false,
      });
      expect(await ask(base, 'rows', { ...notes, table: "no' table" })).toMatchObject({ status: 400 });

      const query = (statement: string, limit = 50): Promise<Answer> =>
        call(base, 'query', { statement, limit });
      expect(await query("select null as nothing, 1 as one, '' as blank;")).toEqual({
        columns: ['nothing', 'one', 'blank'],
        rows: [[null, '1', '']],
        isCut: false,
      });
      expect(await query('-- all\nselect name from notes order by name', 2)).toMatchObject({
        rows: [['a'], ['b']],
        isCut: true,
      });
      const large = await query(`select repeat('y', 3000) as y from notes a, notes b, notes c`, 200);
      expect(large.isCut).toBe(true);
      expect(large.rows.length).toBeGreaterThan(5);
      expect(new Set(large.rows.map(([cell]) => cell?.length))).toEqual(new Set([3000]));

      for (const statement of [
        "update notes set note = 'changed'",
        'drop table notes',
        'select 1; drop table notes',
        'with x as (select 1) insert into notes values (1, 2)',
        'explain analyze delete from notes',
        'select nothing from nowhere',
        '\\! id',
        'select 1 \\! id',
      ])
        expect([statement, await ask(base, 'query', { statement })]).toMatchObject([
          statement,
          { status: 400 },
        ]);
      // Sleeps of MySQL end early instead, with another value.
      const sleep = kind === 'postgres' ? 'select pg_sleep(60)' : 'select sleep(60) from notes';
      expect(JSON.stringify(await ask(base, 'query', { statement: sleep }))).toMatch(
        /longer than 10 s|\["1"\]/,
      );
      const busy = ask(base, 'query', { statement: sleep });
      await until(
        'it is seen while it runs',
        async () => /sleep/i.test(JSON.stringify((await call<Statements>(base, 'statements')).running)),
        60_000,
      );
      await busy;
      const { slowest, missing } = await call<Statements>(base, 'statements');
      expect(missing === null ? slowest.length > 0 : /pg_stat_statements|performance/.test(missing)).toBe(
        true,
      );
      expect((await call<Answer>(base, 'rows', notes)).rows).toHaveLength(3);
      expect(await audited(databases(), base)).toEqual(
        expect.arrayContaining(['database.rows', 'database.query']),
      );
    },
  );

  it.concurrent('redis: keys by pattern, values of every type', async () => {
    const base = await opened('redis', 16_479);
    await inSession('redis', await external(base), async (session) => {
      await session.write('note "1"\n', hostile);
      await session.write('other', 'x'.repeat(20_000));
    });
    const all = await call<{ keys: { key: string }[]; cursor: string | null }>(base, 'keys');
    expect(all.cursor).toBe(null);
    expect(all.keys.map(({ key }) => key).toSorted()).toEqual(['note "1"\n', 'other']);
    expect(await call(base, 'keys', { match: 'oth*' })).toEqual({
      keys: [{ key: 'other', type: 'string', expiresInMs: null }],
      cursor: null,
    });
    expect(await call(base, 'value', { key: 'note "1"\n' })).toMatchObject({
      type: 'string',
      elements: [{ field: '', value: hostile }],
      isCut: false,
    });
    expect(await call(base, 'value', { key: 'other' })).toMatchObject({
      length: 20_000,
      elements: [{ value: 'x'.repeat(10_000) }],
      isCut: true,
    });
    const { slowest, missing } = await call<Statements>(base, 'statements');
    expect([missing, slowest.every(({ totalMs }) => totalMs > 0)]).toEqual([null, true]);
    expect(await ask(base, 'value', { key: 'none' })).toMatchObject({ status: 404 });
    expect(await ask(base, 'tables')).toMatchObject({ status: 412 });
  });
}

async function audited({ berth }: DatabaseFixture, base: Base): Promise<string[]> {
  const entries = await berth.call<{ procedure: string }[]>('audit.all', { resourceId: base.id });
  return entries.map(({ procedure }) => procedure);
}
