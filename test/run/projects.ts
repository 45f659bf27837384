/**
 * The test projects: which files each has, where they run, and how long they may take. vitest.config.ts,
 * test/run.ts and bin/test read it.
 */

import type { SystemName } from '../bed/host/systems.ts';

/**
 * What a project's files run on. `modules`: this process alone. `database`: SQLite, and one PostgreSQL server
 * for all. `program`: Berth's started program. `bed`: hosts with engines of their own. `servers`: the bed,
 * with a host that has an engine, and one without, made already.
 */
export type Ground = 'types' | 'modules' | 'database' | 'program' | 'bed' | 'servers';

export interface Project {
  on: Ground;
  /** Patterns of its files. */
  files: readonly string[];
  /** Patterns of files that belong to another project although `files` has them. */
  without?: readonly string[];
  /** Set-up of its own, besides that of what it runs on. */
  setup?: string;
  /** The system of its hosts, for what runs on the machine's own in another project. */
  system?: SystemName;
  /** Left to `--long`, unless it is named. */
  isLong?: boolean;
  /** The most it may take on a busy machine. */
  minutes: number;
}

const e2e = (...names: string[]): string[] => names.map((name) => `test/e2e/${name}.e2e.test.ts`);
const integration = (pattern: string): string => `test/integration/${pattern}.test.ts`;

/**
 * Tests without an engine that take a second or more, since they open sockets, write many files, start
 * programs or walk a large table: `npm run check` leaves them to `bin/test`.
 */
const takingSeconds: readonly string[] = [
  'cli/recording',
  'client/follow',
  'server/src/adapters/archive/{chunked,unpack-upload}',
  'server/src/adapters/builder/choose',
  'server/src/adapters/deployment-log/file-log',
  'server/src/adapters/dns/name-resolver',
  'server/src/adapters/files/{checkout-links,lines}',
  'server/src/adapters/git/private-key',
  'server/src/adapters/host/ssh/ssh-client',
  'server/src/adapters/host/ssh/ssh-link',
  'server/src/adapters/object-store/{rclone-answers,sftp}',
  'server/src/adapters/outgoing/outgoing',
  'server/src/adapters/process/quiet-heap',
  'server/src/adapters/ssh/key-pairs',
  'server/src/deploy/release/health-check',
  'server/src/domain/secrets/sealed-key',
  'server/src/modules/server/monitoring/thresholds',
  'server/src/procedure/describe/example',
  'server/src/shell/{quote,run}',
  'server/src/transport/{entrance/{lost-access,request-limits},trpc-client,upload}',
  'server/src/transport/streams/{forward,stream,terminal}',
  'setup/{machine/fetch-package,starters/detached}',
  'test/dangers/network-addresses',
  'test/dns/{dns-01,dns-records,lego,propagation,providers}',
  'test/{access/input-words,clients/{family-import,generators},compose/{judge,keys},dangers/dangers,day/day}',
  'test/quotas/quotas',
  'test/kill-matrix/servers/kill-matrix-servers',
  'tools/dev/dev',
  'tools/{generate/generate,house/parsers,new/skeleton,package/{client,command-line,production,program}}',
].map((path) => `${path}.test.ts`);

/**
 * Store tests that take a second or more on SQLite, or reach little that no quicker test reaches: `npm run
 * check` leaves them out.
 */
export const longerStores: readonly string[] = [
  'server/src/commands/reset-password',
  'server/src/db/{migrations,outage,reading/postgres-readers,reading/kept-reads}',
  'server/src/deploy/compose/judge-file',
  'server/src/deploy/images/proven-image',
  'server/src/jobs/jobs',
  'server/src/modules/audit/audit',
  'server/src/modules/log-drain/log-drain',
  'server/src/modules/backup/{in-place/mysql-in-place,in-place/postgres-in-place,runs/cancel,runs/runs}',
  'server/src/modules/basic-auth/basic-auth',
  'server/src/modules/{compose/compose-access,container/container,database/database}',
  'server/src/modules/{database/database-places,project/project}',
  'server/src/modules/event/{event,event-kills}',
  'server/src/modules/interruption/interruption',
  'server/src/modules/organization/{invitation,membership}',
  'server/src/modules/user/{account,account-removal,key-limits,two-factor,user}',
  'server/src/transport/entrance/entrance',
  'setup/restore/restore-database',
  'test/kill-matrix/operation-pairs',
].map((path) => `${path}.store.test.ts`);

