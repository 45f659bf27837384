/**
 * The masking of a branch, by the client of its own image in its container. The texts for `sh` are fixed;
 * statements and passwords are passed in the environment.
 */
import type { DatabaseRecord } from '../../../db/tables.ts';
import type { DatabaseKindName } from '../../../domain/database-kind.ts';
import { databaseKind } from '../../database/kinds.ts';
import { lines, ownAddress, type Script } from '../../database/kinds/server.ts';
import { mongoLogin } from '../programs/programs.ts';

export interface Masked {
  record: DatabaseRecord;
  /** Name of the database inside the server. */
  database: string;
  statements: string;
}

/** In one transaction, so that nothing stays open at the end and is taken back. */
const psql = `printf '%s\\n' "$MASK" | psql -X -w -v ON_ERROR_STOP=1 --single-transaction --file=- 2>&1`;

function postgres({ record, database, statements }: Masked): Script {
  const { user, password } = databaseKind('postgres').server.login(record);
  return {
    script: psql,
    env: { PGUSER: user, PGPASSWORD: password, PGDATABASE: database, MASK: statements },
  };
}

const mysql =
  (client: 'mysql' | 'mariadb') =>
  ({ record, database, statements }: Masked): Script => ({
    // A transaction that was left open would be taken back at the end.
    script:
      `printf '%s\\ncommit;\\n' "$MASK" | ${client} --host=${ownAddress} --protocol=tcp --user=root ` +
      '--table --default-character-set=utf8mb4 --database="$DATABASE" 2>&1',
    env: { MYSQL_PWD: record.databaseRootPassword ?? '', DATABASE: database, MASK: ended(statements) },
  });

const ended = (statements: string): string => {
  const text = statements.trimEnd();
  return text.endsWith(';') ? text : `${text};`;
};

/** The database that was filled; statements for a copy of several begin in the usual one. */
const mongoDatabase =
  "db = db.getSiblingDB(process.env.BERTH_DATABASE !== 'admin' ? process.env.BERTH_DATABASE : " +
  "((names) => names.length === 1 ? names[0] : 'test')" +
  '(db.adminCommand({ listDatabases: 1, nameOnly: true }).databases.map(({ name }) => name)' +
  ".filter((name) => !['admin', 'config', 'local'].includes(name))));";

function mongo({ record, database, statements }: Masked): Script {
  const { user, password } = databaseKind('mongo').server.login(record);
  const login = `${mongoLogin} ${mongoDatabase}`;
  return {
    script: `exec mongosh --quiet --host ${ownAddress} --eval "$SAID" 2>&1`,
    env: {
      BERTH_USER: user,
      BERTH_PASSWORD: password,
      BERTH_DATABASE: database,
      SAID: `${login}\n${statements}`,
    },
  };
}

/** Its client goes on after a command that fails, and writes to the disk only what it is told to. */
const redisScript = lines(
  'work=$(mktemp -d) || exit 1',
  `printf '%s\\n' "$MASK" | redis-cli -h ${ownAddress} --no-raw >"$work/said" 2>&1; code=$?`,
  'cat "$work/said"; [ $code = 0 ] || exit 1',
  `if grep -qE '^ *([0-9]+\\) )*\\(error\\)|^Invalid argument|^Could not connect' "$work/said"`,
  'then exit 1; fi',
  `[ "$(redis-cli -h ${ownAddress} save)" = OK ] || { echo "What was masked could not be saved."; exit 1; }`,
);

const redis = ({ record, statements }: Masked): Script => ({
  script: redisScript,
  env: { REDISCLI_AUTH: record.databasePassword, MASK: statements },
});

export const maskScripts: Record<DatabaseKindName, (masked: Masked) => Script> = {
  postgres,
  mysql: mysql('mysql'),
  mariadb: mysql('mariadb'),
  mongo,
  redis,
};

/** A copy of all files of a PostgreSQL server has the passwords of all its roles, which are taken away. */
export const withoutPasswords =
  'do $$ declare name text; begin for name in select rolname from pg_authid where rolpassword is not null ' +
  "and rolname <> current_user loop execute format('alter role %I password null', name); end loop; end $$;";
