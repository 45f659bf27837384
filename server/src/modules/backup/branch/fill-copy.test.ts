/** Which databases of a server a copy has, and where statements that mask them begin. */
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { DatabaseRecord } from '../../../db/tables.ts';
import type { DatabaseKindName } from '../../../domain/database-kind.ts';
import type { DatabaseServer } from '../database-source.ts';
import type { DatabaseProgram } from '../programs/database-program.ts';
import type { RunContext } from '../runs/run-context.ts';
import type { RestoringPorts } from '../runs/restore.ts';
import { fillByCopy } from './fill-copy.ts';
import { maskScripts } from './masking.ts';

/** What the programs of a copy are told, of a server whose record names this database or none. */
async function told(kind: DatabaseKindName, own: string | null): Promise<string[]> {
  const server = { kind, service: 'x', user: 'u', password: 'p', rootPassword: 'r' } as DatabaseServer;
  const words: string[] = [];
  const note = ({ argv }: DatabaseProgram): void => void words.push(argv.join(' '));
  const ports = {
    beside: { running: async () => server, start: async () => server, ownDatabase: async () => own },
    programs: {
      text: async (_: DatabaseServer, program: DatabaseProgram) => (note(program), 'shop\nblog\n'),
      async *output(
        _: DatabaseServer,
        program: DatabaseProgram,
        { input }: { input?: AsyncIterable<Uint8Array> },
      ) {
        note(program);
        if (input) for await (const _part of input);
        else yield Buffer.from('dump');
      },
    },
  } as unknown as RestoringPorts;
  const context = {
    run: { database: own ?? 'admin', databaseId: 'd', backupRunId: 'r' },
    signal: AbortSignal.timeout(10_000),
    say: () => undefined,
    hide: () => undefined,
    step: async (_: string, work: () => Promise<{ value: unknown }>) => (await work()).value,
  } as unknown as RunContext;
  const target = { service: 'beside', volume: 'v', network: 'n' } as never;
  await fillByCopy(ports, context, { sourceId: 's', sourceName: 'Shop', target });
  return words;
}

it('of MongoDB has every database that its programs made, and not the one of its logins', async () => {
  const words = await told('mongo', null);
  const dumped = words.flatMap((text) => /mongodump.*--db=(\S+)/.exec(text)?.[1] ?? []);
  expect(dumped).toEqual(['shop', 'blog']);
  expect(words.filter((text) => text.includes('--nsInclude=shop.*'))).toHaveLength(1);
});

it('of MySQL has the database of its record', async () => {
  const words = await told('mysql', 'shop');
  expect(words.some((text) => text.includes('blog'))).toBe(false);
});

it('of Redis has the whole server', async () => {
  expect((await told('redis', null)).length).toBeGreaterThan(0);
});

it('statements for MongoDB begin after the login, in the database that was filled', () => {
  const record = { databaseUser: 'u', databasePassword: 'p' } as DatabaseRecord;
  const { env, script } = maskScripts.mongo({ record, database: 'shop', statements: 'db.people.drop()' });
  expect(script).toContain('--eval "$SAID"');
  const said = String(env['SAID']).split('\n');
  expect(said).toEqual([expect.stringContaining('.auth('), 'db.people.drop()']);
  const server = (names: string[]): object => {
    const database = (name: string): object => ({
      name,
      auth: () => 1,
      getSiblingDB: database,
      adminCommand: () => ({ databases: ['admin', 'config', ...names].map((of) => ({ name: of })) }),
    });
    return database('test');
  };
  const at = (database: string, names: string[]): unknown =>
    runInNewContext(`${said[0] ?? ''} db.name`, {
      db: server(names),
      process: { env: { BERTH_DATABASE: database } },
    });
  expect([at('shop', ['blog']), at('admin', ['blog']), at('admin', ['a', 'b']), at('admin', [])]).toEqual([
    'shop',
    'blog',
    'test',
    'test',
  ]);
});
