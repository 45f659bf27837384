import { expect, it } from 'vitest';
import { createLastWords } from '../../../ports/engine/engine-program.ts';
import { createLoadFaults } from './left-out.ts';

function faultsOf(...lines: string[]) {
  const said: string[] = [];
  const faults = createLoadFaults((line) => said.push(line));
  for (const line of lines) faults.line(line);
  return { said, list: faults.list(), isWhole: faults.isWhole() };
}

it('names each statement of a PostgreSQL dump that failed, and no password in it', () => {
  const { said, list, isWhole } = faultsOf(
    'pg_restore: error: could not execute query: ERROR:  role "reporting" does not exist',
    'Command was: CREATE POLICY p ON t FOR SELECT TO reporting;',
    'pg_restore: error: could not execute query: ERROR:  server "s" does not exist',
    'Command was: CREATE USER MAPPING FOR app_owner SERVER s OPTIONS (',
    `    password 'top-secret',`,
    ');',
    'pg_restore: error: could not execute query: ERROR:  no subscription',
    `Command was: CREATE SUBSCRIPTION s CONNECTION 'host=a password=top-secret' PUBLICATION p;`,
    'pg_restore: warning: errors ignored on restore: 3',
  );
  expect(list).toEqual([
    'ERROR: role "reporting" does not exist (CREATE POLICY p ON t FOR SELECT TO reporting;)',
    'ERROR: server "s" does not exist (CREATE USER MAPPING FOR app_owner SERVER s)',
    'ERROR: no subscription (CREATE SUBSCRIPTION s)',
  ]);
  expect(isWhole).toBe(true);
  expect(said.join('\n')).not.toContain('top-secret');
});

it('tells the words of MariaDB, and that pg_restore gave up', () => {
  const words = `ERROR 1064 (42000) at line 3: You have an error in your SQL syntax`;
  expect(faultsOf(words).list).toEqual([words]);
  expect(faultsOf('pg_restore: error: input file appears to be a text format dump.').isWhole).toBe(false);
});

it('keeps the reason of a failure, and not the data around it', () => {
  const last = createLastWords();
  last.add('ERROR 2006 (HY000) at line 9: Server has gone away');
  for (let line = 0; line < 20; line += 1) last.add('78'.repeat(5000));
  expect(last.words()).toEqual(['ERROR 2006 (HY000) at line 9: Server has gone away']);
  const silent = createLastWords();
  silent.add('78'.repeat(5000));
  expect(silent.words().join('').length).toBeLessThan(500);
});
