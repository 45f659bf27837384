import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { firstNewBackup, postgresVariables, restoreSqlite } from './restore-database.ts';

it('goes back to the oldest backup made since the upgrade began', () => {
  const now = [
    { name: 'before-2-late.sqlite', madeAt: 30 },
    { name: 'before-1.sqlite', madeAt: 10 },
    { name: 'before-2-early.sqlite', madeAt: 20 },
  ];
  expect(firstNewBackup(['before-1.sqlite'], now)).toBe('before-2-early.sqlite');
  expect(
    firstNewBackup(
      now.map(({ name }) => name),
      now,
    ),
  ).toBeUndefined();
});

it('puts the file back and removes the write-ahead log of the one that goes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-restore-'));
  const database = join(folder, 'berth.sqlite');
  for (const suffix of ['', '-wal', '-shm']) writeFileSync(`${database}${suffix}`, 'new');
  writeFileSync(join(folder, 'backup'), 'old');
  restoreSqlite(database, join(folder, 'backup'));
  expect(readFileSync(database, 'utf8')).toBe('old');
  expect(existsSync(`${database}-wal`) || existsSync(`${database}-shm`)).toBe(false);
  rmSync(folder, { recursive: true });
});

it('gives the parts of a PostgreSQL address as variables', () => {
  expect(postgresVariables('postgres://us%40er:p%2Fw@db.example:5433/berth?sslmode=require')).toEqual({
    PGHOST: 'db.example',
    PGPORT: '5433',
    PGUSER: 'us@er',
    PGPASSWORD: 'p/w',
    PGDATABASE: 'berth',
    PGSSLMODE: 'require',
  });
  expect(postgresVariables('postgres:///berth?host=/run/postgresql')).toEqual({
    PGHOST: '/run/postgresql',
    PGDATABASE: 'berth',
  });
});
