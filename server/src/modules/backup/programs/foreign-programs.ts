/**
 * How a dump is loaded that this installation did not make. First into a throw-away server of the same image,
 * in a container without network, by a login that owns one database and nothing else; then what that server
 * dumps is loaded where it belongs, by a login with no more rights. So no superuser ever runs a statement of
 * the dump. The texts for the `sh` of the image are fixed; values are passed in the environment.
 */
import { createHash } from 'node:crypto';
import { Secret } from '../../../domain/secrets/secret.ts';
import { lines } from '../../database/kinds/server.ts';
import type { DatabaseProgram, DatabaseTarget, ForeignPrograms } from './database-program.ts';
import { mysqlPart } from './dump-parts.ts';
import { postgresPart } from './plain-postgres.ts';

type Connect = (target: DatabaseTarget, ...argv: [string, ...string[]]) => DatabaseProgram;

/** The login that loads into this database; the same in every attempt, so that a later one removes it. */
export function loaderOf(database: string): string {
  return `berth_loading_${createHash('sha256').update(database).digest('hex').slice(0, 16)}`;
}

/** Of the throw-away server itself and of the login that loads, both known in its container alone. */
const newSecret = `head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \\n'`;

/** The server stands on the loopback of a container that has no other network. */
const whenAnswering = (look: string): string[] => [
  `until ${look} >/dev/null 2>&1; do`,
  '  [ ! -e "$work/ended" ] || { tail -n 5 "$work/log" >&2; exit 1; }; sleep 0.3',
  'done',
];

const started = (server: string): string =>
  `{ env -u PGHOST -u PGUSER -u PGDATABASE docker-entrypoint.sh ${server} >"$work/log" 2>&1; ` +
  ': >"$work/ended"; } &';

/* PostgreSQL */

const psql = 'psql -X -q -A -t -v ON_ERROR_STOP=1 -v loader="$LOADER" -f -';

/** Reads where `public` is owned, and gives the login the database to fill. */
const begin = `
select format('drop owned by %I', rolname) from pg_roles where rolname = :'loader' \\gexec
select format('drop role %I', rolname) from pg_roles where rolname = :'loader' \\gexec
select format('create role %I login nosuperuser nocreatedb nocreaterole noreplication bypassrls password %L',
  :'loader', :'secret') \\gexec
select format('grant connect, create, temporary on database %I to %I', current_database(), :'loader') \\gexec
select format('alter schema public owner to %I', :'loader') from pg_namespace where nspname = 'public'
\\gexec`;

/** What extensions bring is their superuser's, and a dump fills some of their tables. */
const grantExtensions = `
select format('grant all on %s %s to %I', case relkind when 'S' then 'sequence' else 'table' end,
  c.oid::regclass, :'loader')
from pg_depend d join pg_class c on c.oid = d.objid
where d.classid = 'pg_class'::regclass and d.deptype = 'e' and relkind in ('r', 'p', 'S') \\gexec`;

/** Everything belongs to the database's user then, as after any load without roles. */
const end = `
select format('reassign owned by %I to %I', :'loader', current_user) \\gexec
select format('drop owned by %I', :'loader') \\gexec
select format('drop role %I', :'loader') \\gexec
select 'alter schema public owner to pg_database_owner'
where current_setting('server_version_num')::int >= 150000
  and exists (select from pg_namespace where nspname = 'public') \\gexec`;

/**
 * Only these statements for extensions are taken from a dump, which names them: `sed` prints what is exactly
 * one, and nothing else.
 */
const extensionStatements =
  `sed -n -E '/^CREATE EXTENSION IF NOT EXISTS ("[A-Za-z0-9_-]+"|[a-z0-9_]+) WITH SCHEMA ` +
  `("[A-Za-z0-9_ $-]+"|[a-z0-9_]+);$/p'`;

