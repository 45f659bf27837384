import { describe, expect, test } from 'vitest';
import { neverRan } from '../../modules/database/database.ts';
import type { DatabaseRecord } from '../../db/tables.ts';
import { databaseSpecOf, withPort, type DatabaseSpecInputs } from './database-spec.ts';
import { newestDefaults } from '../../ports/engine/spec-defaults.ts';

const placement = {
  environmentId: 'e1',
  environmentName: 'production',
  projectId: 'p1',
  projectName: 'Shop',
  organizationId: 'o1',
};

const record = (change: Partial<DatabaseRecord>): DatabaseRecord => ({
  databaseId: 'D1',
  revision: 0,
  kind: 'mongo',
  organizationId: 'o1',
  environmentId: 'e1',
  name: 'Main',
  appName: 'main',
  description: '',
  databaseName: null,
  databaseUser: 'ann',
  databasePassword: 'S3cret@{x}',
  databaseRootPassword: null,
  containerImage: 'mongo:8',
  replicaSets: false,
  serverId: null,
  applicationStatus: 'idle',
  memoryLimit: '512m',
  memoryReservation: null,
  cpuLimit: '0.5',
  cpuReservation: null,
  pidsLimit: null,
  command: null,
  args: [],
  env: '',
  externalPort: null,
  ...neverRan('D1'),
  createdAt: '',
  ...change,
});

const inputs = (
  change: Partial<DatabaseRecord> = {},
  more: Partial<DatabaseSpecInputs> = {},
): DatabaseSpecInputs => ({
  database: record(change),
  placement,
  deploymentId: 'd1',
  image: 'mongo:8',
  major: 8,
  env: { TZ: 'UTC', MONGO_INITDB_ROOT_PASSWORD: 'a lie' },
  network: 'berth-e1',
  mounts: [],
  nodeId: 'n1',
  probePath: '/srv/berth/busybox',
  ...more,
});

const probe = `B=/.berth/busybox
command -v mongosh >/dev/null || { echo "berth: the image has no mongosh, so the health of its server \
cannot be checked; is it the right image?" >/proc/1/fd/1; kill 1; exit 1; }
look() { [ "$(mongosh --quiet --host 127.0.0.1 --eval 'db.adminCommand({ ping: 1 }).ok')" = 1 ]
}
look "$@" || exit 1
if [ ! -e /dev/shm/.berth-healthy ]; then
{ true >/dev/shm/.berth-healthy; } 2>/dev/null && exit 0
read -r up rest </proc/uptime
s=$($B cat /proc/1/stat) && s=\${s##*) } && t=$(echo "$s" | $B cut -d' ' -f20)
[ $((\${up%.*} - t / 100)) -lt 60 ] && exit 0
fi
n=0
while [ $n -lt 2 ]; do $B sleep 30; look "$@" || exit 1; n=$((n + 1)); done`;

const mongo = {
  name: 'main',
  image: 'mongo:8',
  labels: {
    'berth.managed': 'true',
    'berth.organization': 'o1',
    'berth.project': 'p1',
    'berth.environment': 'e1',
    'berth.database': 'D1',
  },
  release: 'd1',
  defaults: newestDefaults,
  env: ['TZ=UTC', 'MONGO_INITDB_ROOT_PASSWORD=S3cret@{x}', 'MONGO_INITDB_ROOT_USERNAME=ann'],
  command: undefined,
  args: undefined,
  networks: ['berth-e1'],
  replicas: 1,
  limits: { memoryBytes: 536_870_912, nanoCpus: 500_000_000 },
  reservations: { memoryBytes: undefined, nanoCpus: undefined },
  mounts: [
    {
      type: 'volume',
      source: 'berth-data-D1',
      target: '/data/db',
      labels: { 'berth.managed': 'true', 'berth.organization': 'o1', 'berth.database': 'D1' },
    },
    { type: 'bind', source: '/srv/berth/busybox', target: '/.berth/busybox', readOnly: true },
  ],
  files: [],
  ports: [],
  healthCheck: {
    test: ['CMD', '/.berth/busybox', 'sh', '-c', probe, 'probe'],
    intervalMs: 1000,
    startIntervalMs: 1000,
    timeoutMs: 80_000,
    retries: 15,
    startPeriodMs: 600_000,
  },
  updateOrder: 'stop-first',
  monitorMs: 2000,
  stopGracePeriodMs: 45_000,
  constraints: ['node.id==n1'],
};

