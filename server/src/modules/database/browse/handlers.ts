import { AppError, badField } from '../../../domain/errors.ts';
import { serverKeyOf } from '../../../domain/names/server-key.ts';
import type { DatabaseKindName } from '../../../domain/database-kind.ts';
import type { DatabaseRecord } from '../../../db/tables.ts';
import type { ExecResult } from '../../../ports/engine/engine-program.ts';
import type { Hosts } from '../../../ports/host/host.ts';
import type { CallContext } from '../../../procedure/context.ts';
import type { Handlers } from '../../../procedure/procedure.ts';
import { nameOf } from '../../service/own-service.ts';
import { askServer, lastWords } from '../ask-server.ts';
import type { Databases } from '../database.ts';
import { databaseKind } from '../kinds.ts';
import type { Script } from '../kinds/server.ts';
import { answerBytes, answerLimitMs, type Reading, type Rows, type SqlBrowser } from './browser.ts';
import type { databaseContract } from '../contract-browse.ts';
import { mariadbBrowser, mysqlBrowser } from './mysql.ts';
import { postgresBrowser } from './postgres.ts';
import { wordsOfAnswer, redisBrowser } from './redis.ts';

export interface BrowseDeps {
  databases: Pick<Databases, 'one'>;
  hosts: Hosts;
}

const sqlBrowsers: Partial<Record<DatabaseKindName, SqlBrowser>> = {
  postgres: postgresBrowser,
  mysql: mysqlBrowser,
  mariadb: mariadbBrowser,
};

const mostTables = 500;
const mostElements = 100;
const mostStatements = 50;

type BrowseHandlers = Handlers<typeof databaseContract, CallContext>;

export function browseHandlers(deps: BrowseDeps): BrowseHandlers {
  const reader = readerOf(deps);
  return { ...sqlHandlers(reader), ...redisHandlers(reader), ...statementHandlers(reader) };
}

type Reader = ReturnType<typeof readerOf>;

function readerOf({ databases, hosts }: BrowseDeps) {
  const found = ({ actor }: CallContext, databaseId: string): Promise<DatabaseRecord> =>
    databases.one(databaseId, actor.organizationId);

  async function ask({ signal }: CallContext, database: DatabaseRecord, script: Script): Promise<ExecResult> {
    const { engine } = await hosts.of(serverKeyOf(database));
    return askServer(engine, nameOf(database), script, { signal, limitMs: answerLimitMs });
  }

  /** One row more than the limit is asked for, which tells whether there are more. */
  async function read(
    context: CallContext,
    database: DatabaseRecord,
    { script, rowsOf }: Reading,
    { limit, field }: { limit: number; field?: string },
  ): Promise<Rows & { isCut: boolean }> {
    const result = await ask(context, database, script);
    const isFull = requireAnswer(database, result, field);
    const { columns, rows } = rowsOf(result.stdout);
    return { columns, rows: rows.slice(0, limit), isCut: isFull || rows.length > limit };
  }

  return { found, ask, read };
}

function sqlHandlers({ found, read }: Reader): Pick<BrowseHandlers, 'tables' | 'rows' | 'query'> {
  return {
    async tables(context, { databaseId }) {
      const database = await found(context, databaseId);
      const { rows, isCut } = await read(
        context,
        database,
        sqlBrowserOf(database).tables(database, mostTables + 1),
        { limit: mostTables },
      );
      return { tables: rows.map(tableOf), isCut };
    },
    async rows(context, { databaseId, schema, table, limit, offset }) {
      const database = await found(context, databaseId);
      const asked = sqlBrowserOf(database).rows(database, { schema, table }, { limit: limit + 1, offset });
      const answer = await read(context, database, asked, { limit, field: 'table' });
      await audited(context);
      return answer;
    },
    async query(context, { databaseId, statement, limit }) {
      const database = await found(context, databaseId);
      const asked = sqlBrowserOf(database).query(database, requireReading(statement), limit + 1);
      const answer = await read(context, database, asked, { limit, field: 'statement' });
      await audited(context);
      return answer;
    },
  };
}

