/** MySQL and MariaDB. Their clients print XML, in which null differs from every text. */
import type { DatabaseRecord } from '../../../db/tables.ts';
import { mariadbServer, mysqlServer } from '../kinds/mysql.ts';
import { lines, ownAddress, type DatabaseServer } from '../kinds/server.ts';
import {
  boundedScript,
  cellLength,
  hex,
  statementSeconds,
  type Reading,
  type Rows,
  type SqlBrowser,
} from './browser.ts';

interface Dialect {
  server: DatabaseServer;
  client: string;
  timeLimit: string;
  countingHint: string;
}

const text = (value: string): string => `convert(X'${hex(value)}' using utf8mb4)`;

/** PREPARE takes one statement alone, and no command of the client is in the text. */
function asked(statement: readonly string[], limit: number, { timeLimit }: Dialect): string {
  return lines(
    timeLimit,
    `set session sql_select_limit = ${limit};`,
    'set session transaction read only;',
    'start transaction read only;',
    ...statement,
    'prepare berth from @berth;',
    'execute berth;',
    'rollback;',
  );
}

function reading(
  dialect: Dialect,
  record: DatabaseRecord,
  statement: readonly string[],
  limit: number,
): Reading {
  const { user, password, database } = dialect.server.login(record);
  return {
    script: {
      script: boundedScript(
        `${dialect.client} --no-defaults --host=${ownAddress} --protocol=tcp --connect-timeout=10 ` +
          '--default-character-set=utf8mb4 --quick --xml --user="$LOGIN_USER" ' +
          '${LOGIN_DATABASE:+--database="$LOGIN_DATABASE"}',
      ),
      env: {
        LOGIN_USER: user,
        LOGIN_DATABASE: database,
        MYSQL_PWD: password,
        ASK: asked(statement, limit, dialect),
      },
    },
    rowsOf: rowsOfXml,
  };
}

/** Texts of the client have no "<" of their own. */
const field = /<field name="([^"<]*)"(?: xsi:nil="true" \/>|>([^<]*)<\/field>)/g;

export function rowsOfXml(output: string): Rows {
  // Split at what ends a row or a field: a server may send their beginnings alone, as many as it likes.
  const rows = output
    .split('</row>')
    .slice(0, -1)
    .map((row) => row.slice(row.indexOf('<row>') + '<row>'.length).matchAll(field))
    .map((fields) =>
      [...fields].map(([, name = '', value]) => ({
        name: plain(name),
        value: value === undefined ? null : plain(value),
      })),
    );
  return {
    columns: rows[0]?.map(({ name }) => name) ?? [],
    rows: rows.map((row) => row.map(({ value }) => value)),
  };
}

const signs: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&', apos: "'" };
const plain = (xml: string): string =>
  xml.replaceAll(/&(lt|gt|quot|amp|apos);/g, (_whole, name: string) => signs[name] ?? '');

const tables = `
select table_schema as \`schema\`, table_name as name,
  case when table_type like '%VIEW%' then 'view' else 'table' end as kind,
  table_rows as \`rows\`, data_length + index_length as size
from information_schema.tables
where table_schema not in ('mysql', 'information_schema', 'performance_schema', 'sys')
order by 5 desc, 1, 2`;

/** The server makes the statement itself, from the columns of the table and its primary key. */
function rowsOf(schema: string, table: string, limit: number, offset: number): string[] {
  const named = `table_schema = ${text(schema)} and table_name = ${text(table)}`;
  const quoted = (name: string): string => `concat('\`', replace(${name}, '\`', '\`\`'), '\`')`;
  return [
    'set session group_concat_max_len = 1000000;',
    `select group_concat(concat('left(cast(', ${quoted('column_name')}, ' as char), ${cellLength}) as ', ` +
      `${quoted('column_name')}) order by ordinal_position separator ', ') into @columns ` +
      `from information_schema.columns where ${named};`,
    `select concat(' order by ', group_concat(${quoted('column_name')} order by ordinal_position)) ` +
      `into @sorted from information_schema.key_column_usage where ${named} and constraint_name = 'PRIMARY';`,
    `set @berth = concat('select ', @columns, ' from (select * from ', ${quoted(text(schema))}, '.', ` +
      `${quoted(text(table))}, coalesce(@sorted, ''), ' limit ${limit} offset ${offset}) t');`,
  ];
}

const runningNow = `
select 'running' as what, left(info, ${cellLength}) as statement, user as a, cast(time as char) as b,
  coalesce(state, '') as c
from information_schema.processlist
where id <> connection_id() and info is not null and command not in ('Sleep', 'Daemon', 'Binlog Dump')
  and (db is null or database() is null or db = database())
order by time desc limit`;

const countedSoFar = `
select 'counted', left(digest_text, ${cellLength}), cast(count_star as char),
  cast(round(avg_timer_wait / 1e9, 3) as char), cast(round(sum_timer_wait / 1e9, 3) as char)
from performance_schema.events_statements_summary_by_digest
where digest_text regexp '^[(]?(SELECT|INSERT|REPLACE|UPDATE|DELETE|WITH|CALL|LOAD) '
  and digest_text not like '% INTO @?%'
  and (schema_name is null or database() is null or schema_name = database())
order by sum_timer_wait desc limit`;

/** The summary is shown to those who may read it, and has rows where the server counts. */
const statements = (limit: number): string[] => [
  "select count(*) into @counts from information_schema.tables where table_schema = 'performance_schema' " +
    "and table_name = 'events_statements_summary_by_digest' and @@performance_schema = 1;",
  `set @berth = concat(${text(`(${runningNow} ${limit})`)}, if(@counts = 0, '', ${text(
    ` union all select 'counts', '', '', '', '' union all (${countedSoFar} ${limit})`,
  )}));`,
];

const browserOf = (dialect: Dialect): SqlBrowser => ({
  tables: (record, limit) => reading(dialect, record, [`set @berth = ${text(tables)};`], limit),
  rows: (record, { schema, table }, { limit, offset }) =>
    reading(dialect, record, rowsOf(schema, table, limit, offset), limit),
  // Both kinds of rows, and the one between them.
  statements: (record, limit) => reading(dialect, record, statements(limit), 2 * limit + 1),
  countingHint: dialect.countingHint,
  query: (record, statement, limit) => reading(dialect, record, [`set @berth = ${text(statement)};`], limit),
});

export const mysqlBrowser = browserOf({
  server: mysqlServer,
  client: 'mysql',
  timeLimit: `set session max_execution_time = ${statementSeconds * 1000};`,
  countingHint:
    'MySQL shows its counts to logins that may read performance_schema: as root run grant select on ' +
    'performance_schema.* for the login of the database.',
});
export const mariadbBrowser = browserOf({
  server: mariadbServer,
  client: 'mariadb',
  timeLimit: `set session max_statement_time = ${statementSeconds};`,
  countingHint:
    'MariaDB counts statements where its performance schema is on: set the arguments of the database to ' +
    '--performance-schema=ON and deploy it; as root run grant select on performance_schema.* for the login ' +
    'of the database.',
});