describe('the service of a mongo', () => {
  test('as a literal', () => {
    expect(databaseSpecOf(inputs())).toEqual(mongo);
  });

  test('with a limit of processes', () => {
    expect(databaseSpecOf(inputs({ pidsLimit: 200 })).limits).toEqual({ ...mongo.limits, pids: 200 });
  });

  test('as a set of replicas: one start script with a key of its own, the arguments behind it', () => {
    expect(databaseSpecOf(inputs({ replicaSets: true, args: ['--quiet'] }))).toEqual({
      ...mongo,
      args: [
        'sh',
        '-c',
        `key=/data/configdb/berth.key
rm -f "$key"; head -c 741 /dev/urandom | base64 | tr -d "\\n" >"$key" && chmod 400 "$key"
exec docker-entrypoint.sh mongod --replSet rs0 --keyFile "$key" --bind_ip_all "$@"`,
        'mongod',
        '--quiet',
      ],
    });
  });

  test('on a port of the server, which another port replaces', () => {
    const opened = databaseSpecOf(inputs({ externalPort: 27_018 }));
    expect(opened).toEqual({
      ...mongo,
      labels: { ...mongo.labels, 'berth.port': '27018' },
      ports: [{ published: 27_018, target: 27_017, protocol: 'tcp', mode: 'host' }],
    });
    expect(withPort(opened, { kind: 'mongo', externalPort: null })).toEqual(mongo);
  });

  test("with a command of one's own in place of the image's and the kind's", () => {
    expect(
      databaseSpecOf(inputs({ replicaSets: true, command: 'mongod --port "27017"', args: ['-v'] })),
    ).toEqual({ ...mongo, command: ['mongod', '--port', '27017'], args: ['-v'] });
  });
});

test.each<[DatabaseRecord['kind'], number | undefined, string, Partial<DatabaseRecord>, string[]]>([
  [
    'postgres',
    17,
    '/var/lib/postgresql/data',
    { databaseName: 'shop' },
    ['POSTGRES_USER=ann', 'POSTGRES_PASSWORD=S3cret@{x}', 'POSTGRES_DB=shop'],
  ],
  [
    'postgres',
    18,
    '/var/lib/postgresql',
    { databaseName: '', databaseUser: '' },
    ['POSTGRES_USER=postgres', 'POSTGRES_PASSWORD=S3cret@{x}', 'POSTGRES_DB=postgres'],
  ],
  [
    'postgres',
    undefined,
    '/var/lib/postgresql/data',
    { databaseName: '' },
    ['POSTGRES_USER=ann', 'POSTGRES_PASSWORD=S3cret@{x}', 'POSTGRES_DB=ann'],
  ],
  [
    'mysql',
    8,
    '/var/lib/mysql',
    { databaseName: 'shop', databaseRootPassword: 'R' },
    ['MYSQL_ROOT_PASSWORD=R', 'MYSQL_DATABASE=shop', 'MYSQL_USER=ann', 'MYSQL_PASSWORD=S3cret@{x}'],
  ],
  [
    'mariadb',
    11,
    '/var/lib/mysql',
    { databaseName: '', databaseUser: 'root', databaseRootPassword: 'R' },
    ['MARIADB_ROOT_PASSWORD=R'],
  ],
  ['redis', 8, '/data', {}, ['BERTH_REDIS_PASSWORD="\\x53\\x33\\x63\\x72\\x65\\x74\\x40\\x7b\\x78\\x7d"']],
])('%s of version %s keeps its data in %s', (kind, major, target, change, env) => {
  const spec = databaseSpecOf(inputs({ kind, ...change }, { major, env: {} }));
  expect(spec.mounts[0]).toMatchObject({ type: 'volume', source: 'berth-data-D1', target });
  expect(spec.env).toEqual(env);
});