function statementHandlers({ found, ask, read }: Reader): Pick<BrowseHandlers, 'statements'> {
  return {
    async statements(context, { databaseId }) {
      const database = await found(context, databaseId);
      if (database.kind === 'redis') {
        const result = await ask(context, database, redisBrowser.slow(database, mostStatements));
        const isFull = requireAnswer(database, result);
        await audited(context);
        const slowest = slowOf(answerOf(database, result));
        return { running: [], slowest, missing: null, isCut: isFull };
      }
      const browser = sqlBrowserOf(database);
      const { rows, isCut } = await read(context, database, browser.statements(database, mostStatements), {
        limit: 2 * mostStatements + 1,
      });
      await audited(context);
      return { ...statementsOf(rows), missing: countsIn(rows) ? null : browser.countingHint, isCut };
    },
  };
}

function redisHandlers({ found, ask }: Reader): Pick<BrowseHandlers, 'keys' | 'value'> {
  return {
    async keys(context, { databaseId, match, cursor, limit }) {
      const database = requireRedis(await found(context, databaseId));
      const result = await ask(context, database, redisBrowser.keys(database, { match, cursor, limit }));
      requireAnswer(database, result);
      await audited(context);
      const [next = '0', ...words] = answerOf(database, result);
      const keys = Array.from({ length: Math.floor(words.length / 3) }, (_, at) => keyOf(words, at * 3));
      return { keys, cursor: next === '0' ? null : next };
    },
    async value(context, { databaseId, key }) {
      const database = requireRedis(await found(context, databaseId));
      const result = await ask(context, database, redisBrowser.value(database, key));
      const isFull = requireAnswer(database, result);
      await audited(context);
      const [type = 'none', expires = '-1', length = '0', ...pairs] = answerOf(database, result);
      if (type === 'none') throw new AppError('NOT_FOUND', `${database.name} has no key of this name now.`);
      const elements = Array.from({ length: Math.floor(pairs.length / 2) }, (_, at) => ({
        field: pairs[at * 2] ?? '',
        value: pairs[at * 2 + 1] ?? '',
      }));
      const isCut =
        isFull ||
        (type === 'string'
          ? Buffer.byteLength(elements[0]?.value ?? '') < Number(length)
          : Number(length) > mostElements);
      return { ...keyOf([key, type, expires], 0), length: Number(length), elements, isCut };
    },
  };
}

/** A read has nothing to write but its entry in the audit log. */
const audited = ({ write }: CallContext): Promise<void> => write(async () => undefined);

function sqlBrowserOf(database: DatabaseRecord): SqlBrowser {
  const browser = sqlBrowsers[database.kind];
  if (browser) return browser;
  throw new AppError(
    'PRECONDITION_FAILED',
    `${databaseKind(database.kind).title} has no tables that Berth can show. ` +
      (database.kind === 'redis'
        ? 'Its keys are read with database.keys.'
        : 'Open it with a client of your own: `berth db connect`.'),
  );
}

function requireRedis(database: DatabaseRecord): DatabaseRecord {
  if (database.kind === 'redis') return database;
  throw new AppError(
    'PRECONDITION_FAILED',
    `${database.name} is a ${databaseKind(database.kind).title} database, and only Redis has keys.`,
  );
}

