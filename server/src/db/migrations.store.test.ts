import { expect, it } from 'vitest';
import { eachDatabase } from '../../../test/store/each-database.ts';
import type { Database } from './database.ts';
import { migrate, migrations, schemaVersion } from './migrations.ts';
import { tables } from './tables.ts';

const now = '2026-01-01T00:00:00.000Z';
const newest = migrations.length;

eachDatabase('migrations', ({ open, openEmpty }) => {
  it('make the columns that tables.ts says, with the same nulls', async () => {
    const database = await open();
    for (const [table, columns] of Object.entries(tables)) {
      const expected = Object.entries(columns).map(([name, { nullable }]) => ({ name, nullable }));
      expect({ table, columns: await columnsOf(database, table) }).toEqual({ table, columns: byName(expected) });
    }
  });

  it('count up by one, run once, and tell what they did', async () => {
    expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
    const database = await openEmpty();
    expect(await schemaVersion(database)).toBe(0);
    expect(await migrate(database, now)).toEqual(migrations.map(({ version }) => version));
    expect(await schemaVersion(database)).toBe(newest);
    expect(await migrate(database, now)).toEqual([]);
  });

  it('undo a step that fails, whole, and keep the steps before it', async () => {
    const database = await openEmpty();
    const failing = { version: newest + 1, name: 'half', sql: 'CREATE TABLE "half" ("id" TEXT PRIMARY KEY); CREATE TABLE "half" ("id" TEXT);' };
    await expect(migrate(database, now, [...migrations, failing])).rejects.toThrow('already exists');
    expect(await schemaVersion(database)).toBe(newest);
    expect(await columnsOf(database, 'half')).toEqual([]);
    expect(await migrate(database, now, [...migrations, { ...failing, sql: 'CREATE TABLE "half" ("id" TEXT PRIMARY KEY);' }])).toEqual([newest + 1]);
  });

  it('refuse a database of a newer Berth, saying what to do', async () => {
    const database = await open();
    await database.script(`INSERT INTO "schema_migration" VALUES (${newest + 5}, 'from the future', '${now}')`);
    await expect(migrate(database, now)).rejects.toMatchObject({ code: 'PRECONDITION_FAILED', message: expect.stringContaining(`version ${newest + 5}`) });
  });
});

interface ColumnState {
  name: string;
  nullable: boolean;
}

async function columnsOf(database: Database, table: string): Promise<ColumnState[]> {
  const sql = database.dialect === 'sqlite'
    ? `select "name", "notnull" = 0 and "pk" = 0 as "nullable" from pragma_table_info('${table}')`
    : `select column_name as "name", is_nullable = 'YES' as "nullable" from information_schema.columns where table_name = '${table}' and table_schema = 'public'`;
  const query = { kind: 'RawNode', sqlFragments: [], parameters: [] } as const;
  const rows = await database.run<{ name: string; nullable: number | boolean }>({ sql, parameters: [], query, queryId: { queryId: table } });
  return byName(rows.map(({ name, nullable }) => ({ name, nullable: Boolean(nullable) })));
}

function byName(columns: ColumnState[]): ColumnState[] {
  return columns.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}
