/** A project with its environment and an application in each of the two organizations of `people.ts`. */
import { createBuildServers } from '../../server/src/modules/server/server.ts';
import { createServerStore } from '../../server/src/modules/server/store.ts';
import { createStores } from '../../server/src/composition/stores.ts';
import type { Database } from '../../server/src/db/database.ts';
import { databaseKindNames, type DatabaseKindName } from '../../server/src/domain/database-kind.ts';
import { createApplications } from '../../server/src/modules/application/application.ts';
import { createApplicationStore } from '../../server/src/modules/application/store.ts';
import { createDatabases } from '../../server/src/modules/database/database.ts';
import { createDomainStore } from '../../server/src/modules/domain/store.ts';
import { createEnvironments } from '../../server/src/modules/environment/environment.ts';
import { createEnvironmentStore } from '../../server/src/modules/environment/store.ts';
import { createProjects } from '../../server/src/modules/project/project.ts';
import { createProjectStore } from '../../server/src/modules/project/store.ts';
import { createServiceNames } from '../../server/src/modules/service-name/service-name.ts';
import { createServiceNameStore } from '../../server/src/modules/service-name/store.ts';
import { isoTime, randomId, systemClock } from '../../server/src/ports/clock.ts';
import { plainCompose } from '../world/plain-compose.ts';
import type { Person } from './people.ts';

export interface Place {
  projectId: string;
  environmentId: string;
  applicationId: string;
}

export async function createPlace(
  database: Database,
  { organizationId }: Person,
  name: string,
): Promise<Place> {
  const { project, environment } = await createProjects(
    createProjectStore(database),
    createEnvironments(createEnvironmentStore(database), systemClock),
    systemClock,
  ).create(organizationId, { name });
  const applications = createApplications(
    createApplicationStore(database),
    {
      names: createServiceNames(createServiceNameStore(database)),
      hasResolver: createDomainStore(database).hasResolver,
      localRepositoryPaths: async () => [],
      buildServers: createBuildServers(createServerStore(database)),
    },
    systemClock,
  );
  const { applicationId } = await applications.create({
    organizationId,
    environmentId: environment.environmentId,
    name,
  });
  return { projectId: project.projectId, environmentId: environment.environmentId, applicationId };
}

/** A database of each kind and a compose service in an environment; gives their ids by kind. */
export async function otherServices(
  database: Database,
  organizationId: string,
  environmentId: string,
): Promise<Record<DatabaseKindName | 'compose', string>> {
  const { databases, serviceNames, serviceRows } = createStores(database);
  const names = createServiceNames(serviceNames);
  const published = { requireFree: async () => undefined };
  const made = createDatabases(databases, { names, published }, systemClock);
  const unique = randomId(6);
  const ids: [string, string][] = [];
  for (const kind of databaseKindNames) {
    const { databaseId } = await made.create(organizationId, kind, {
      name: `The ${kind}`,
      appName: `${kind}-${unique}`,
      databasePassword: 'secret',
      databaseName: 'shop',
      databaseUser: 'shop',
      databaseRootPassword: 'root',
      environmentId,
    });
    ids.push([kind, databaseId]);
  }
  const composeId = randomId();
  await serviceRows.compose.insert({
    ...plainCompose,
    composeId,
    organizationId,
    environmentId,
    name: 'The stack',
    appName: `compose-${unique}`,
    refreshToken: randomId(32),
    createdAt: isoTime(systemClock),
  });
  await names.keep(composeId, [`compose-${unique}`]);
  return byKind([...ids, ['compose', composeId]]);
}

/** One for each kind and the compose service. */
function byKind(ids: [string, string][]): Record<DatabaseKindName | 'compose', string> {
  return Object.fromEntries(ids) as Record<DatabaseKindName | 'compose', string>;
}
