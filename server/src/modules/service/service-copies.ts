/** Copies of services: their configuration under new ids, names and tokens, idle; no data, deployments, domains, ports of the server or backups (decisions 3). */
import { appNameFrom } from '../../domain/names.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { neverRan } from '../database/database.ts';
import type { ServiceNames } from '../service-name/service-name.ts';
import type { ServiceCopies } from './service.ts';
import type { ServiceRows } from './store.ts';

const newName = (name: string): string => appNameFrom(name, randomId(6));
const nothingRuns = { releasedAppName: null, isStopped: false } as const;

export function createServiceCopies(rows: ServiceRows, names: ServiceNames, clock: Clock): ServiceCopies {
  /** What hangs on an application besides its mounts. */
  async function copyParts(from: string, to: string): Promise<void> {
    const createdAt = isoTime(clock);
    for (const record of await rows.redirect.list({ applicationId: from }))
      await rows.redirect.insert({ ...record, redirectId: randomId(), applicationId: to, createdAt });
    for (const record of await rows.basicAuth.list({ applicationId: from }))
      await rows.basicAuth.insert({ ...record, basicAuthId: randomId(), applicationId: to, createdAt });
  }
  /** A folder of the server would be shared by original and copy, so only volumes, which are the copy's own, and files come along. */
  async function copyMounts(
    owner: 'applicationId' | 'databaseId' | 'composeId',
    from: string,
    to: string,
  ): Promise<void> {
    for (const record of await rows.mount.list({ [owner]: from })) {
      if (record.type !== 'bind')
        await rows.mount.insert({ ...record, mountId: randomId(), [owner]: to, createdAt: isoTime(clock) });
    }
  }
  async function copyApplications(
    organizationId: string,
    environments: ReadonlyMap<string, string>,
    [from, environmentId]: [string, string],
  ): Promise<void> {
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
        liveDeploymentId: null,
        uploadPath: null,
      };
      await rows.application.insert(copy);
      await names.keep(copy.applicationId, [copy.appName]);
      await copyMounts('applicationId', record.applicationId, copy.applicationId);
      await copyParts(record.applicationId, copy.applicationId);
    }
  }
  async function copyDatabases(
    organizationId: string,
    [from, environmentId]: [string, string],
  ): Promise<void> {
    for (const record of await rows.database.list({ organizationId, environmentId: from })) {
      const databaseId = randomId();
      const copy = {
        ...record,
        ...neverRan(databaseId),
        databaseId,
        environmentId,
        appName: newName(record.name),
        applicationStatus: 'idle' as const,
        externalPort: null,
        createdAt: isoTime(clock),
      };
      await rows.database.insert(copy);
      await names.keep(copy.databaseId, [copy.appName]);
      await copyMounts('databaseId', record.databaseId, copy.databaseId);
    }
  }
  async function copyComposes(
    organizationId: string,
    [from, environmentId]: [string, string],
  ): Promise<void> {
    for (const record of await rows.compose.list({ organizationId, environmentId: from })) {
      const copy = {
        ...record,
        ...nothingRuns,
        liveDeploymentId: null,
        releasedSuffix: '',
        networkIndex: null,
        composeId: randomId(),
        environmentId,
        appName: newName(record.name),
        refreshToken: randomId(32),
        composeStatus: 'idle' as const,
        createdAt: isoTime(clock),
      };
      await rows.compose.insert(copy);
      await names.keep(copy.composeId, [copy.appName]);
      await copyMounts('composeId', record.composeId, copy.composeId);
    }
  }
  return {
    async make(organizationId, environments) {
      for (const pair of environments) {
        await copyApplications(organizationId, environments, pair);
        await copyDatabases(organizationId, pair);
        await copyComposes(organizationId, pair);
      }
    },
  };
}