/** Skips itself where another project sets up the machine of the system. */
const freshMachine = 'systems/fresh-machine';

/** Files that are tests of something other than modules, by their name or place. */
const beyondModules: readonly string[] = [
  '**/*.store.test.ts',
  '**/*.interface.test.ts',
  'test/integration/**',
  'test/e2e/**',
  'test/attacks/**',
];

/**
 * In the order in which they begin: of those on the bed, and of the others, what most changes reach first,
 * since a slow machine begins no more of them after a while (test/run.ts).
 */
export const projects = {
  releases: { on: 'bed', files: e2e('deploy'), minutes: 40 },
  machine: { on: 'bed', files: e2e('up', 'machine/release', freshMachine), minutes: 40 },
  servers: {
    on: 'bed',
    files: e2e(
      'lives',
      'servers',
      ...['build-server', 'cloud', 'moving', 'server-add'].map((name) => `servers/${name}`),
      'server-setup',
    ),
    minutes: 60,
  },
  backups: { on: 'bed', files: e2e('backup', 'backups/volumes', 'backups/recovery'), minutes: 35 },
  rolling: { on: 'bed', files: e2e('rolling'), minutes: 40 },
  command: { on: 'bed', files: e2e('command-line', 'command/session'), minutes: 30 },
  integration: {
    on: 'servers',
    files: ['{bed,images,builder,git}/*', 'encrypted-backup', 'object-store', 'upload'].map(integration),
    minutes: 20,
  },
  web: { on: 'bed', files: e2e('web'), minutes: 40 },
  isolation: {
    on: 'bed',
    files: e2e('isolation', 'compose', 'compose/products', 'compose/lived'),
    minutes: 120,
  },
  restore: {
    on: 'bed',
    files: e2e('restore', 'previews', 'previews/compose', 'previews/databases'),
    minutes: 40,
  },
  engine: { on: 'servers', files: [integration('engine/*')], minutes: 40 },
  proxy: { on: 'servers', files: [integration('proxy/*')], minutes: 40 },
  input: { on: 'bed', files: e2e('hostile-input', 'conformance'), minutes: 40 },
  attacks: {
    on: 'bed',
    files: ['test/attacks/*.attack.test.ts'],
    setup: 'test/attacks/support/table-setup.ts',
    minutes: 40,
  },
  stable: { on: 'bed', system: 'trixie', files: e2e(freshMachine), minutes: 30 },
  databases: { on: 'bed', files: e2e('databases'), minutes: 40 },
  cluster: { on: 'bed', files: e2e('servers/cluster'), minutes: 30 },
  faults: { on: 'bed', files: e2e('crash'), minutes: 40 },
  hosts: { on: 'bed', files: e2e('hosts'), minutes: 40 },
  pairs: { on: 'bed', files: e2e('pairs/operation-pairs'), minutes: 40 },
  upgrade: { on: 'bed', files: e2e('upgrade', 'systems/engine-upgrade'), minutes: 30 },
  systemd: { on: 'bed', files: e2e('systemd'), minutes: 40 },
  trixie: { on: 'servers', system: 'trixie', files: [integration('engine/*')], minutes: 30 },
  environments: { on: 'bed', files: e2e('lives/environments'), isLong: true, minutes: 100 },
  journeys: { on: 'bed', files: e2e('journeys/*', 'web/templates'), isLong: true, minutes: 90 },
  sid: {
    on: 'servers',
    system: 'sid',
    files: [integration('engine/*'), ...e2e(freshMachine)],
    isLong: true,
    minutes: 30,
  },
  types: { on: 'types', files: [], minutes: 10 },
  unit: {
    on: 'modules',
    files: ['**/*.test.ts'],
    without: [...beyondModules, ...takingSeconds],
    minutes: 30,
  },
  interface: { on: 'program', files: ['test/{access,clients,conformance}/*.interface.test.ts'], minutes: 30 },
  store: { on: 'database', files: ['**/*.store.test.ts'], minutes: 30 },
  screens: { on: 'program', files: ['test/web/{,forms/,logs/}*.interface.test.ts'], minutes: 30 },
  system: { on: 'modules', files: takingSeconds, minutes: 30 },
  fuzz: { on: 'program', files: ['test/fuzz/*.interface.test.ts'], minutes: 20 },
} as const satisfies Record<string, Project>;

export type ProjectName = keyof typeof projects;
