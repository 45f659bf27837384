import { compare, lines, ownAddress, type Credentials, type DatabaseServer, type Login } from './server.ts';

/** The image's default user, who also names the default database. */
const defaultUser = 'postgres';
/** From this version on the image keeps each version's data in a folder of its own below this one. */
const folderPerVersion = 18;

function login({ databaseUser, databasePassword, databaseName }: Credentials): Login {
  const user = databaseUser || defaultUser;
  return { user, password: databasePassword, database: databaseName || user };
}

const clientEnv = (record: Credentials): Record<string, string> => {
  const { user, password, database } = login(record);
  return { PGUSER: user, PGPASSWORD: password, PGDATABASE: database, PGCONNECT_TIMEOUT: '10' };
};

export const postgresServer: DatabaseServer = {
  login,
  env(record) {
    const { user, password, database } = login(record);
    return { POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: database };
  },
  dataPath: (major) =>
    major !== undefined && major >= folderPerVersion ? '/var/lib/postgresql' : '/var/lib/postgresql/data',
  versionVariables: ['PG_MAJOR', 'PG_VERSION'],
  args: ({ args }) => (args.length > 0 ? [...args] : undefined),
  // Over TCP: while the image makes the data, its temporary server listens on the socket only.
  probe: { client: 'pg_isready', look: 'pg_isready -q -h 127.0.0.1 -p 5432', everySeconds: 2 },
  query: (record) => ({
    script: lines(`export PGHOST=${ownAddress}`, `exec psql -X -t -A -c 'show server_version'`),
    env: clientEnv(record),
  }),
  version: (output) => /^\s*(\d+(?:\.\d+)*)/.exec(output)?.[1],
  copyTo: (record, { target }) => ({
    script: lines(
      `source=${ownAddress}`,
      'work=$(mktemp -d) || exit 1',
      // Roles and databases that the new server was made with exist there already; every other word of an
      // error ends the copy.
      '{ PGHOST=$source pg_dumpall --no-password; echo $? >"$work/dumped"; } | PGHOST=$TARGET psql -X ' +
        '-q -d postgres >/dev/null 2>"$work/errors"',
      '[ $? = 0 ] && [ "$(cat "$work/dumped")" = 0 ] || { tail -n 5 "$work/errors" >&2; echo "The dump ' +
        'did not come to its end." >&2; exit 1; }',
      "if grep -E 'ERROR|FATAL|PANIC' \"$work/errors\" | grep -v 'already exists$' >&2; then exit 1; fi",
      'count() {',
      '  PGHOST=$1 psql -X -t -A -d postgres -c "select datname from pg_database where datallowconn and ' +
        'not datistemplate order by datname" | while read -r database; do',
      `    printf '%s\\n' "$COUNT" '\\gexec' | PGHOST=$1 psql -X -t -A -v ON_ERROR_STOP=1 -d ` +
        '"$database" | sed "s/^/$database|/"',
      '  done',
      '}',
      compare('tables', 'rows'),
    ),
    env: {
      ...clientEnv(record),
      TARGET: target,
      LC_ALL: 'C',
      LC_MESSAGES: 'C',
      PGOPTIONS: '-c lc_messages=C',
      COUNT:
        "select format('select %L, count(*) from %I.%I', schemaname || '.' || tablename, schemaname, " +
        "tablename) from pg_tables where schemaname not in ('pg_catalog', 'information_schema') order " +
        'by schemaname, tablename',
    },
  }),
  keepsPassword: (_record, field) => field === 'databasePassword',
  setPassword: (record, _field, password) => ({
    // Over the socket, where the image trusts whoever is in its container: a record that has come to name a
    // wrong password can be put right so.
    script: `printf '%s\n' "$STATEMENT" | psql -X -q -v ON_ERROR_STOP=1`,
    // The server puts the statement together itself, so nothing needs quoting here.
    env: {
      ...clientEnv(record),
      STATEMENT:
        `do $$ begin execute format('alter role %I password %L', current_user, ` +
        `convert_from(decode('${Buffer.from(password).toString('hex')}', 'hex'), 'utf8')); end $$;`,
    },
  }),
};
