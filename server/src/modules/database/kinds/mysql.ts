/** MySQL and MariaDB: one server's ways with two sets of names. The official images carry only their own. */
import { compare, lines, ownAddress, type Credentials, type DatabaseServer, type Login } from './server.ts';

interface Names {
  /** Prefix of the image's variables. */
  variables: 'MYSQL' | 'MARIADB';
  client: string;
  admin: string;
  dump: string;
  /** Makes the server show passwords as text that it reads again. */
  printable: string;
  versionVariables: readonly string[];
}

/** A record without a user, or with root, means the server's own root. */
const isRoot = ({ databaseUser }: Credentials): boolean =>
  databaseUser === null || databaseUser === '' || databaseUser === 'root';

function login(record: Credentials): Login {
  const database = record.databaseName ?? '';
  if (isRoot(record)) return { user: 'root', password: record.databaseRootPassword ?? '', database };
  return { user: record.databaseUser ?? '', password: record.databasePassword, database };
}

/** A string literal, without the backslash as a sign of its own, which a mode of the server can turn off. */
const literal = (text: string): string => `X'${Buffer.from(text).toString('hex')}'`;

const systemDatabases = "'mysql', 'information_schema', 'performance_schema', 'sys'";

function serverOf(names: Names): DatabaseServer {
  const { variables, client, admin, versionVariables } = names;
  const connect =
    `${client} --host=${ownAddress} --protocol=tcp --connect-timeout=10 ` +
    '--skip-column-names --batch --raw';
  return {
    login,
    env(record) {
      const { databaseName, databaseUser, databasePassword, databaseRootPassword } = record;
      return {
        [`${variables}_ROOT_PASSWORD`]: databaseRootPassword ?? '',
        ...(databaseName ? { [`${variables}_DATABASE`]: databaseName } : {}),
        // The images refuse to make a user root, who is there already.
        ...(isRoot(record)
          ? {}
          : { [`${variables}_USER`]: databaseUser ?? '', [`${variables}_PASSWORD`]: databasePassword }),
      };
    },
    dataPath: () => '/var/lib/mysql',
    versionVariables,
    args: ({ args }) => (args.length > 0 ? [...args] : undefined),
    // Over TCP: while the image makes the data, its temporary server listens on the socket only. Alive is
    // also who refuses the password.
    probe: {
      client: admin,
      look:
        `MYSQL_PWD="$${variables}_ROOT_PASSWORD" ${admin} ping --silent --host=127.0.0.1 --protocol=tcp ` +
        '--user=root --connect-timeout=5',
      everySeconds: 2,
    },
    query(record) {
      const { user, password, database } = login(record);
      return {
        script:
          `exec ${connect} --user="$LOGIN_USER" \${LOGIN_DATABASE:+--database="$LOGIN_DATABASE"} ` +
          `--execute='select version()'`,
        env: { LOGIN_USER: user, LOGIN_DATABASE: database, MYSQL_PWD: password },
      };
    },
    version: (output) => /^\s*(\d+(?:\.\d+)*)/.exec(output)?.[1],
    copyTo: copier(names),
    keepsPassword: (record, field) => field === 'databaseRootPassword' || !isRoot(record),
    setPassword(record, field, password) {
      const ofRoot = field === 'databaseRootPassword';
      const user = ofRoot ? 'root' : (record.databaseUser ?? '');
      return {
        // The server makes the statement itself from literals that need no quoting; every account of the name
        // is changed.
        script: lines(
          `statements=$(printf '%s\\n' "$ASK" | ${connect} --user=root) || exit 1`,
          '[ -n "$statements" ] || { echo "There is no such user in the server." >&2; exit 1; }',
          `printf '%s\\n' "$statements" | ${connect} --user=root`,
        ),
        env: {
          MYSQL_PWD: record.databaseRootPassword ?? '',
          ASK:
            `select concat('ALTER USER ', quote(User), '@', quote(Host), ' IDENTIFIED BY ', ` +
            `quote(${literal(password)}), ';') from mysql.user where User = ${literal(user)}`,
        },
      };
    },
  };
}

