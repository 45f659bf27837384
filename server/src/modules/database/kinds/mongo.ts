import { compare, lines, ownAddress, type Credentials, type DatabaseServer, type Login } from './server.ts';

const login = ({ databaseUser, databasePassword }: Credentials): Login => ({
  user: databaseUser ?? '',
  password: databasePassword,
  database: 'admin',
});

const clientEnv = (record: Credentials): Record<string, string> => ({
  LOGIN_USER: login(record).user,
  LOGIN_PASSWORD: record.databasePassword,
});

/** MongoDB's shell waits for every answer by itself. */
const authenticate = 'db.getSiblingDB("admin").auth(process.env.LOGIN_USER, process.env.LOGIN_PASSWORD);';

/**
 * A set of one member, called by the service's name; initiated once, and told when the name has changed.
 * Waits until the member may write.
 */
const initiate = lines(
  'const member = process.env.MEMBER;',
  'let config = null;',
  'try { config = db.adminCommand({ replSetGetConfig: 1 }).config; } catch (error) { if (error.codeName ' +
    '!== "NotYetInitialized") throw error; }',
  'if (config === null) db.adminCommand({ replSetInitiate: { _id: "rs0", members: [{ _id: 0, host: ' +
    'member }] } });',
  'else if (config.members[0].host !== member) {',
  '  config.version += 1; config.members[0].host = member;',
  '  db.adminCommand({ replSetReconfig: config, force: true });',
  '}',
  'for (let look = 0; look < 100 && !db.adminCommand({ hello: 1 }).isWritablePrimary; look += 1) sleep(200);',
);

/** The key with which members of a set know each other. There is one member, so each start makes its own. */
const startSet = lines(
  'key=/data/configdb/berth.key',
  'rm -f "$key"; head -c 741 /dev/urandom | base64 | tr -d "\\n" >"$key" && chmod 400 "$key"',
  'exec docker-entrypoint.sh mongod --replSet rs0 --keyFile "$key" --bind_ip_all "$@"',
);

export const mongoServer: DatabaseServer = {
  login,
  env: (record) => ({
    MONGO_INITDB_ROOT_USERNAME: login(record).user,
    MONGO_INITDB_ROOT_PASSWORD: record.databasePassword,
  }),
  dataPath: () => '/data/db',
  versionVariables: ['MONGO_MAJOR', 'MONGO_VERSION'],
  args({ args, replicaSets }) {
    if (replicaSets) return ['sh', '-c', startSet, 'mongod', ...args];
    return args.length > 0 ? [...args] : undefined;
  },
  // Its client needs half a second of a processor to start.
  probe: {
    client: 'mongosh',
    look: `[ "$(mongosh --quiet --host 127.0.0.1 --eval 'db.adminCommand({ ping: 1 }).ok')" = 1 ]`,
    everySeconds: 30,
  },
  query: (record, name) => ({
    script: `exec mongosh --quiet --host ${ownAddress} --eval "$ASK"`,
    env: {
      ...clientEnv(record),
      MEMBER: `${name}:27017`,
      ASK: lines(
        authenticate,
        ...(record.replicaSets ? [initiate] : []),
        'print(db.adminCommand({ buildInfo: 1 }).version);',
      ),
    },
  }),
  version: (output) => /^\s*(\d+(?:\.\d+)+)\s*$/m.exec(output)?.[1],
  copyTo: (record, { target }) => ({
    script: lines(
      // The user and the password come from a file that only this user reads, so that they stand in no list
      // of processes.
      `source=${ownAddress}; umask 077; work=$(mktemp -d) || exit 1`,
      `printf 'password: "%s"\\n' "$LOGIN_PASSWORD" >"$work/login"`,
      'set -- --config="$work/login" --username="$LOGIN_USER" --authenticationDatabase=admin',
      '{ mongodump "$@" --host="$source" --archive; echo $? >"$work/dumped"; } | mongorestore "$@" ' +
        `--host="$TARGET" --archive --nsExclude='admin.system.*' --quiet || exit 1`,
      '[ "$(cat "$work/dumped")" = 0 ] || { echo "The dump did not come to its end." >&2; exit 1; }',
      'count() { mongosh --quiet --host "$1" --eval "$COUNT"; }',
      compare('collections', 'documents'),
    ),
    env: {
      ...clientEnv(record),
      TARGET: target,
      COUNT: lines(
        authenticate,
        'for (const { name } of db.adminCommand({ listDatabases: 1 }).databases.sort((a, b) => (a.name ' +
          '< b.name ? -1 : 1))) {',
        '  if (["admin", "config", "local"].includes(name)) continue;',
        '  const base = db.getSiblingDB(name);',
        '  for (const collection of base.getCollectionNames().sort()) print(`${name}.${collection} ' +
          '${base.getCollection(collection).countDocuments()}`);',
        '}',
      ),
    },
  }),
  keepsPassword: (_record, field) => field === 'databasePassword',
  setPassword: (record, _field, password) => ({
    script: `exec mongosh --quiet --host ${ownAddress} --eval "$ASK"`,
    env: {
      ...clientEnv(record),
      NEW_PASSWORD: password,
      ASK: lines(
        authenticate,
        'db.adminCommand({ updateUser: process.env.LOGIN_USER, pwd: process.env.NEW_PASSWORD });',
      ),
    },
  }),
};
