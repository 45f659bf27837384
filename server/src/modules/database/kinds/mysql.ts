/** MySQL and MariaDB: one server's ways with two sets of names. The official images carry only their own. */
import { lines, ownAddress, type Credentials, type DatabaseServer, type Login } from './server.ts';

interface Names {
  /** Prefix of the image's variables. */
  variables: 'MYSQL' | 'MARIADB';
  client: string;
  admin: string;
  versionVariables: readonly string[];
}

/** A record without a user, or with root, means the server's own root. */
const isRoot = ({ databaseUser }: Credentials): boolean => databaseUser === null || databaseUser === '' || databaseUser === 'root';

function login(record: Credentials): Login {
  const database = record.databaseName ?? '';
  if (isRoot(record)) return { user: 'root', password: record.databaseRootPassword ?? '', database };
  return { user: record.databaseUser ?? '', password: record.databasePassword, database };
}

/** A string literal, without the backslash as a sign of its own, which a mode of the server can turn off. */
const literal = (text: string): string => `X'${Buffer.from(text).toString('hex')}'`;

function serverOf({ variables, client, admin, versionVariables }: Names): DatabaseServer {
  const connect = `${client} --host=${ownAddress} --protocol=tcp --connect-timeout=10 --skip-column-names --batch --raw`;
  return {
    login,
    env(record) {
      const { databaseName, databaseUser, databasePassword, databaseRootPassword } = record;
      return {
        [`${variables}_ROOT_PASSWORD`]: databaseRootPassword ?? '',
        ...(databaseName ? { [`${variables}_DATABASE`]: databaseName } : {}),
        // The images refuse to make a user root, who is there already.
        ...(isRoot(record) ? {} : { [`${variables}_USER`]: databaseUser ?? '', [`${variables}_PASSWORD`]: databasePassword }),
      };
    },
    dataPath: () => '/var/lib/mysql',
    versionVariables,
    args: ({ args }) => (args.length > 0 ? [...args] : undefined),
    // Over TCP: while the image makes the data, its temporary server listens on the socket only. Alive is also who refuses the password.
    probe: `MYSQL_PWD="$${variables}_ROOT_PASSWORD" ${admin} ping --silent --host=127.0.0.1 --protocol=tcp --user=root --connect-timeout=5`,
    probeEverySeconds: 2,
    query(record) {
      const { user, password, database } = login(record);
      return { script: `exec ${connect} --user="$LOGIN_USER" \${LOGIN_DATABASE:+--database="$LOGIN_DATABASE"} --execute='select version()'`, env: { LOGIN_USER: user, LOGIN_DATABASE: database, MYSQL_PWD: password } };
    },
    version: (output) => /^\s*(\d+(?:\.\d+)*)/.exec(output)?.[1],
    setPassword(record, field, password) {
      const ofRoot = field === 'databaseRootPassword';
      const user = ofRoot ? 'root' : (record.databaseUser ?? '');
      return {
        // The server makes the statement itself from literals that need no quoting; every account of the name is changed.
        script: lines(
          `statements=$(printf '%s\\n' "$ASK" | ${connect} --user=root) || exit 1`,
          '[ -n "$statements" ] || { echo "There is no such user in the server." >&2; exit 1; }',
          `printf '%s\\n' "$statements" | ${connect} --user=root`,
        ),
        env: {
          MYSQL_PWD: record.databaseRootPassword ?? '',
          ASK: `select concat('ALTER USER ', quote(User), '@', quote(Host), ' IDENTIFIED BY ', quote(${literal(password)}), ';') from mysql.user where User = ${literal(user)}`,
        },
      };
    },
  };
}

export const mysqlServer = serverOf({ variables: 'MYSQL', client: 'mysql', admin: 'mysqladmin', versionVariables: ['MYSQL_MAJOR', 'MYSQL_VERSION'] });
export const mariadbServer = serverOf({ variables: 'MARIADB', client: 'mariadb', admin: 'mariadb-admin', versionVariables: ['MARIADB_MAJOR', 'MARIADB_VERSION'] });
