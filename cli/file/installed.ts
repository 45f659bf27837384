/** What a project is, in the form of berth.yml: the plan compares it, the export writes it. */
import { BerthError } from '../../client/berth-error.ts';
import { parseEnv } from '../../server/src/domain/variables/dotenv.ts';
import { AppError } from '../../server/src/domain/errors.ts';
import { findMasked } from '../../server/src/domain/secrets/mask.ts';
import {
  applicationSettings,
  composeSettings,
  databaseSettings,
} from '../../server/src/modules/berth-file/record.ts';
import type { ServiceKindName } from '../../server/src/modules/service/record-lists.ts';
import { fieldsOf } from '../connection/config.ts';
import { UsageError } from '../usage-error.ts';
import { serviceKinds } from '../words/parts/services.ts';
import type { Caller } from './caller.ts';
import { listRows, type Fields, type ListRow } from './kinds.ts';
import { createNames, type Names } from './names.ts';

export interface InstalledEntry {
  id: string;
  fields: Fields;
}

export interface InstalledService {
  kind: ServiceKindName;
  id: string;
  /** What it stands under in a file: its name, or its appName where others have the name, too. */
  key: string;
  name: string;
  appName: string;
  settings: Fields;
  /** undefined: they are in no form that can be read. */
  variables: ReadonlyMap<string, string> | undefined;
  secretNames: readonly string[];
  lists: ReadonlyMap<string, readonly InstalledEntry[]>;
  run: RunState;
}

/** What decides whether it is deployed. */
export interface RunState {
  isReleased: boolean;
  isStopped: boolean;
  isUnderWay: boolean;
  /** There is a source that a deployment can take. */
  hasSource: boolean;
  pendingChanges: readonly string[];
}

export interface InstalledEnvironment {
  id: string;
  name: string;
  isDefault: boolean;
  description: string;
  variables: ReadonlyMap<string, string> | undefined;
  services: readonly InstalledService[];
}

export interface Installed {
  projectId: string;
  name: string;
  description: string;
  baseDomain: string | null;
  variables: ReadonlyMap<string, string> | undefined;
  environments: readonly InstalledEnvironment[];
}

/** The project of that name, or of that id; undefined where there is none. */
export async function readInstalled(
  caller: Caller,
  project: string,
  names = createNames(caller),
): Promise<Installed | undefined> {
  const all = arrayOf(await caller('project.all', {}));
  const byId = all.filter(({ projectId }) => projectId === project);
  const found = byId.length > 0 ? byId : all.filter(({ name }) => name === project);
  if (found.length > 1)
    throw new UsageError(
      `${found.length} projects are called ${project}; a file cannot tell them apart. Rename all but one.`,
    );
  const [listed] = found;
  if (!listed) return undefined;
  // Lists are without variables.
  const row = fieldsOf(await caller('project.one', { projectId: listed['projectId'] }));
  refuseMasked(row, `the project ${project}`);
  const rows = arrayOf(row['environments']);
  names.environments.clear();
  names.databases.clear();
  for (const { environmentId, name } of rows) {
    if (names.environments.has(String(name)))
      throw new UsageError(`${project} has several environments called ${String(name)}. Rename all but one.`);
    names.environments.set(String(name), String(environmentId));
  }
  const environments: InstalledEnvironment[] = [];
  for (const environment of rows) environments.push(await environmentOf(caller, names, environment));
  return {
    projectId: String(row['projectId']),
    name: String(row['name']),
    description: String(row['description']),
    baseDomain: typeof row['baseDomain'] === 'string' ? row['baseDomain'] : null,
    variables: variablesIn(row['env']),
    environments,
  };
}

async function environmentOf(caller: Caller, names: Names, row: Fields): Promise<InstalledEnvironment> {
  const found = (Object.keys(serviceKinds) as ServiceKindName[]).flatMap((kind) =>
    arrayOf(row[serviceKinds[kind].list]).map((service) => ({ kind, service })),
  );
  const isAlone = (name: unknown): boolean =>
    found.filter(({ service }) => service['name'] === name || service['appName'] === name).length === 1;
  const keyOf = ({ name, appName }: Fields): string => String(isAlone(name) ? name : appName);
  const environment = String(row['name']);
  names.databases.set(
    environment,
    found
      .filter(({ kind }) => kind !== 'application' && kind !== 'compose')
      .map(({ kind, service }) => ({
        id: String(service[serviceKinds[kind].id]),
        key: keyOf(service),
        appName: String(service['appName']),
      })),
  );
  const services: InstalledService[] = [];
  const own = names.within(environment);
  for (const { kind, service } of found) {
    const read = await readService(caller, own, kind, String(service[serviceKinds[kind].id]));
    if (read) services.push({ ...read, key: keyOf({ name: read.name, appName: read.appName }) });
  }
  return {
    id: String(row['environmentId']),
    name: String(row['name']),
    isDefault: row['isDefault'] === true,
    description: String(row['description']),
    variables: variablesIn(row['env']),
    services,
  };
}