const reading = /^(?:select|with|values|table|show|explain|describe|desc|analyze|\()/i;

/** The statement without the comments before it; BAD_REQUEST for one that does not read. */
export function requireReading(statement: string): string {
  const bare = statement.replace(/^(?:\s+|--[^\n]*(?:\n|$)|#[^\n]*(?:\n|$)|\/\*(?!!)[\s\S]*?\*\/)+/, '');
  let end = bare.length;
  while (end > 0 && /[\s;]/.test(bare.charAt(end - 1))) end -= 1;
  const text = bare.slice(0, end);
  if (reading.test(text)) return text;
  throw badField(
    'statement',
    'must be one that reads: SELECT, WITH, VALUES, TABLE, SHOW, EXPLAIN or DESCRIBE. Change data with a ' +
      'client of your own: `berth db connect`.',
  );
}

/** Returns whether the output was cut; throws what the client said where it failed. */
function requireAnswer(database: DatabaseRecord, { stdout, stderr }: ExecResult, field?: string): boolean {
  if (Buffer.byteLength(stdout) >= answerBytes) return true;
  const [, said = stderr, code] = /^([\s\S]*?)exit (\d+)\s*$/.exec(stderr) ?? [];
  if (code === '0') return false;
  const words =
    code === '124' || /statement timeout|max_statement_time|maximum statement execution time/i.test(said)
      ? 'It took longer than 10 s and was ended.'
      : lastWords({ stdout: '', stderr: plainWords(said), exitCode: Number(code ?? -1) });
  if (field !== undefined && !connects.test(said)) throw badField(field, words);
  throw new AppError('PRECONDITION_FAILED', `The server of ${database.name} did not answer: ${words}`);
}

const connects = /could not connect|connection to server|access denied for user|can't connect/i;

/** Without the names of programs and lines of Berth's text. */
const plainWords = (text: string): string =>
  text
    .replaceAll(/^psql:<stdin>:\d+: /gm, '')
    .replaceAll(/^ERROR (\d+) \(([^)]*)\) at line \d+: /gm, 'ERROR $1 ($2): ')
    .replaceAll(/^CONTEXT: [\s\S]*/gm, '')
    .replaceAll(/^(QUERY|LINE \d+): ?/gm, '');

function answerOf(database: DatabaseRecord, { stdout }: ExecResult): string[] {
  const words = wordsOfAnswer(stdout);
  if (words[0] === 'ERROR' || /^(ERR|NOAUTH|WRONGPASS|NOPERM)\b/.test(stdout))
    throw new AppError(
      'PRECONDITION_FAILED',
      `The server of ${database.name} refused: ${words.slice(1).join(' ') || stdout.trim().slice(0, 500)}`,
    );
  return words;
}

const tableOf = ([schema, name, kind, rows, size]: readonly (string | null)[]) => ({
  schema: schema ?? '',
  name: name ?? '',
  kind: kind === 'view' ? ('view' as const) : ('table' as const),
  estimatedRows: numberOf(rows),
  sizeBytes: numberOf(size),
});

const countsIn = (rows: Rows['rows']): boolean => rows.some(([what]) => what === 'counts');

function statementsOf(rows: Rows['rows']) {
  const of = (wanted: string): Rows['rows'] => rows.filter(([what]) => what === wanted);
  return {
    running: of('running').map(([, statement, user, seconds, state]) => ({
      statement: statement ?? '',
      user: user ?? '',
      seconds: Math.max(0, Number(seconds ?? 0)),
      state: state ?? '',
    })),
    slowest: of('counted').map(([, statement, calls, meanMs, totalMs]) => ({
      statement: statement ?? '',
      calls: Number(calls ?? 0),
      meanMs: Number(meanMs ?? 0),
      totalMs: Number(totalMs ?? 0),
      at: null,
    })),
  };
}

/** Triples of the slow log. */
function slowOf(words: readonly string[]) {
  return Array.from({ length: Math.floor(words.length / 3) }, (_, at) => {
    const [seconds = '0', micros = '0', statement = ''] = words.slice(at * 3);
    const ms = Number(micros) / 1000;
    const when = new Date(Number(seconds) * 1000).toISOString();
    return { statement, calls: 1, meanMs: ms, totalMs: ms, at: when };
  });
}

const numberOf = (text: string | null | undefined): number | null =>
  text === null || text === undefined || text === '' ? null : Number(text);

function keyOf(words: readonly string[], at: number) {
  const expires = Number(words[at + 2] ?? -1);
  return { key: words[at] ?? '', type: words[at + 1] ?? '', expiresInMs: expires < 0 ? null : expires };
}