/** Every database that is no system's, then the accounts that a person made. */
function copier({ client, dump, printable }: Names): DatabaseServer['copyTo'] {
  return (record, { target }) => ({
    script: lines(
      `source=${ownAddress}`,
      'work=$(mktemp -d) || exit 1',
      `ask() { ${client} --host="$1" --protocol=tcp --connect-timeout=10 --user=root ` +
        '--skip-column-names --batch --raw; }',
      `databases=$(printf '%s\\n' "$DATABASES" | ask "$source") || exit 1`,
      'if [ -n "$databases" ]; then',
      // Names of databases hold no line breaks; each is one word for the dump.
      '  set --; while IFS= read -r name; do set -- "$@" "$name"; done <<END',
      '$databases',
      'END',
      `  { ${dump} --host="$source" --protocol=tcp --user=root --single-transaction --no-tablespaces ` +
        '--routines --events --triggers --databases "$@"; echo $? >"$work/dumped"; } | ask "$TARGET" ' +
        '>/dev/null || exit 1',
      '  [ "$(cat "$work/dumped")" = 0 ] || { echo "The dump did not come to its end." >&2; exit 1; }',
      'fi',
      // Accounts that a person made, with what they may.
      `accounts=$(printf '%s\\n' "$ACCOUNTS" | ask "$source") || exit 1`,
      `printf '%s\\n' "$accounts" | while IFS= read -r account; do [ -n "$account" ] || continue`,
      `  printf '%s SHOW CREATE USER %s;\\n' "$PRINTABLE" "$account" | ask "$source" | sed 's/^CREATE ` +
        `USER /CREATE USER IF NOT EXISTS /; s/$/;/' || exit 1`,
      `  printf 'SHOW GRANTS FOR %s;\\n' "$account" | ask "$source" | sed 's/$/;/' || exit 1`,
      'done >"$work/accounts" && ask "$TARGET" <"$work/accounts" >/dev/null || { echo "The accounts ' +
        'could not be copied." >&2; exit 1; }',
      `count() { printf '%s\\n' "$COUNT" | ask "$1" | ask "$1"; }`,
      compare('tables', 'rows'),
    ),
    env: {
      TARGET: target,
      MYSQL_PWD: record.databaseRootPassword ?? '',
      PRINTABLE: printable,
      DATABASES:
        'select schema_name from information_schema.schemata where schema_name not in ' +
        `(${systemDatabases}) order by 1`,
      ACCOUNTS:
        `select concat(quote(User), '@', quote(Host)) from mysql.user where User not in ('', 'root', ` +
        `'healthcheck', 'mariadb.sys', 'mysql.sys', 'mysql.session', 'mysql.infoschema', 'PUBLIC')`,
      COUNT:
        `select concat('select ', quote(concat(table_schema, '.', table_name)), ', count(*) from \`', ` +
        `replace(table_schema, '\`', '\`\`'), '\`.\`', replace(table_name, '\`', '\`\`'), '\`;') from ` +
        `information_schema.tables where table_type = 'BASE TABLE' and table_schema not in ` +
        `(${systemDatabases}) order by table_schema, table_name`,
    },
  });
}

export const mysqlServer = serverOf({
  variables: 'MYSQL',
  client: 'mysql',
  admin: 'mysqladmin',
  // The target has transactions of its own; those of the source are not made to be its.
  dump: 'mysqldump --loose-set-gtid-purged=OFF',
  printable: '/*!80017 SET SESSION print_identified_with_as_hex = 1 */;',
  versionVariables: ['MYSQL_MAJOR', 'MYSQL_VERSION'],
});
export const mariadbServer = serverOf({
  variables: 'MARIADB',
  client: 'mariadb',
  admin: 'mariadb-admin',
  dump: 'mariadb-dump',
  printable: '',
  versionVariables: ['MARIADB_MAJOR', 'MARIADB_VERSION'],
});