/** One that is removed meanwhile is not there. */
export async function readService(
  caller: Caller,
  names: Names,
  kind: ServiceKindName,
  id: string,
): Promise<InstalledService | undefined> {
  const record = await caller(`${kind}.one`, { [serviceKinds[kind].id]: id }).then(
    fieldsOf,
    (error: unknown) => {
      if (error instanceof BerthError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    },
  );
  if (!record) return undefined;
  const name = String(record['name']);
  const {
    deployments: _logs,
    environment: _place,
    connection: _address,
    refreshToken: _token,
    ...read
  } = record;
  refuseMasked({ ...read, databasePassword: null, databaseRootPassword: null }, name);
  const settings: Record<string, unknown> = { description: record['description'] };
  for (const field of ['serverId', ...settingNames(kind)])
    if (field in record) settings[field] = await names.shown(field, record[field]);
  const lists = new Map<string, InstalledEntry[]>();
  for (const row of listRows) {
    const entries = await entriesOf(caller, names, { kind, id, record }, row);
    if (entries) lists.set(row.list, entries);
  }
  return {
    kind,
    id,
    key: name,
    name,
    appName: String(record['appName']),
    settings,
    lists,
    variables: variablesIn(record['env']),
    secretNames: arrayOf(record['secretEnvNames']).map((secret) => String(secret['name'])),
    run: runOf(kind, record),
  };
}

export function settingNames(kind: ServiceKindName): string[] {
  if (kind === 'application') return Object.keys(applicationSettings);
  return Object.keys(kind === 'compose' ? composeSettings : databaseSettings(kind));
}

/** Fields of an entry that the file has. */
export const entryFields: Readonly<Record<string, readonly string[]>> = {
  domains: [
    'host',
    'path',
    'port',
    'https',
    'certificateType',
    'customCertResolver',
    'serviceName',
    'internalPath',
    'stripPath',
    'hstsMaxAge',
    'requestHeaders',
    'maxBodyBytes',
    'allowedAddresses',
    'deniedAddresses',
    'maintenance',
    'maintenancePage',
    'errorPages',
    'responseHeaders',
    'compression',
    'trustedProxies',
    'allowOnDemand',
  ],
  mounts: ['mountPath', 'type', 'hostPath', 'volumeName', 'filePath', 'content', 'isSecret'],
  ports: ['publishedPort', 'targetPort', 'protocol', 'publishMode'],
  redirects: ['regex', 'replacement', 'permanent'],
  backups: [
    'schedule',
    'timeZone',
    'prefix',
    'database',
    'destinationId',
    'enabled',
    'keepLatestCount',
    'verifySchedule',
    'alarmAfterHours',
  ],
  recovery: ['destinationId', 'schedule', 'timeZone', 'prefix', 'keepDays', 'enabled'],
  schedules: ['name', 'cron', 'timeZone', 'command', 'limitMinutes', 'serviceName', 'enabled'],
};

/** undefined: services of the kind have no such list. By their keys; oldest first where the order counts. */
async function entriesOf(
  caller: Caller,
  names: Names,
  { kind, id, record }: { kind: ServiceKindName; id: string; record: Fields },
  { list, id: idField, listed, keyOf, ordered, single }: ListRow,
): Promise<InstalledEntry[] | undefined> {
  if (listed ? !listed.kinds.includes(kind) : !(list in record)) return undefined;
  const answer = listed ? await caller(listed.by, { [serviceKinds[kind].id]: id }) : record[list];
  const all = single ? oneOf(fieldsOf(answer)[list]) : arrayOf(answer);
  // Names that a service has allowed its customers belong in no file.
  const rows = all.filter(({ onDemandOf }) => onDemandOf === undefined || onDemandOf === null);
  const entries: InstalledEntry[] = [];
  for (const row of rows.toReversed()) {
    const fields: Record<string, unknown> = {};
    for (const field of entryFields[list] ?? [])
      if (field !== 'serviceName' || kind === 'compose')
        fields[field] = await names.shown(field, asSet(list, field, row));
    entries.push({ id: String(row[idField]), fields });
  }
  if (ordered) return entries;
  // What was made in another order, by an apply that was killed for one, is the same.
  return entries.toSorted((one, other) => (keyOf(one.fields) < keyOf(other.fields) ? -1 : 1));
}

const oneOf = (value: unknown): Fields[] => (value === null || value === undefined ? [] : [fieldsOf(value)]);

/** A domain's port as it was set, not as it is without that. */
export function asSet(list: string, field: string, row: Fields): unknown {
  return list === 'domains' && field === 'port' && 'ownPort' in row ? row['ownPort'] : row[field];
}

function runOf(kind: ServiceKindName, record: Fields): RunState {
  const deployments = arrayOf(record['deployments']);
  const has = (...statuses: string[]): boolean =>
    deployments.some(({ status }) => statuses.includes(String(status)));
  const isReleased = has('done');
  const status = record[serviceKinds[kind].status];
  return {
    isReleased,
    isUnderWay: has('queued', 'running'),
    isStopped: isReleased && status === 'idle',
    hasSource: kind !== 'application' || hasSource(record, deployments.length > 0),
    pendingChanges: (Array.isArray(record['pendingChanges']) ? record['pendingChanges'] : []).map(String),
  };
}

function hasSource(record: Fields, wasDeployed: boolean): boolean {
  switch (record['sourceType']) {
    case 'container':
      return Boolean(record['containerImage']);
    case 'git':
      return Boolean(record['customGitUrl']);
    case 'drop':
      return wasDeployed;
    default:
      return Boolean(record['repository']);
  }
}

/** Of a block of variables; undefined where it is in no form that can be read. */
export function variablesIn(text: unknown): ReadonlyMap<string, string> | undefined {
  try {
    return new Map(parseEnv(typeof text === 'string' ? text : '').map(({ name, value }) => [name, value]));
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

function refuseMasked(record: unknown, name: string): void {
  const masked = findMasked(record);
  if (masked !== undefined)
    throw new UsageError(
      `${masked} of ${name} is hidden from you: comparing a file needs permission to read secrets ` +
        '(canReadSecrets).',
    );
}

export function arrayOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map((item: unknown) => fieldsOf(item)) : [];
}