/** Loads `$work/dump`: schemas, then the extensions in them, which need a superuser, then all the rest. */
const restoreByLoader = [
  `secret=$(${newSecret})`,
  `ask() { { printf "\\\\\\\\set secret '%s'\\n" "$secret"; printf '%s\\n' "$1"; } | ${psql}; }`,
  'load() {',
  '  kind=$1; shift',
  '  PGUSER=$LOADER PGPASSWORD=$secret pg_restore --no-password --no-owner --no-privileges ' +
    '--no-tablespaces --use-list="$work/$kind" --dbname= "$@" "$work/dump" ' +
    '2>"$work/errors" && code=0 || code=$?',
  '  cat "$work/errors" >&2',
  `  [ "$code" = 0 ] || { [ -n "$LEAVES_OUT" ] && grep -q 'errors ignored on restore' "$work/errors"; }`,
  '}',
  // One that the image lacks is left out, where that was chosen.
  'extend() {',
  '  [ -n "$LEAVES_OUT" ] || { ask "$(cat "$work/statements")"; return; }',
  '  psql -X -q -v ON_ERROR_STOP=0 -v VERBOSITY=terse <"$work/statements" >/dev/null 2>"$work/errors" ' +
    '|| return 1',
  `  sed 's/^ERROR:  /psql: error: ERROR:  /' "$work/errors" >&2`,
  '}',
  'pg_restore --list "$work/dump" >"$work/all" || exit 1',
  `entry='^[0-9]+; [0-9]+ [0-9]+'`,
  `grep -E "$entry SCHEMA - " "$work/all" | grep -v -E "$entry SCHEMA - public " >"$work/schemas"`,
  'grep -E "$entry EXTENSION - " "$work/all" >"$work/extensions"',
  `grep -v -E "$entry (SCHEMA - |EXTENSION - |COMMENT - EXTENSION )" "$work/all" >"$work/rest"`,
  'whole=; [ -n "$LEAVES_OUT" ] || whole=--exit-on-error',
  'ask "$BEGIN" || exit 1',
  '[ ! -s "$work/schemas" ] || load schemas $whole || exit 1',
  'if [ -s "$work/extensions" ]; then',
  `  pg_restore --use-list="$work/extensions" --file=- "$work/dump" | ${extensionStatements} ` +
    '>"$work/statements" || exit 1',
  '  extend || exit 1',
  '  ask "$EXTENSIONS" || exit 1',
  'fi',
  '[ ! -s "$work/rest" ] || load rest $whole || exit 1',
] as const;

/**
 * Loads `$work/dump` of SQL statements: first the extensions that it names, with the schemas that they are
 * in, then all of it by the login, to which both are there already.
 */
const loadSql = [
  `secret=$(${newSecret})`,
  `ask() { { printf "\\\\set secret '%s'\n" "$secret"; printf '%s\n' "$1"; } | ${psql}; }`,
  'ask "$BEGIN" || exit 1',
  `${extensionStatements} "$work/dump" | grep -v ' WITH SCHEMA pg_' >"$work/statements"`,
  'if [ -s "$work/statements" ]; then',
  `  sed -E 's/.* WITH SCHEMA (.*);$/CREATE SCHEMA IF NOT EXISTS \\1 AUTHORIZATION '"$LOADER"';/' ` +
    '"$work/statements" >"$work/schemas"',
  '  ask "$(cat "$work/schemas")" || exit 1',
  '  if [ -z "$LEAVES_OUT" ]; then',
  '    ask "$(cat "$work/statements")" || exit 1',
  // One that the image lacks is named below, where the dump has it again.
  '  else psql -X -q -v ON_ERROR_STOP=0 <"$work/statements" >/dev/null 2>&1 || exit 1; fi',
  '  ask "$EXTENSIONS" || exit 1',
  'fi',
  'stop=1; [ -z "$LEAVES_OUT" ] || stop=0',
  // Clients of August 2025 and newer run no command of the dump then, whatever they take for one.
  `printf '\\\\restrict a\n\\\\unrestrict a\n' | ${psql} >/dev/null 2>&1 && ` +
    'guard="\\\\restrict $secret" || guard=',
  '{ printf "%s\\n" "$guard"; cat "$work/dump"; } | PGUSER=$LOADER PGPASSWORD=$secret psql -X -q ' +
    '--no-password -v ON_ERROR_STOP="$stop" -v VERBOSITY=terse >/dev/null 2>"$work/errors" ' +
    '&& code=0 || code=$?',
  // As pg_restore says it.
  `sed 's/^ERROR:  /psql: error: ERROR:  /' "$work/errors" >&2`,
  '[ "$code" = 0 ] || exit 1',
] as const;

