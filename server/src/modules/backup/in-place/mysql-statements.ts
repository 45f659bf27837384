/** The statements of a restore inside a running MariaDB or MySQL. Pure. */
import { lines } from '../../database/kinds/server.ts';
import type { DatabaseTarget, InPlaceNames } from '../programs/database-program.ts';

/** What stands in a database at rest besides its tables: the statements that make all else of it. */
const definitions = '`berth_definitions`';
/** The same of the restored state, from the change of the names until they are loaded. */
const loading = '`berth_loading`';

const quoted = (name: string): string => `\`${name.replaceAll('`', '``')}\``;
/** Without a sign that a mode of the server could read otherwise. */
const literal = (text: string): string => `X'${Buffer.from(text).toString('hex')}'`;
/** A name as the server keeps it, compared byte by byte. */
const named = (name: string): string => {
  const text = `convert(${literal(name)} using utf8mb4)`;
  return `cast(if(@@lower_case_table_names = 0, ${text}, lower(${text})) as binary)`;
};
const inQuotes = (column: string): string => `concat('\`', replace(${column}, '\`', '\`\`'), '\`')`;

const hasTable = (database: string, table: string): string =>
  `(select count(*) from information_schema.tables where table_schema = ${named(database)} and ` +
  `table_name = '${table.replaceAll('`', '')}')`;
const hasDatabase = (database: string): string =>
  `(select count(*) from information_schema.schemata where schema_name = ${named(database)})`;
const countTables = (database: string): string =>
  `(select count(*) from information_schema.tables where table_schema = ${named(database)})`;

/** A statement that the server completes with the character set and the order of the present database. */
const like = (database: string, beginning: string): string =>
  `select concat(${literal(beginning)}, ' CHARACTER SET ', default_character_set_name, ' COLLATE ', ` +
  `default_collation_name, ';') from information_schema.schemata where schema_name = ${named(database)};`;

const tableType = `table_type <> 'VIEW'`;

/** Prints the statements that drop what this lists. */
const drop = (name: string, what: string, column: string, from: string): string =>
  `select concat('DROP ', ${what}, ' IF EXISTS ', ${literal(`${quoted(name)}.`)}, ${inQuotes(column)}, ` +
  `';') from information_schema.${from}`;

const triggers = (name: string): string =>
  `${drop(name, "'TRIGGER'", 'trigger_name', 'triggers')} where trigger_schema = ${named(name)};`;

/** Events first, that none runs when what it uses is gone. */
function drops(name: string): string {
  return lines(
    // A package of MariaDB is known by this name only in the mode of Oracle.
    `select distinct 'SET SESSION sql_mode = ORACLE;' from information_schema.routines where ` +
      `routine_schema = ${named(name)} and routine_type = 'PACKAGE';`,
    `${drop(name, "'EVENT'", 'event_name', 'events')} where event_schema = ${named(name)};`,
    triggers(name),
    `${drop(name, "'VIEW'", 'table_name', 'views')} where table_schema = ${named(name)};`,
    // The body of a package goes with it.
    `${drop(name, 'routine_type', 'routine_name', 'routines')} where routine_schema = ${named(name)} and ` +
      `routine_type <> 'PACKAGE BODY';`,
  );
}

/** Pairs of the one statement that moves all tables. The last one tells afterwards that it was done. */
function moves(name: string, { fresh, former }: InPlaceNames): string {
  const move = (from: string, to: string): string =>
    `select concat(${literal(`${quoted(from)}.`)}, ${inQuotes('table_name')}, ' TO ', ` +
    `${literal(`${quoted(to)}.`)}, ${inQuotes('table_name')}) from information_schema.tables ` +
    `where table_schema = ${named(from)} and ${tableType}`;
  return lines(
    `${move(name, former)};`,
    `${move(fresh, name)} and table_name <> 'berth_definitions';`,
    `select concat(${literal(`${quoted(fresh)}.${definitions} TO ${quoted(former)}.${loading}`)});`,
  );
}

/** Rights on routines, which the server forgets with the routine. Kept, and given again where it is there. */
function rights(name: string, former: string): string {
  const to = `${quoted(former)}.${definitions} (kind, type, name, line)`;
  const given =
    `coalesce(nullif(concat_ws(', ', if(find_in_set('Execute', Proc_priv), 'EXECUTE', null), ` +
    `if(find_in_set('Alter Routine', Proc_priv), 'ALTER ROUTINE', null)), ''), 'USAGE')`;
  return lines(
    `INSERT INTO ${to} SELECT 'routine', routine_type, routine_name, '' FROM information_schema.routines ` +
      `WHERE routine_schema = ${named(name)};`,
    `INSERT INTO ${to} SELECT 'right', Routine_type, Routine_name, concat('GRANT ', ${given}, ' ON ', ` +
      `Routine_type, ' ', ${literal(`${quoted(name)}.`)}, ${inQuotes('Routine_name')}, ' TO ', ` +
      `quote(User), if(Host = '', '', concat('@', quote(Host))), if(find_in_set('Grant', Proc_priv), ` +
      `' WITH GRANT OPTION', ''), ';') FROM mysql.procs_priv WHERE Db = ${named(name)};`,
  );
}

/** Of `kept`, where the routine is there; those in `of` alone where the state before had no such routine. */
function rightsAgain(name: string, kept: string, of?: string): string {
  const present =
    `(select concat(routine_type, ' ', routine_name) from information_schema.routines ` +
    `where routine_schema = ${named(name)})`;
  const all = (from: string): string =>
    `select convert(line using utf8mb4) from ${from} where kind = 'right' and concat(type, ' ', name) in ` +
    present;
  return lines(
    `${all(kept)};`,
    ...(of === undefined
      ? []
      : [
          `${all(of)} and concat(type, ' ', name) not in (select concat(type, ' ', name) from ${kept} ` +
            `where kind = 'routine');`,
        ]),
  );
}

const linesOf = (table: string): string => `select line from ${table} where kind = 'line' order by id;`;

/** What is asked of the present database, by its name in the script. */
function ofPresent(name: string): Record<string, string> {
  return {
    ENCODING:
      `select concat(default_character_set_name, ' ', default_collation_name) from ` +
      `information_schema.schemata where schema_name = ${named(name)};`,
    VIEWS: `select table_name from information_schema.views where table_schema = ${named(name)} order by 1;`,
    SHOWS:
      `select concat('SHOW FIELDS FROM ', ${literal(`${quoted(name)}.`)}, ${inQuotes('table_name')}, ';') ` +
      `from information_schema.views where table_schema = ${named(name)} order by table_name;`,
    REFERRING:
      `select distinct concat(constraint_schema, '.', table_name) from ` +
      `information_schema.referential_constraints where unique_constraint_schema = ${named(name)} and ` +
      `constraint_schema <> ${named(name)};`,
    KILLS:
      `select concat('KILL ', id, ';') from information_schema.processlist where db = ${named(name)} and ` +
      `id <> connection_id();`,
    DROPS: drops(name),
    TRIGGERS: triggers(name),
  };
}

/** Everything that the script asks or says, by its name there. */
export function mysqlStatements(
  { database: name }: DatabaseTarget,
  { fresh, former }: InPlaceNames,
): Record<string, string> {
  const [inFresh, inFormer] = [`${quoted(fresh)}.${definitions}`, `${quoted(former)}.${definitions}`];
  const inLoading = `${quoted(former)}.${loading}`;
  const make = (table: string): string =>
    lines(
      `DROP TABLE IF EXISTS ${table};`,
      `CREATE TABLE ${table} (id bigint AUTO_INCREMENT PRIMARY KEY, kind varchar(10) NOT NULL, ` +
        'type varchar(20), name varchar(100), line longblob NOT NULL) ENGINE=InnoDB ' +
        'CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;',
    );
  return {
    NAME: name,
    FRESH: fresh,
    // A statement whose client was ended goes on in the server: what it does is waited for.
    LOCK: `SELECT GET_LOCK('berth_${Buffer.from(former).toString('hex').slice(-32)}', 60) INTO @locked;`,
    STATE:
      `select concat(@locked, ' ', ${hasDatabase(former)}, ' ', ${hasTable(former, loading)}, ' ', ` +
      `${hasTable(fresh, definitions)}, ' ', ${hasTable(former, definitions)}, ' ', ${hasDatabase(name)});`,
    TABLES_OF_FORMER: `select ${countTables(former)};`,
    TABLES_OF_NAME: `select ${countTables(name)};`,
    KEEP_LIMIT:
      `INSERT INTO ${inFresh} (kind, line) VALUES ('limit', concat('SET GLOBAL max_allowed_packet = ', ` +
      `@@global.max_allowed_packet, ';'));`,
    LIMIT: `select line from ${inFresh} where kind = 'limit' order by id limit 1;`,
    KEPT_LINES: `select count(*) from ${inFormer};`,
    IS_NEW: `select count(*) from ${inFormer} where kind = 'new';`,
    ...ofPresent(name),
    MAKE_FRESH: `DROP DATABASE IF EXISTS ${quoted(fresh)};`,
    LIKE_FRESH: like(name, `CREATE DATABASE ${quoted(fresh)}`),
    PLAIN_FRESH: `CREATE DATABASE ${quoted(fresh)};`,
    LIKE_FORMER: like(name, `CREATE DATABASE IF NOT EXISTS ${quoted(former)}`),
    NEW_NAME:
      `CREATE DATABASE IF NOT EXISTS ${quoted(name)}; ` + `CREATE DATABASE IF NOT EXISTS ${quoted(former)};`,
    IN_FRESH: make(inFresh),
    IN_FORMER: make(inFormer),
    INTO_FRESH: `INSERT INTO ${inFresh} (kind, line) VALUES `,
    INTO_FORMER: `INSERT INTO ${inFormer} (kind, line) VALUES `,
    RIGHTS: rights(name, former),
    MOVES: moves(name, { fresh, former }),
    LOADING: linesOf(inLoading),
    KEPT: linesOf(inFormer),
    RIGHTS_OF_LOADING: rightsAgain(name, inFormer, inLoading),
    RIGHTS_OF_KEPT: rightsAgain(name, inFormer),
    LOADED: `DROP TABLE IF EXISTS ${inLoading};`,
    DROP_FRESH: `DROP DATABASE IF EXISTS ${quoted(fresh)};`,
    DROP_FORMER: `DROP DATABASE IF EXISTS ${quoted(former)};`,
    DROP_NAME: `DROP DATABASE IF EXISTS ${quoted(name)};`,
  };
}

/** Prints 1 when there is a database of this name. */
export const hasMysql = (name: string): string => `select ${hasDatabase(name)};`;
/** Prints why this server is not restored inside; nothing where it is. */
export const hindranceOf =
  `select concat('Its version is ', version(), '.') from (select substring_index(version(), '.', 1) * 1000 ` +
  `+ substring_index(substring_index(version(), '.', 2), '.', -1) as number) as v where number < ` +
  `if(version() like '%MariaDB%', 10006, 8000);`;
/** Prints the names of all tables, without what Berth keeps there. */
export const tablesOf = (name: string): string =>
  `select table_name from information_schema.tables where table_schema = ${named(name)} and ${tableType} ` +
  `and table_name <> 'berth_definitions' order by cast(table_name as binary);`;
export const encoded = (name: string, charset: string, collation: string): string =>
  `ALTER DATABASE ${quoted(name)} CHARACTER SET ${charset} COLLATE ${collation}`;
