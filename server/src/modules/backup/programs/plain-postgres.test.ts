import { expect, it } from 'vitest';
import { AppError } from '../../../domain/errors.ts';
import { mysqlPart, type PlainDump } from './dump-parts.ts';
import { postgresPart } from './plain-postgres.ts';

type Part = typeof postgresPart;

const dump = (said: string[]): PlainDump => ({
  database: 'shop',
  ofOthers: (names) => new AppError('PRECONDITION_FAILED', `of ${names.join(', ')}`),
  say: (line) => said.push(line),
});

/** What comes of it, in pieces of this many bytes. */
async function read(part: Part, text: string, size = 100_000, said: string[] = []): Promise<string> {
  const bytes = Buffer.from(text);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const out: Uint8Array[] = [];
  for await (const chunk of part(pieces(), dump(said))) out.push(chunk);
  return Buffer.concat(out).toString();
}

/** Without the statements and lines that hold "GONE"; the text comes the same in pieces of every size. */
async function keeps(part: Part, text: string): Promise<void> {
  const expected = text
    .split('\n')
    .filter((line) => !line.includes('GONE'))
    .join('\n');
  const squeezed = (of: string): string => of.replaceAll(/\n+/g, '\n').trim();
  for (const size of [1, 2, 3, 7, 64, 200, 100_000])
    expect(squeezed(await read(part, text, size)), `pieces of ${size}`).toBe(squeezed(expected));
}

it('leaves out roles, rights and commands, and nothing of strings, bodies and rows', async () => {
  await keeps(
    postgresPart,
    String.raw`-- GRANTs; and \commands in a comment; it's one
\restrict GONE
CREATE ROLE "GONE";
ALTER TABLE public.t OWNER TO "GONE";
GRANT SELECT ON TABLE public.t TO "GONE";
ALTER DEFAULT PRIVILEGES FOR ROLE "GONE" GRANT ALL ON TABLES TO x;
SET default_tablespace = 'GONE';
/* a /* nested ; */ \! comment */ SELECT 1;
CREATE FUNCTION f() RETURNS text LANGUAGE plpgsql AS $_$ begin
GRANT x TO y; -- $$ it's
\! echo
end $_$;
SELECT E'GRANT; '' \\', E'it\'s ; \\', "a;""b", $$;'$$, x$1$ FROM t;
COPY public.t (a, b) FROM stdin;
GRANT x TO y;	\N
\restrict	it's -- a row
\\.
\.
COPY public.empty (a) FROM stdin;
\.
CREATE USER MAPPING FOR public SERVER s;
ALTER TABLE ONLY public.t ADD CONSTRAINT c CHECK ((a <> ';'::text));
\unrestrict GONE
`,
  );
  const row = `COPY t FROM stdin;\n${'x'.repeat(300_000)}\n\\.\nSELECT 1;\n`;
  expect(await read(postgresPart, row, 4096)).toBe(`${row}\n`);
  const insert = (string: string): string => `INSERT INTO t VALUES (${string}');\nSELECT 1;\n`;
  expect(await read(postgresPart, insert(`'${'; \\! '.repeat(50_000)}`), 4096)).toBe(
    `${insert(`E'${'; \\\\! '.repeat(50_000)}`)}\n`,
  );
});

it.each([
  ["'\\'", "E'\\\\'"],
  ["'C:\\'''", "E'C:\\\\'''"],
  ["('a\\b')", "(E'a\\\\b')"],
  ["U&'d\\0061'", "U&'d\\0061'"],
  ["'a'\n'b'", "'a'\n'b'"],
])('writes the string %j as every reader takes it: %j', async (string, expected) => {
  const text = `SELECT ${string}, 'c';\n`;
  for (const size of [1, 2, 5, 100])
    expect(await read(postgresPart, text, size)).toBe(`SELECT ${expected}, 'c';\n\n`);
  const off = `SET standard_conforming_strings = off;\n`;
  const on = `SET standard_conforming_strings = on;\n`;
  expect(await read(postgresPart, `${off}SELECT 'it\\'s';\n${on}${text}`)).toBe(
    `${off}SELECT E'it\\'s';\n${on}SELECT ${expected}, 'c';\n\n`,
  );
});

const command = '\\! touch executed\n';

/** psql runs the command in each of them, though it stands in what others take for something else. */
it.each([
  ['a comment that a carriage return ends', `-- x\r${command}`],
  ['behind a COPY to the client', `copy (select 1) to stdout /* from stdin */;\n${command}\\.\n`],
  ['behind a COPY whose name says more', `copy (select 1 as " from stdin") to stdout;\n${command}\\.\n`],
  ['on the line of a COPY', `copy t from stdin; ${command}\\.\n`],
  ['rows within parentheses', `select (1; copy t from stdin;\n${command}\\.\n`],
  [
    'rows within a function',
    `create function f() returns int begin atomic; copy t from stdin;\n${command}\\.\n`,
  ],
  [
    'a string, after a setting that was set back',
    `set standard_conforming_strings = off;\nset standard_conforming_strings = on;\nselect '\\' ` +
      `${command}';\n`,
  ],
  ['a string that goes on on the next line', `select E'a'\n'\\'' ${command}';\n`],
  ['a string behind a number', `select 1e'\\'' ${command}';\n`],
  ['dollars behind a number', `select 1$a$ ' $a$ ${command}';\n`],
  ['dollars behind dollars', `select $a$x$a$$b$ ' $b$ ${command}';\n`],
  ['a line with a NUL', `select 'a\0'\n ' ${command} '`],
  ['letters of two bytes', `set client_encoding = 'SJIS';\nselect E'\x95\\' ${command}';\n`],
])('refuses a command in %s', async (_where, text) => {
  for (const size of [1, 7, 100_000])
    await expect(read(postgresPart, `select 2;\n${text}`, size)).rejects.toThrow(
      /commands of the client are not run|could find commands/,
    );
});

