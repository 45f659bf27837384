import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { bothDatabases } from '../../../test/store/each-database.ts';
import { createCipher } from './values/cipher.ts';
import type { Database } from './database.ts';
import { tableStore } from './table-store.ts';
import { tables } from './tables.ts';

const at = '2026-01-01T00:00:00.000Z';
const registry = {
  registryId: 'r',
  organizationId: 'o',
  name: 'Team',
  registryUrl: 'registry.example.com',
  username: 'ci',
  password: 'the pass word ünï',
  imagePrefix: '',
  createdAt: at,
};

/** The row as the database holds it, past every codec. */
async function storedRow(database: Database, table: string): Promise<Record<string, unknown> | undefined> {
  const query = { kind: 'RawNode', sqlFragments: [], parameters: [] } as const;
  return (
    await database.run<Record<string, unknown>>({
      sql: `select * from "${table}"`,
      parameters: [],
      query,
      queryId: { queryId: table },
    })
  )[0];
}

bothDatabases('secret columns', ({ open, reopen }) => {
  it('are ciphertext in the database and text in the product', async () => {
    const database = await open();
    await tableStore(database, 'registry').insert(registry);
    const stored = await storedRow(database, 'registry');
    expect(stored?.['password']).toMatch(/^v1\.[0-9a-f]{8}\.[A-Za-z0-9+/=]+$/);
    expect(stored?.['username']).toBe('ci');
    expect(await tableStore(reopen(database), 'registry').find({ registryId: 'r' })).toEqual(registry);
  });

  it('stay ciphertext when they are changed', async () => {
    const database = await open();
    const store = tableStore(database, 'registry');
    await store.insert(registry);
    await store.update({ registryId: 'r' }, { password: 'another' });
    expect(String((await storedRow(database, 'registry'))?.['password'])).toMatch(/^v1\./);
    expect((await store.find({ registryId: 'r' }))?.password).toBe('another');
  });

  it('cannot be read with another key: the error says which file to put back', async () => {
    const database = await open();
    await tableStore(database, 'registry').insert(registry);
    const withOtherKey = reopen(database, createCipher(randomBytes(32)));
    await expect(tableStore(withOtherKey, 'registry').find({ registryId: 'r' })).rejects.toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      message: expect.stringContaining('Put back the key file'),
    });
  });
});

it('every column that by its name holds a secret is encrypted', () => {
  const suspicious = /password|privateKey|secret|^content$|env$|settings$|^mask$/i;
  const columns = Object.entries(tables).flatMap(([table, all]) =>
    Object.entries(all).map(([name, { kind }]) => ({ name: `${table}.${name}`, column: name, kind })),
  );
  const plain = columns
    .filter(({ column, kind }) => suspicious.test(column) && kind !== 'secret' && kind !== 'boolean')
    .map(({ name }) => name);
  expect(columns.length).toBeGreaterThan(100);
  // A hash is no secret text; it is compared, never read.
  expect(plain).toEqual(['user.passwordHash', 'basic_auth.passwordHash']);
});
