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
SELECT 'GRANT; '' \', E'it\'s ; \\', "a;""b", $$;'$$, x$1$ FROM t;
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
  const insert = `INSERT INTO t VALUES ('${'; \\! '.repeat(50_000)}');\nSELECT 1;\n`;
  expect(await read(postgresPart, insert, 4096)).toBe(`${insert}\n`);
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
