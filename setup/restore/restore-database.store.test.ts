/** Going back on a real PostgreSQL server: the rows of before, and nothing of the new version. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPostgres } from '../../test/bed/postgres.ts';
import type { RunningPostgres } from '../../test/bed/postgres.ts';
import { postgresVariables, restorePostgres } from './restore-database.ts';
import { runCommand } from '../process/run-command.ts';

let server: RunningPostgres;
let folder = '';
const limits = { signal: new AbortController().signal, limitMs: 30_000 };

beforeAll(async () => {
  server = await startPostgres();
  folder = await mkdtemp(join(tmpdir(), 'berth-restore-'));
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

async function sql(statement: string): Promise<string> {
  const shown = await runCommand(
    ['psql', '--no-psqlrc', '--quiet', '--tuples-only', '--no-align', '--command', statement],
    { ...limits, env: postgresVariables(server.url) },
  );
  return shown.stdout.trim();
}

it('puts back rows and columns, and removes tables the new version added', async () => {
  await sql(`CREATE TABLE project (id TEXT PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE service (id TEXT PRIMARY KEY, project TEXT REFERENCES project(id));
    INSERT INTO project VALUES ('1', 'before'); INSERT INTO service VALUES ('a', '1')`);
  const dump = join(folder, 'before-1.dump');
  await runCommand(['pg_dump', '--format=custom', '--file', dump], {
    ...limits,
    env: postgresVariables(server.url),
  });
  await sql(
    `ALTER TABLE project ADD COLUMN color TEXT; UPDATE project SET name = 'after'; CREATE TABLE added ` +
      '(id TEXT REFERENCES project(id)); DELETE FROM service',
  );

  await restorePostgres(server.url, dump, limits.signal);

  expect(await sql('SELECT * FROM project JOIN service ON service.project = project.id')).toBe(
    '1|before|a|1',
  );
  expect(await sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")).toBe('2');
});

it('changes nothing when the backup cannot be read', async () => {
  await sql('CREATE TABLE kept (id TEXT)');
  await expect(restorePostgres(server.url, join(folder, 'absent.dump'), limits.signal)).rejects.toThrow(
    'pg_restore',
  );
  expect(await sql('SELECT count(*) FROM kept')).toBe('0');
});
