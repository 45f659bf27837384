/** What the reconciler keeps running: the services of every kind that Berth deploys. */
import { databaseRef, applicationRef, ownerOf, serviceKey, type DeployedKind, type ServiceRef } from '../domain/service-ref.ts';
import type { ApplicationRecord, DatabaseRecord } from '../db/tables.ts';
import type { Networks } from '../deploy/networks.ts';
import type { Applications } from '../modules/application/application.ts';
import type { Databases } from '../modules/database/database.ts';
import type { Deployments } from '../modules/deployment/deployment.ts';
import type { Turns } from '../modules/service/turns.ts';
import type { Engine, ServiceSpec } from '../ports/engine.ts';
import { reconcileServices, type KeptService } from '../reconcile/services.ts';

export interface KeptServicesParts {
  engine: Engine;
  applications: Applications;
  databases: Databases;
  deployments: Deployments;
  networks: Networks;
  turns: Turns;
  liveSpecs: { application(application: ApplicationRecord): Promise<ServiceSpec | undefined>; database(database: DatabaseRecord): Promise<ServiceSpec | undefined> };
  /** Undefined where another control plane may have one-off tasks of its own. */
  instance: string | undefined;
}

interface Kept extends KeptService {
  liveSpec(): Promise<ServiceSpec | undefined>;
}

export function createServiceKeeper({ engine, applications, databases, deployments, networks, turns, liveSpecs, instance }: KeptServicesParts): () => Promise<string[]> {
  const keptApplication = (record: ApplicationRecord): Kept => ({ ...record, ...applicationRef(record.applicationId), liveSpec: () => liveSpecs.application(record) });
  const keptDatabase = (record: DatabaseRecord): Kept => ({ ...record, ...databaseRef(record.databaseId), liveSpec: () => liveSpecs.database(record) });
  async function find({ kind, serviceId }: ServiceRef): Promise<Kept | undefined> {
    const application = kind === 'application' ? await applications.find(serviceId) : undefined;
    const database = kind === 'database' ? await databases.find(serviceId) : undefined;
    return (application && keptApplication(application)) ?? (database && keptDatabase(database));
  }

  return async () => {
    // Records first: what is made between the two looks is known then, and no orphan.
    const busy = new Set((await deployments.unfinished()).map((deployment) => serviceKey(ownerOf(deployment))));
    return reconcileServices({
      engine, busy, services: [...(await applications.all()).map(keptApplication), ...(await databases.all()).map(keptDatabase)], kinds: new Set<DeployedKind>(['application', 'database']),
      liveSpec: async (service) => (await find(service))?.liveSpec(),
      ensureNetworks: async ({ environmentId }) => void (await networks.ensureEnvironment(environmentId)),
      settled: async (service) => ((await deployments.isWorking(service)) ? undefined : find(service)),
      takeIfFree: turns.takeIfFree, instance,
    });
  };
}