const loadByLoader = [
  'case "$(head -c 5 "$work/dump")" in PGDMP | toc.d)',
  ...restoreByLoader,
  ';; *)',
  ...loadSql,
  ';; esac',
] as const;

const cleanPostgres = lines(
  'umask 022; work=$(mktemp -d) && cat >"$work/dump" || exit 1',
  `PGPASSWORD=$(${newSecret}); export PGPASSWORD POSTGRES_PASSWORD="$PGPASSWORD"`,
  'export POSTGRES_USER="$PGUSER" POSTGRES_INITDB_ARGS=--auth=scram-sha-256 POSTGRES_DB=postgres',
  started('postgres -c listen_addresses=127.0.0.1 -c fsync=off -c full_page_writes=off'),
  ...whenAnswering('PGDATABASE=postgres psql -X -q -c "select 1"'),
  'PGDATABASE=postgres createdb --no-password --template=template0 -- "$PGDATABASE" || exit 1',
  ...loadByLoader,
  'exec pg_dump --format=custom --compress=0 --no-password',
);

/** What the throw-away server dumps is an archive: text would be read by a client that has a network. */
const loadPostgres = lines(
  'umask 077; work=$(mktemp -d) && cat >"$work/dump" || exit 1',
  'case "$(head -c 5 "$work/dump")" in PGDMP) ;; *)',
  '  echo "psql: error: the throw-away server returned no archive" >&2; exit 1',
  ';; esac',
  ...restoreByLoader,
  'ask "$END"',
);

export function foreignPostgres(connect: Connect): ForeignPrograms {
  const env = (target: DatabaseTarget, leavesOut: boolean): Record<string, string> => ({
    LOADER: loaderOf(target.database),
    LEAVES_OUT: leavesOut ? '1' : '',
    BEGIN: begin,
    EXTENSIONS: grantExtensions,
  });
  return {
    part: postgresPart,
    clean(target, { leavesOut }) {
      const { PGHOST: _host, PGPASSWORD: _password, ...own } = connect(target, 'sh').env;
      return {
        argv: ['sh', '-c', cleanPostgres],
        env: { ...own, PGHOST: '127.0.0.1', PGUSER: 'berth_throw_away', ...env(target, leavesOut) },
        isAlone: true,
      };
    },
    load(target) {
      const { argv, env: login } = connect(target, 'sh', '-c', loadPostgres);
      return { argv, env: { ...login, ...env(target, false), END: end } };
    },
  };
}

/* MySQL and MariaDB */

const quoted = (name: string): string => `\`${name.replaceAll('`', '``')}\``;
/** In a grant, `_` and `%` stand for other letters. */
const granted = (name: string): string => quoted(name.replaceAll(/[\\_%]/g, '\\$&'));
const literal = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

const account = String.raw`(\x60([^\x60]|\x60\x60)*\x60|'[^']*'|[A-Za-z0-9_.]+)`;
/**
 * Nobody else's rights: what is defined belongs to who loads it. Statements about the log of changes are for
 * administrators of a replication, which is none here. No line of a row begins so, for a dump writes line
 * breaks of values as signs.
 */
const ownDefiners =
  'LC_ALL=C sed -E ' +
  `-e '/^(\\/\\*M?!|CREATE |ALTER )/s/ ?DEFINER ?= ?'"$ACCOUNT"'(@'"$ACCOUNT"')?//' ` +
  `-e '/^SET @@GLOBAL\\.GTID_PURGED *=/,/;[[:space:]]*$/d' -e '/^SET @@SESSION\\.SQL_LOG_BIN *=/d'`;

