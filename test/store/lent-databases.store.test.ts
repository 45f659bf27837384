import { expect, it } from 'vitest';
import type { Database } from '../../server/src/db/database.ts';
import { tableStore } from '../../server/src/db/table-store.ts';
import { bothDatabases } from './each-database.ts';

bothDatabases('the database of a test', (test, dialect) => {
  const isLent = dialect === 'postgres';
  let former: { location: string; database: Database } | undefined;
  const next = async (): Promise<{ database: Database; isFormer: boolean; last: Database | undefined }> => {
    const database = await test.open();
    const [location, last] = [test.locationOf(database), former];
    former = { location, database };
    return { database, isFormer: location === last?.location, last: last?.database };
  };
  const settings = async (database: Database): Promise<unknown[]> => tableStore(database, 'setting').list({});

  it('is filled', async () => {
    const { database } = await next();
    await tableStore(database, 'setting').insert({ name: 'left', value: 1 });
    expect(await settings(database)).toHaveLength(1);
  });

  it('has no rows of the test before, whose work no longer reaches it', async () => {
    const { database, isFormer, last } = await next();
    expect(isFormer).toBe(isLent);
    expect(await settings(database)).toEqual([]);
    await expect(last?.script('DELETE FROM "audit"')).rejects.toThrow(/is over|not open/);
  });

  it.each([
    'ALTER TABLE "audit" ADD COLUMN "more" TEXT',
    'ALTER TABLE "audit" DROP COLUMN "ip"',
    'DROP TABLE "audit"',
    'CREATE TABLE "more" ("id" TEXT)',
    'CREATE INDEX "more" ON "setting" ("value")',
    `INSERT INTO "schema_migration" VALUES (99, 'later', 'x')`,
  ])('is of no use to the next one after: %s', async (change) => {
    const { database } = await next();
    await database.script(change);
    const second = await test.open();
    expect(test.locationOf(second)).not.toBe(test.locationOf(database));
    expect(await settings(second)).toEqual([]);
    former = { location: test.locationOf(database), database };
  });

  it('is a fresh one then', async () => {
    const { database, isFormer } = await next();
    expect(isFormer).toBe(false);
    expect(await tableStore(database, 'audit').list({})).toEqual([]);
  });
});
