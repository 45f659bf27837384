/** What the words for berth.yml know of each kind of service and of each list that hangs on one. */
import type { ServiceKindName } from '../../server/src/modules/service/record-lists.ts';
import type { ProcedureName } from '../words/parts/word.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** What a change does to what runs. */
export type Cause = 'nothing' | 'restart' | 'new release' | 'data loss';

/** The worse of them. */
export function worst(causes: Iterable<Cause>): Cause {
  const order: readonly Cause[] = ['nothing', 'restart', 'new release', 'data loss'];
  let at = 0;
  for (const cause of causes) at = Math.max(at, order.indexOf(cause));
  return order[at] ?? 'nothing';
}

/** Settings of an application that its running release does not depend on. */
const atOnce = new Set([
  'name',
  'description',
  'autoDeploy',
  'watchPaths',
  'triggerType',
  'cleanCache',
  'buildServerId',
  'replicas',
  'isPreviewDeploymentsActive',
  'username',
]);

export function causeOf(kind: ServiceKindName, field: string): Cause {
  if (atOnce.has(field) || field.startsWith('preview')) return 'nothing';
  return kind === 'application' || kind === 'compose' ? 'new release' : 'restart';
}

/** What a setting is where nobody set it; whatever is not here is empty (null, '', [], {}). */
const defaults: Readonly<Record<'application' | 'compose' | 'database', Fields>> = {
  application: {
    buildType: 'auto',
    buildPath: '/',
    customGitBuildPath: '/',
    dockerfile: 'Dockerfile',
    replicas: 1,
    autoDeploy: true,
    triggerType: 'push',
    updateOrder: 'start-first',
    init: 'auto',
    enableSubmodules: true,
    rollbackActive: true,
    previewPort: 3000,
    previewPath: '/',
    previewCertificateType: 'none',
    previewLimit: 3,
    previewRequireCollaboratorPermissions: true,
  },
  compose: {
    composeType: 'compose',
    sourceType: 'raw',
    composePath: 'compose.yaml',
    previewLimit: 3,
    previewRequireCollaboratorPermissions: true,
    enableSubmodules: true,
    autoDeploy: true,
    triggerType: 'push',
  },
  database: {},
};

export function defaultOf(kind: ServiceKindName, field: string): unknown {
  const of = kind === 'application' || kind === 'compose' ? kind : 'database';
  return defaults[of][field] ?? null;
}

/** A list that hangs on a service. */
export interface ListRow {
  /** Its name in the file. */
  list: string;
  /** The id of an entry in the interface. */
  id: string;
  /** What makes two entries the same one. */
  keyOf(entry: Fields): string;
  create: ProcedureName;
  update: ProcedureName;
  remove: ProcedureName;
  cause(kind: ServiceKindName): Cause;
  /** What adding an entry does, where that is something else. */
  causeOfAdding?: Cause;
  /** What lists it, and for which kinds, where the service's record does not have it. */
  listed?: { kinds: readonly ServiceKindName[]; by: ProcedureName };
  /** Fields whose change leaves data behind. */
  losing?: readonly string[];
  /** Sent with an update that leaves data behind, once that was confirmed. */
  confirmed?: Fields;
  /** Entries stand in an order that counts. */
  ordered?: boolean;
  /** There is at most one, an object in the file; null there is what these fields make of it. */
  single?: { cleared: Fields };
  /** Absent in an entry, it is this. */
  usual: Fields;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));

export const listRows: readonly ListRow[] = [
  {
    list: 'domains',
    id: 'domainId',
    keyOf: ({ host, path }) => `${text(host).toLowerCase()}${text(path ?? '/')}`,
    create: 'domain.create',
    update: 'domain.update',
    remove: 'domain.delete',
    cause: () => 'nothing',
    usual: { path: '/', https: false, internalPath: '/', stripPath: false },
  },
  {
    list: 'mounts',
    id: 'mountId',
    keyOf: ({ mountPath }) => text(mountPath).replace(/(?<=.)\/+$/, ''),
    create: 'mount.create',
    update: 'mount.update',
    remove: 'mount.remove',
    cause: (kind) => (kind === 'application' || kind === 'compose' ? 'new release' : 'restart'),
    losing: ['type', 'volumeName'],
    confirmed: { beginEmpty: true },
    usual: { isSecret: false },
  },
  {
    list: 'ports',
    id: 'portId',
    keyOf: ({ publishedPort, protocol }) => `${text(publishedPort)}/${text(protocol ?? 'tcp')}`,
    create: 'port.create',
    update: 'port.update',
    remove: 'port.delete',
    cause: () => 'new release',
    usual: { protocol: 'tcp', publishMode: 'ingress' },
  },
  {
    list: 'redirects',
    id: 'redirectId',
    keyOf: () => '',
    create: 'redirect.create',
    update: 'redirect.update',
    remove: 'redirect.delete',
    cause: () => 'nothing',
    listed: { kinds: ['application'], by: 'redirect.byApplicationId' },
    ordered: true,
    usual: { permanent: false },
  },
  {
    list: 'backups',
    id: 'backupId',
    keyOf: ({ database, prefix, destinationId }) =>
      [database, prefix, destinationId].map((part) => text(part)).join(' '),
    create: 'backup.create',
    update: 'backup.update',
    remove: 'backup.remove',
    cause: () => 'nothing',
    usual: { enabled: true, timeZone: 'UTC' },
  },
  {
    list: 'recovery',
    // It is known by its database: the same call makes it, changes it and switches it off.
    id: 'postgresId',
    keyOf: () => '',
    create: 'backup.setRecovery',
    update: 'backup.setRecovery',
    remove: 'backup.setRecovery',
    cause: () => 'nothing',
    causeOfAdding: 'restart',
    listed: { kinds: ['postgres'], by: 'backup.getRecovery' },
    single: { cleared: { enabled: false } },
    usual: { enabled: true, timeZone: 'UTC', schedule: '0 3 * * *', keepDays: 7 },
  },
  {
    list: 'schedules',
    id: 'scheduleId',
    keyOf: ({ name }) => text(name),
    create: 'schedule.create',
    update: 'schedule.update',
    remove: 'schedule.remove',
    cause: () => 'nothing',
    listed: { kinds: ['application', 'compose'], by: 'schedule.all' },
    usual: { timeZone: 'UTC', limitMinutes: 60, enabled: true },
  },
];

/** A value of which nothing is left when it is compared: what is empty is null. */
export function canonical(value: unknown): string {
  return JSON.stringify(plain(value) ?? null);
}

function plain(value: unknown): unknown {
  if (value === '' || value === undefined || value === null) return null;
  if (Array.isArray(value)) return value.length === 0 ? null : value.map((item) => plain(item));
  if (typeof value !== 'object') return value;
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined && item !== null)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return entries.length === 0
    ? null
    : Object.fromEntries(entries.map(([name, item]) => [name, plain(item) ?? item]));
}
