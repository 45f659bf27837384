/**
 * Data of another server into a database, by the database's own programs in its container: so versions match,
 * and nothing passes through this machine.
 */
import { UsageError } from '../../usage-error.ts';
import { runInContainer } from './container-program.ts';
import type { Context } from './context.ts';
import type { BackupKindName } from '../../../server/src/modules/database/kinds.ts';
import type { Service } from './services.ts';

export interface DatabaseCopy {
  /** Of an address, without the colon. */
  schemes: readonly string[];
  port: number;
  command: readonly string[];
}

/** The address comes by the standard input: others see an argument vector. */
const read = 'for name in host port user password database login; do IFS= read -r "$name" || exit 2; done; ';
const script = (text: string): readonly string[] => ['sh', '-c', `${read}${text}`];

function mysqlCopy(client: string, dump: string, prefix: string): DatabaseCopy {
  // "loose": a mysqldump that is MariaDB's does not know the word. A dump that broke ends in what no server
  // takes.
  const words =
    '--single-transaction --no-tablespaces --quick --routines --triggers --hex-blob ' +
    '--default-character-set=utf8mb4 --loose-set-gtid-purged=OFF';
  return {
    schemes: ['mysql', 'mariadb'],
    port: 3306,
    command: script(
      `{ MYSQL_PWD="$password" ${dump} --protocol=tcp --host="$host" --port="$port" --user="$user" ` +
        `${words} ` +
        '-- "$database" || echo "THE DUMP BROKE;"; } | ' +
        `MYSQL_PWD="\${${prefix}_PASSWORD:-$${prefix}_ROOT_PASSWORD}" ${client} --binary-mode ` +
        `--default-character-set=utf8mb4 --user="\${${prefix}_USER:-root}" "$${prefix}_DATABASE"`,
    ),
  };
}

/** Of the kinds whose programs dump and load. */
export const databaseCopies: Readonly<Record<BackupKindName, DatabaseCopy>> = {
  postgres: {
    schemes: ['postgres', 'postgresql'],
    port: 5432,
    // One transaction: a dump that broke leaves what was there.
    command: script(
      '{ PGCONNECT_TIMEOUT=20 PGPASSWORD="$password" pg_dump --no-password --host="$host" --port="$port" ' +
        '--username="$user" --no-owner --no-privileges --clean --if-exists --dbname="$database" || ' +
        'echo "THE DUMP BROKE;"; } | PGPASSWORD="$POSTGRES_PASSWORD" psql --no-psqlrc --quiet ' +
        '--single-transaction --set=ON_ERROR_STOP=1 --output=/dev/null --username="$POSTGRES_USER" ' +
        '--dbname="$POSTGRES_DB"',
    ),
  },
  mysql: mysqlCopy('mysql', 'mysqldump', 'MYSQL'),
  mariadb: mysqlCopy('mariadb', 'mariadb-dump', 'MARIADB'),
  mongo: {
    schemes: ['mongodb'],
    port: 27_017,
    // The tools take a password by a file only; it lies in memory. An archive without its end is refused.
    command: script(
      'umask 077; config=$(mktemp -d /dev/shm/berth.XXXXXX); trap \'rm -rf "$config"\' EXIT; ' +
        'quoted() { printf \'password: "%s"\\n\' "$(printf %s "$1" | sed \'s/[\\\\"]/\\\\&/g\')"; }; ' +
        'quoted "$password" >"$config/from"; quoted "$MONGO_INITDB_ROOT_PASSWORD" >"$config/to"; ' +
        'if [ -n "$database" ]; then set -- "--nsInclude=$database.*"; ' +
        "else set -- '--nsExclude=admin.*' '--nsExclude=config.*' '--nsExclude=local.*'; fi; " +
        'mongodump --host="$host" --port="$port" --username="$user" ' +
        '--authenticationDatabase="${login:-admin}" --config="$config/from" --archive ' +
        '${database:+"--db=$database"} | ' +
        'mongorestore --host=127.0.0.1 --port=27017 --username="$MONGO_INITDB_ROOT_USERNAME" ' +
        '--authenticationDatabase=admin --config="$config/to" --archive "$@" --drop --stopOnError',
    ),
  },
};

/**
 * What the command reads: a line each for host, port, user, password, database (of MongoDB none: all) and,
 * of MongoDB, the database that knows the user.
 */
export function copyInput(kind: BackupKindName, from: string): string {
  const { schemes, port } = databaseCopies[kind];
  const address = URL.canParse(from) ? new URL(from) : undefined;
  if (!address || !schemes.includes(address.protocol.slice(0, -1)) || address.hostname === '')
    throw new UsageError(
      `That is not the address of a ${kind} database. Give one such as ` +
        `${schemes[0] ?? ''}://user:password@host:${port}/database.`,
    );
  const { hostname, username, password, pathname, searchParams } = address;
  const database = decodeURIComponent(pathname.slice(1));
  if (database === '' && kind !== 'mongo')
    throw new UsageError('The address names no database: give …/DATABASE at its end.');
  const lines = [
    hostname,
    address.port || String(port),
    decodeURIComponent(username),
    decodeURIComponent(password),
    database,
    searchParams.get('authSource') ?? '',
  ];
  if (lines.some((line) => /[\n\0]/.test(line)))
    throw new UsageError('The address has a line end or a null character in one of its parts.');
  return `${lines.join('\n')}\n`;
}

/** Gives the exit code of the programs, which say themselves what failed. */
export function copyDatabase(
  context: Context,
  { id }: Service,
  kind: BackupKindName,
  input: string,
): Promise<number> {
  return runInContainer(context, { serviceId: id, command: databaseCopies[kind].command, input });
}

/** Whether the data of a kind can be copied. */
export function isCopied(kind: string): kind is BackupKindName {
  return Object.hasOwn(databaseCopies, kind);
}