it('runs no command in a string where a function changes how strings are read', async () => {
  const text = `select set_config('standard_conforming_strings', 'off', false);\nselect '\\'' ${command}';\n`;
  expect(await read(postgresPart, text)).toContain(`select E'\\\\'' \\\\! touch`);
});

it('takes the body of a function with its semicolons', async () => {
  const text =
    'CREATE FUNCTION f() RETURNS int\n    BEGIN ATOMIC\n SELECT CASE WHEN true THEN 1 END;\nEND;\n' +
    'COPY t FROM stdin;\n1\n\\.\n';
  for (const size of [1, 3, 1000]) expect(await read(postgresPart, text, size)).toBe(`${text}\n`);
});

const long = 60_000;
/** Milliseconds of processor time; each of them took more than a second. */
it.each([
  ['owner to', `alter table ${' owner to x'.repeat(long / 11)}';';\n`],
  ['spaces behind owner to', `alter table owner to ${' '.repeat(long)}';';\n`],
  ['drop constraint', `alter table ${' drop constraint x'.repeat(long / 18)}';';\n`],
  ['spaces before if', `create schema ${' '.repeat(long)}if not exists a;\n`],
])('reads a statement full of "%s" at once', async (_what, text) => {
  const before = process.threadCpuUsage();
  await read(postgresPart, text);
  const { user } = process.threadCpuUsage(before);
  expect(user / 1000).toBeLessThan(500);
});

it('makes a dump that drops first load into an empty database', async () => {
  for (const [from, to] of [
    ['DROP TABLE public.t;', 'DROP TABLE IF EXISTS public.t;'],
    ['DROP MATERIALIZED VIEW m;', 'DROP MATERIALIZED VIEW IF EXISTS m;'],
    ['DROP MATERIALIZED VIEW IF EXISTS m;', 'DROP MATERIALIZED VIEW IF EXISTS m;'],
    ['DROP TABLE  IF EXISTS t;', 'DROP TABLE  IF EXISTS t;'],
    ['ALTER TABLE ONLY t DROP CONSTRAINT c;', 'ALTER TABLE IF EXISTS ONLY t DROP CONSTRAINT IF EXISTS c;'],
    ['ALTER TABLE t ALTER COLUMN id DROP DEFAULT;', 'ALTER TABLE IF EXISTS t ALTER COLUMN id DROP DEFAULT;'],
    ['CREATE SCHEMA a;', 'CREATE SCHEMA IF NOT EXISTS a;'],
    ['CREATE SCHEMA IF NOT EXISTS a;', 'CREATE SCHEMA IF NOT EXISTS a;'],
    ['DROP EXTENSION hstore;', ''],
  ] as const)
    expect(await read(postgresPart, from)).toBe(`${to}\n`);
});

it('takes the part of the database from a dump of several, and refuses one of others alone', async () => {
  const said: string[] = [];
  const all = [
    'CREATE ROLE a;',
    '\\connect template1',
    'CREATE TABLE none ();',
    '\\connect blog',
    'COPY t FROM stdin;',
    '\\connect shop',
    '\\.',
    'CREATE TABLE blog ();',
    `\\connect -reuse-previous=on "dbname='shop'"`,
    'CREATE TABLE shop ();',
    '\\connect postgres',
    'CREATE TABLE no ();',
  ].join('\n');
  expect((await read(postgresPart, all, 10, said)).trim()).toBe('CREATE TABLE shop ();');
  expect(said).toEqual([expect.stringMatching(/not restored: blog$/)]);
  await expect(read(postgresPart, '\\connect blog\nCREATE TABLE t ();\n')).rejects.toThrow('of blog');
});

it.each(['\\! touch x', "\\copy t from program 'id'", 'select 1 \\gexec', '\\i /etc/passwd', '\\'])(
  'refuses the command %s',
  async (text) => {
    await expect(read(postgresPart, `select 2;\n${text}\n`)).rejects.toThrow(
      'commands of the client are not run',
    );
  },
);

it('leaves an archive as it is', async () => {
  for (const text of ['PGDMP\\! ;', 'toc.dat\0\\!'])
    for (const size of [1, 3, 100]) expect(await read(postgresPart, text, size)).toBe(text);
});

it('takes the lines of one database of mysqldump --databases', async () => {
  const said: string[] = [];
  const text = [
    'SET x=1;',
    'CREATE DATABASE /*!32312 IF NOT EXISTS*/ `blog`;',
    'USE `blog`;',
    'INSERT INTO b VALUES (1);',
    'USE `shop`;',
    `INSERT INTO s VALUES ('${'x'.repeat(10_000)}');`,
    '-- USE `blog`;',
    'USE `mysql`;',
    'INSERT INTO user VALUES (1);',
  ].join('\n');
  const expected = ['SET x=1;', `INSERT INTO s VALUES ('${'x'.repeat(10_000)}');`, '-- USE `blog`;', ''].join(
    '\n',
  );
  for (const size of [1, 50, 100_000]) expect(await read(mysqlPart, text, size, said)).toBe(expected);
  expect(said[0]).toMatch(/not restored: blog$/);
  await expect(read(mysqlPart, 'USE `blog`;\nINSERT INTO b VALUES (1);')).rejects.toThrow('of blog');
});