/** The programs of one of the two. */
interface MysqlNames {
  client: string;
  server: string;
  dump: string;
  dumpOptions: readonly string[];
  load(target: DatabaseTarget): DatabaseProgram;
  /** Runs statements as the server's root. */
  ask(target: DatabaseTarget, statements: string): DatabaseProgram;
}

function cleanMysql({ client, server, dump, dumpOptions }: MysqlNames): string {
  const login = '--host=127.0.0.1 --protocol=tcp';
  return lines(
    `work=$(mktemp -d) && root=$(${newSecret}) && secret=$(${newSecret}) || exit 1`,
    'export MYSQL_ROOT_PASSWORD="$root" MARIADB_ROOT_PASSWORD="$root"',
    started(
      `${server} --bind-address=127.0.0.1 --skip-log-bin --local-infile=0 --event-scheduler=OFF ` +
        '--max-allowed-packet=1G --innodb-flush-log-at-trx-commit=0',
    ),
    `ask() { MYSQL_PWD=$root ${client} ${login} --user=root --batch --skip-column-names; }`,
    ...whenAnswering('ask </dev/null'),
    `{ printf "CREATE USER 'berth_loading'@'%%' IDENTIFIED BY '%s';\\n" "$secret"`,
    `  printf '%s\\n' "$SETUP"; } | ask || exit 1`,
    `{ ${ownDefiners}; echo $? >"$work/read"; } | MYSQL_PWD=$secret ${client} ${login} ` +
      '--user=berth_loading --default-character-set=utf8mb4 --binary-mode --local-infile=0 ' +
      '--max-allowed-packet=1G ${LEAVES_OUT:+--force} --database="$DATABASE" ' +
      '>/dev/null 2>"$work/errors" && code=0 || code=$?',
    'cat "$work/errors" >&2',
    // A refused database is another's: what follows would go into this one.
    `[ "$code" = 0 ] || { [ -n "$LEAVES_OUT" ] && grep -q '^ERROR 1' "$work/errors" && ! grep -q -E ` +
      `'^ERROR ([^1]|1[0-9]{0,2} |1044 )' "$work/errors"; } || exit 1`,
    '[ "$(cat "$work/read")" = 0 ] || exit 1',
    `{ MYSQL_PWD=$root ${dump} ${login} --user=root ${dumpOptions.join(' ')} -- "$DATABASE"; echo $? ` +
      `>"$work/dumped"; } | ${ownDefiners} && [ "$(cat "$work/dumped")" = 0 ]`,
  );
}

export function foreignMysql(names: MysqlNames): ForeignPrograms {
  const script = cleanMysql(names);
  return {
    part: mysqlPart,
    clean: ({ database }, { leavesOut }) => ({
      argv: ['sh', '-c', script],
      env: {
        DATABASE: database,
        LEAVES_OUT: leavesOut ? '1' : '',
        ACCOUNT: account,
        SETUP: lines(
          `CREATE DATABASE IF NOT EXISTS ${quoted(database)};`,
          `GRANT ALL ON ${granted(database)}.* TO 'berth_loading'@'%';`,
        ),
      },
      isAlone: true,
    }),
    load(target) {
      const { argv, env } = names.load(target);
      if (target.user === 'root') return { argv, env };
      return {
        argv: argv.map((word) => (word === '--user=root' ? `--user=${target.user}` : word)) as [string],
        env: { ...env, MYSQL_PWD: new Secret(target.password) },
      };
    },
    /** The user may fill this database of a server that nobody uses yet. */
    allow: (target) =>
      names.ask(
        target,
        lines(
          'SET GLOBAL log_bin_trust_function_creators = 1;',
          ...(target.user === 'root'
            ? []
            : [`GRANT ALL ON ${granted(target.database)}.* TO ${literal(target.user)}@'%';`]),
        ),
      ),
  };
}
