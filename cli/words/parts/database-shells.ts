/** The programs by which people talk with databases: on their own machine, and in the container. */
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { DatabaseKindName } from '../../../server/src/domain/database-kind.ts';
import { theirOption, theirWord, type Theirs } from '../../program-argv.ts';

/** How one kind of database is talked to by a person. */
export interface DatabaseShell {
  program: string;
  argv(address: URL): (string | Theirs)[];
  environment(address: URL): NodeJS.ProcessEnv;
  /** The same in the database's own container, by the variables that it has. */
  inContainer: readonly string[];
}

const decoded = (text: string): string => decodeURIComponent(text);
const databaseNameOf = ({ pathname }: URL): string => decoded(pathname.slice(1));
const script = (text: string): readonly string[] => ['sh', '-c', text];
const mysqlShell = (program: string, prefix: string): DatabaseShell => ({
  program: 'mysql',
  argv: (address) => [
    theirOption('--host', address.hostname),
    theirOption('--port', address.port),
    theirOption('--user', decoded(address.username)),
    theirOption('--database', databaseNameOf(address)),
  ],
  environment: ({ password }) => ({ MYSQL_PWD: decoded(password) }),
  inContainer: script(
    `MYSQL_PWD="\${${prefix}_PASSWORD:-$${prefix}_ROOT_PASSWORD}" exec ${program} ` +
      `--user="\${${prefix}_USER:-root}" \${${prefix}_DATABASE:+"--database=$${prefix}_DATABASE"}`,
  ),
});

/** Passwords go by the environment: others see an argument vector. */
export const databaseShells: Readonly<Record<DatabaseKindName, DatabaseShell>> = {
  postgres: {
    program: 'psql',
    argv: (address) => [
      theirOption('--host', address.hostname),
      theirOption('--port', address.port),
      theirOption('--username', decoded(address.username)),
    ],
    // As an argument psql would read a name with "=" in it, or that looks like an address, as a connection.
    environment: (address) => ({
      PGDATABASE: databaseNameOf(address),
      PGPASSWORD: decoded(address.password),
    }),
    inContainer: script(
      'PGPASSWORD="$POSTGRES_PASSWORD" PGDATABASE="$POSTGRES_DB" exec psql --username="$POSTGRES_USER"',
    ),
  },
  mysql: mysqlShell('mysql', 'MYSQL'),
  mariadb: mysqlShell('mariadb', 'MARIADB'),
  mongo: {
    program: 'mongosh',
    argv: (address) => [
      theirWord(directly(address).href),
      ...signedIn(address.searchParams.get('authSource') ?? 'admin', 'BERTH_USER', 'BERTH_PASSWORD'),
    ],
    environment: ({ username, password }) => ({
      BERTH_USER: decoded(username),
      BERTH_PASSWORD: decoded(password),
    }),
    inContainer: [
      'mongosh',
      ...signedIn('admin', 'MONGO_INITDB_ROOT_USERNAME', 'MONGO_INITDB_ROOT_PASSWORD'),
    ],
  },
  redis: {
    program: 'redis-cli',
    argv: (address) => ['-h', theirWord(address.hostname), '-p', theirWord(address.port)],
    environment: ({ password }) => ({ REDISCLI_AUTH: decoded(password) }),
    inContainer: ['redis-cli', '--askpass'],
  },
};

/**
 * MongoDB's shell takes a password by argument or prompt only, but its scripts read the environment: it signs
 * in by one, and stays.
 */
function signedIn(database: string, user: string, password: string): string[] {
  return [
    '--shell',
    '--eval',
    `db.getSiblingDB(${JSON.stringify(database)}).auth(process.env.${user}, process.env.${password})`,
  ];
}

/**
 * Without user and password. A set of one member names itself by an address that is known in its environment
 * alone.
 */
function directly(address: URL): URL {
  const copy = new URL(address);
  copy.username = '';
  copy.password = '';
  copy.searchParams.delete('authSource');
  copy.searchParams.delete('replicaSet');
  copy.searchParams.set('directConnection', 'true');
  return copy;
}

/** Whether a program of this name can be started. */
export async function isInstalled(program: string, { PATH = '' }: NodeJS.ProcessEnv): Promise<boolean> {
  const found = await Promise.all(
    PATH.split(delimiter)
      .filter((folder) => folder !== '')
      .map((folder) =>
        access(join(folder, program), constants.X_OK).then(
          () => true,
          () => false,
        ),
      ),
  );
  return found.includes(true);
}
