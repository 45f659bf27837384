/**
 * Copies of services: their configuration under new ids, names and tokens, idle; no data, deployments,
 * domains, ports of the server or backups (decisions 3).
 */
import { appNameFrom } from '../../domain/names/names.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { PreviewDatabase } from '../../domain/branch-origin.ts';
import type { ApplicationRecord, DatabaseRecord } from '../../db/tables.ts';
import { neverRan } from '../database/database.ts';
import { keepNames } from '../compose/compose.ts';
import type { ServiceNames } from '../service-name/service-name.ts';
import type { ServiceCopies } from './service.ts';
import type { ServiceRows } from './store.ts';

const newName = (name: string): string => appNameFrom(name, randomId(6));
const nothingRuns = { releasedAppName: null, isStopped: false, restoredVolumes: {} } as const;

interface Parts {
  rows: ServiceRows;
  names: ServiceNames;
  clock: Clock;
}

export function createServiceCopies(rows: ServiceRows, names: ServiceNames, clock: Clock): ServiceCopies {
  const parts: Parts = { rows, names, clock };
  return {
    database: (record, changes) => copyDatabase(parts, record, changes),
    async make(organizationId, environments) {
      for (const pair of environments) {
        const databases = await copyDatabases(parts, organizationId, pair);
        await copyApplications(parts, organizationId, { environments, databases }, pair);
        await copyComposes(parts, organizationId, databases, pair);
      }
    },
  };
}

async function copyApplications(
  parts: Parts,
  organizationId: string,
  { environments, databases }: { environments: ReadonlyMap<string, string>; databases: CopiedDatabases },
  [from, environmentId]: [string, string],
): Promise<void> {
  const { rows, names, clock } = parts;
  for (const record of await rows.application.list({ organizationId, environmentId: from })) {
    const copy = {
      ...record,
      ...nothingRuns,
      applicationId: randomId(),
      environmentId,
      appName: newName(record.name),
      refreshToken: randomId(32),
      applicationStatus: 'idle' as const,
      createdAt: isoTime(clock),
      networks: record.networks.map((joined) => environments.get(joined) ?? joined),
      previewDatabases: inCopy(record, databases),
      liveDeploymentId: null,
      uploadPath: null,
    };
    await rows.application.insert(copy);
    await names.keep(copy.applicationId, [copy.appName]);
    await copyMounts(parts, 'applicationId', record.applicationId, copy.applicationId);
    await copyParts(parts, record.applicationId, copy.applicationId);
  }
}

/** Ids of databases, and of their copies. */
type CopiedDatabases = ReadonlyMap<string, string>;

/** Those of previews stay with them. */
async function copyDatabases(
  parts: Parts,
  organizationId: string,
  [from, environmentId]: [string, string],
): Promise<CopiedDatabases> {
  const copied = new Map<string, string>();
  for (const record of await parts.rows.database.list({ organizationId, environmentId: from }))
    if (record.previewDeploymentId === null)
      copied.set(record.databaseId, (await copyDatabase(parts, record, { environmentId })).databaseId);
  return copied;
}

/** The copies of an environment refer to each other. */
function inCopy(
  { previewDatabases }: Pick<ApplicationRecord, 'previewDatabases'>,
  databases: CopiedDatabases,
): PreviewDatabase[] {
  return previewDatabases.flatMap((one) => {
    const databaseId = databases.get(one.databaseId);
    return databaseId === undefined ? [] : [{ ...one, databaseId }];
  });
}

async function copyDatabase(
  parts: Parts,
  record: DatabaseRecord,
  changes: Partial<DatabaseRecord>,
): Promise<DatabaseRecord> {
  const { rows, names, clock } = parts;
  const databaseId = randomId();
  const copy = {
    ...record,
    ...neverRan(databaseId),
    databaseId,
    appName: newName(changes.name ?? record.name),
    applicationStatus: 'idle' as const,
    externalPort: null,
    createdAt: isoTime(clock),
    ...changes,
  };
  await rows.database.insert(copy);
  await names.keep(copy.databaseId, [copy.appName]);
  await copyMounts(parts, 'databaseId', record.databaseId, copy.databaseId);
  return copy;
}

async function copyComposes(
  parts: Parts,
  organizationId: string,
  databases: CopiedDatabases,
  [from, environmentId]: [string, string],
): Promise<void> {
  const { rows, names, clock } = parts;
  for (const record of await rows.compose.list({ organizationId, environmentId: from })) {
    if (record.previewOf !== null) continue;
    const copy = {
      ...record,
      ...nothingRuns,
      liveDeploymentId: null,
      releasedSuffix: '',
      releasedServices: null,
      networkIndex: null,
      composeId: randomId(),
      environmentId,
      appName: newName(record.name),
      refreshToken: randomId(32),
      previewDatabases: inCopy(record, databases),
      composeStatus: 'idle' as const,
      // What somebody let the original reach is the original's.
      approval: null,
      awaitsApproval: null,
      createdAt: isoTime(clock),
    };
    await rows.compose.insert(copy);
    await keepNames({ names }, copy);
    await copyMounts(parts, 'composeId', record.composeId, copy.composeId);
  }
}

/**
 * A folder of the server would be shared by original and copy, so only volumes, which are the copy's own,
 * and files come along.
 */
async function copyMounts(
  { rows, clock }: Parts,
  owner: 'applicationId' | 'databaseId' | 'composeId',
  from: string,
  to: string,
): Promise<void> {
  for (const record of await rows.mount.list({ [owner]: from })) {
    if (record.type !== 'bind')
      await rows.mount.insert({ ...record, mountId: randomId(), [owner]: to, createdAt: isoTime(clock) });
  }
}

/** What hangs on an application besides its mounts. */
async function copyParts({ rows, clock }: Parts, from: string, to: string): Promise<void> {
  const createdAt = isoTime(clock);
  for (const record of await rows.redirect.list({ applicationId: from }))
    await rows.redirect.insert({ ...record, redirectId: randomId(), applicationId: to, createdAt });
  for (const record of await rows.basicAuth.list({ applicationId: from }))
    await rows.basicAuth.insert({ ...record, basicAuthId: randomId(), applicationId: to, createdAt });
}
