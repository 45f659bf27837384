import { randomBytes } from 'node:crypto';
import type { DatabaseRecord } from '../../../db/tables.ts';
import { postgresServer } from '../kinds/postgres.ts';
import { lines, ownAddress } from '../kinds/server.ts';
import {
  boundedScript,
  cellLength,
  hex,
  statementSeconds,
  type Reading,
  type SqlBrowser,
} from './browser.ts';

const text = (value: string): string => `convert_from(decode('${hex(value)}', 'hex'), 'utf8')`;

/**
 * A cursor takes one statement alone, and one that returns rows: nothing behind a semicolon runs, and no
 * command of psql is in the text.
 */
const asked = (statement: string, limit: number): string =>
  lines(
    'begin read only;',
    `do $berth$ declare shown refcursor := 'berth'; begin`,
    `open shown no scroll for execute ${statement}; end $berth$;`,
    `fetch ${limit} from berth;`,
    'rollback;',
  );

/** Marks between fields and rows that no stored value can know. */
function reading(record: DatabaseRecord, statement: string, limit: number): Reading {
  const mark = randomBytes(3).toString('hex');
  const [field, row, none] = [`\u001f${mark}`, `\u001e${mark}`, `\u001d${mark}`];
  const { user, password, database } = postgresServer.login(record);
  return {
    script: {
      script: boundedScript(
        'psql -X -q -A -F "$FIELD" -R "$ROW" -P footer=off -P null="$NULL" -v ON_ERROR_STOP=1 -f -',
        [`export PGHOST=${ownAddress}`],
      ),
      env: {
        PGUSER: user,
        PGPASSWORD: password,
        PGDATABASE: database,
        PGCONNECT_TIMEOUT: '10',
        PGCLIENTENCODING: 'UTF8',
        PGOPTIONS:
          `-c statement_timeout=${statementSeconds * 1000} -c default_transaction_read_only=on ` +
          '-c lc_messages=C',
        FIELD: field,
        ROW: row,
        NULL: none,
        ASK: asked(statement, limit),
      },
    },
    rowsOf(output) {
      const isWhole = output.endsWith('\n');
      const [head = '', ...rows] = output.replace(/\n$/, '').split(row);
      const columns = head === '' ? [] : head.split(field);
      const cells = rows.map((one) => one.split(field).map((cell) => (cell === none ? null : cell)));
      return { columns, rows: isWhole ? cells : cells.slice(0, -1) };
    },
  };
}

const tables = `
select n.nspname as schema, c.relname as name,
  case when c.relkind in ('v', 'm') then 'view' else 'table' end as kind,
  case when c.relkind = 'v' then null
    else greatest(c.reltuples::bigint, pg_stat_get_live_tuples(c.oid), 0) end as rows,
  pg_total_relation_size(c.oid) as size
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'm', 'v', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
order by 5 desc, 1, 2`;

/** The server makes the statement itself, from the columns of the table and its primary key. */
const rowsOf = (schema: string, table: string, limit: number, offset: number): string => `(
select format('select %s from (select * from %I.%I%s limit ${limit} offset ${offset}) t',
  string_agg(format('left(t.%1$I::text, ${cellLength}) as %1$I', a.attname), ', ' order by a.attnum),
  n.nspname, c.relname,
  coalesce(' order by ' || (
    select string_agg(format('%I', k.attname), ', ' order by array_position(i.indkey::int2[], k.attnum))
    from pg_index i join pg_attribute k on k.attrelid = i.indrelid and k.attnum = any(i.indkey::int2[])
    where i.indrelid = c.oid and i.indisprimary), ''))
from pg_class c join pg_namespace n on n.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where n.nspname = ${text(schema)} and c.relname = ${text(table)}
group by n.nspname, c.relname, c.oid)`;

const runningNow = `
select 'running', left(query, ${cellLength}), coalesce(usename, ''),
  round(extract(epoch from clock_timestamp() - query_start)::numeric, 1)::text,
  case when state = 'active' then coalesce(wait_event_type || ': ' || wait_event, '') else state end
from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
  and state <> 'idle'
order by query_start limit`;

/** The extension may be in any schema, and is of use only where the server loaded it at its start. */
const statements = (limit: number): string => `(
select ${text(`(${runningNow} ${limit})`)} || coalesce((
  select format(${text(` union all select 'counts', '', '', '', '' union all (
  select 'counted', left(query, ${cellLength}), calls::text, round(mean_exec_time::numeric, 3)::text,
    round(total_exec_time::numeric, 3)::text
  from %I.pg_stat_statements
  where dbid = (select oid from pg_database where datname = current_database())
    and query not like 'do $berth$%'
  order by total_exec_time desc limit ${limit})`)}, n.nspname)
  from pg_extension e join pg_namespace n on n.oid = e.extnamespace
  where e.extname = 'pg_stat_statements' and current_setting('server_version_num')::int >= 130000
    and exists (select from pg_settings where name = 'pg_stat_statements.max')), ''))`;

export const postgresBrowser: SqlBrowser = {
  tables: (record, limit) => reading(record, text(tables), limit),
  rows: (record, { schema, table }, { limit, offset }) =>
    reading(record, rowsOf(schema, table, limit, offset), limit),
  // Both kinds of rows, and the one between them.
  statements: (record, limit) => reading(record, statements(limit), 2 * limit + 1),
  countingHint:
    'PostgreSQL counts statements with the extension pg_stat_statements: set the arguments of the database ' +
    'to postgres -c shared_preload_libraries=pg_stat_statements, deploy it, and run create extension ' +
    'pg_stat_statements once.',
  query: (record, statement, limit) => reading(record, text(statement), limit),
};
