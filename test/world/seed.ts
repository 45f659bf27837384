/** Puts rows into a database, many at once; the codecs are the product's own. */
import { sql } from 'kysely';
import { encodeValue } from '../../server/src/db/values/codec.ts';
import type { Columns, StoredValue } from '../../server/src/db/values/column.ts';
import type { Database } from '../../server/src/db/database.ts';
import { tables, type TableName } from '../../server/src/db/tables.ts';
import type { Rows } from './fixtures.ts';

/** SQLite takes at most 32,766 values in a statement, PostgreSQL 65,535. */
const valuesAtOnce = 30_000;

/** A table after those that it refers to. */
const order: readonly TableName[] = [
  'organization',
  'quota',
  'user',
  'two_factor',
  'recovery_code',
  'member',
  'session',
  'api_key',
  'invitation',
  'project',
  'environment',
  'ssh_key',
  'registry',
  'template_catalogue',
  'catalogue_template',
  'server',
  'destination',
  'notification',
  'log_drain',
  'certificate',
  'certificate_resolver',
  'dns_provider',
  'certificate_order',
  'application',
  'database',
  'compose',
  'schedule',
  'schedule_run',
  'alarm',
  'hook_delivery',
  'service_name',
  'deployment',
  'quota_claim',
  'domain',
  'port',
  'mount',
  'redirect',
  'basic_auth',
  'backup',
  'backup_run',
  'preview_deployment',
  'held_pull_request',
  'git_provider',
  'setting',
  'audit',
];

/** All or none of them. */
export async function insertRows(database: Database, lots: readonly Rows[]): Promise<void> {
  const unknown = lots
    .flatMap((lot) => Object.keys(lot))
    .find((name) => !order.some((table) => table === name));
  if (unknown !== undefined)
    throw new Error(`The order in which tables are filled does not name ${unknown}.`);
  await database.transaction(async () => {
    for (const table of order) {
      const records: object[] = lots.flatMap((lot): object[] => lot[table] ?? []);
      const columns: Columns = tables[table];
      const names = Object.keys(columns);
      const atOnce = Math.floor(valuesAtOnce / names.length);
      for (let start = 0; start < records.length; start += atOnce)
        await insertLot(database, table, names, records.slice(start, start + atOnce));
    }
  });
}

async function insertLot(
  database: Database,
  table: TableName,
  names: readonly string[],
  records: readonly object[],
): Promise<void> {
  const columns: Columns = tables[table];
  const row = (record: object): StoredValue[] =>
    names.map((name) => {
      const column = columns[name];
      const value: unknown = Reflect.get(record, name);
      if (!column || value === undefined) throw new Error(`A row of ${table} has no ${name}.`);
      return encodeValue(column, value, database.cipher);
    });
  const lines = records.map((record) => sql`(${sql.join(row(record))})`);
  const into = sql`${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})`;
  await database.change(sql`insert into ${into} values ${sql.join(lines)}`.compile(database.builder));
}
