import { lines, ownAddress, type Credentials, type DatabaseServer, type Login } from './server.ts';

const login = ({ databaseUser, databasePassword }: Credentials): Login => ({ user: databaseUser ?? '', password: databasePassword, database: 'admin' });

const clientEnv = (record: Credentials): Record<string, string> => ({ LOGIN_USER: login(record).user, LOGIN_PASSWORD: record.databasePassword });

const authenticate = 'const admin = db.getSiblingDB("admin"); await admin.auth(process.env.LOGIN_USER, process.env.LOGIN_PASSWORD);';

/** A set of one member, called by the service's name; initiated once, and told when the name has changed. Waits until the member may write. */
const initiate = lines(
  'const member = process.env.MEMBER;',
  'let config; try { config = (await admin.command({ replSetGetConfig: 1 })).config; } catch (error) { config = undefined; }',
  'if (!config) await admin.command({ replSetInitiate: { _id: "rs0", members: [{ _id: 0, host: member }] } });',
  'else if (config.members[0].host !== member) await admin.command({ replSetReconfig: { ...config, version: config.version + 1, members: [{ ...config.members[0], host: member }] }, force: true });',
  'for (let look = 0; look < 100 && !(await admin.command({ hello: 1 })).isWritablePrimary; look += 1) await sleep(200);',
);

/** The key with which members of a set know each other. There is one member, so each start makes its own. */
const startSet = lines(
  'key=/data/configdb/berth.key',
  'rm -f "$key"; head -c 741 /dev/urandom | base64 | tr -d "\\n" >"$key" && chmod 400 "$key"',
  'exec docker-entrypoint.sh mongod --replSet rs0 --keyFile "$key" --bind_ip_all "$@"',
);

export const mongoServer: DatabaseServer = {
  login,
  env: (record) => ({ MONGO_INITDB_ROOT_USERNAME: login(record).user, MONGO_INITDB_ROOT_PASSWORD: record.databasePassword }),
  dataPath: () => '/data/db',
  versionVariables: ['MONGO_MAJOR', 'MONGO_VERSION'],
  args({ args, replicaSets }) {
    if (replicaSets) return ['sh', '-c', startSet, 'mongod', ...args];
    return args.length > 0 ? [...args] : undefined;
  },
  probe: `[ "$(mongosh --quiet --host 127.0.0.1 --eval 'db.adminCommand({ ping: 1 }).ok')" = 1 ]`,
  // Its client needs half a second of a processor to start.
  probeEverySeconds: 10,
  query: (record, name) => ({
    script: `exec mongosh --quiet --host ${ownAddress} --eval "$ASK"`,
    env: {
      ...clientEnv(record), MEMBER: `${name}:27017`,
      ASK: lines(authenticate, ...(record.replicaSets ? [initiate] : []), 'print((await admin.command({ buildInfo: 1 })).version);'),
    },
  }),
  version: (output) => /^\s*(\d+(?:\.\d+)+)\s*$/m.exec(output)?.[1],
  setPassword: (record, _field, password) => ({
    script: `exec mongosh --quiet --host ${ownAddress} --eval "$ASK"`,
    env: { ...clientEnv(record), NEW_PASSWORD: password, ASK: lines(authenticate, 'await admin.command({ updateUser: process.env.LOGIN_USER, pwd: process.env.NEW_PASSWORD });') },
  }),
};
