/** A large organization: 300 projects, 3,000 services of every kind. */
import type { Stores } from '../server/src/composition/stores.ts';
import { databaseKindNames } from '../server/src/domain/database-kind.ts';
import { newApplication } from '../server/src/modules/application/defaults.ts';
import { createDatabases } from '../server/src/modules/database/database.ts';
import { createServiceNames } from '../server/src/modules/service-name/service-name.ts';
import { randomId, systemClock } from '../server/src/ports/clock.ts';
import { plainCompose } from '../test/world/plain-compose.ts';
import { fill } from './fill.ts';

export interface LargeOrganization {
  organizationId: string;
  apiKey: string;
}

export const projectCount = 300;
/** In each project: some applications, a database of each kind, a compose service. */
const applicationsEach = 4;
export const servicesEach = applicationsEach + databaseKindNames.length + 1;

export async function fillLargeInstallation(data: string): Promise<LargeOrganization> {
  const { organizationId, apiKey } = await fill(data, async (stores, owner) => {
    for (let index = 0; index < projectCount; index += 1) await insertProject(stores, owner, index);
  });
  return { organizationId, apiKey };
}

async function insertProject(stores: Stores, organizationId: string, index: number): Promise<void> {
  const createdAt = new Date(systemClock.now() + index).toISOString();
  const [projectId, environmentId] = [randomId(), randomId()];
  await stores.projects.insert({
    projectId,
    organizationId,
    name: `project ${index}`,
    description: 'One of many',
    env: 'REGION=eu',
    baseDomain: null,
    createdAt,
  });
  await stores.environments.insert({
    environmentId,
    organizationId,
    projectId,
    name: 'production',
    description: '',
    env: 'LOG=info',
    isDefault: true,
    networkIndex: index + 1,
    createdAt,
  });
  const place = { organizationId, environmentId, description: 'One of many', createdAt };
  for (let nth = 0; nth < applicationsEach; nth += 1) {
    await stores.applications.insert(
      newApplication({
        ...place,
        applicationId: randomId(),
        name: `service ${nth}`,
        appName: `app-${index}-${nth}`,
        refreshToken: randomId(32),
      }),
    );
  }
  await insertDatabases(stores, organizationId, environmentId, index);
  await stores.serviceRows.compose.insert({
    ...plainCompose,
    ...place,
    composeId: randomId(),
    name: 'the stack',
    appName: `stack-${index}`,
    composeFile: 'services: {}',
    refreshToken: randomId(32),
  });
}

async function insertDatabases(
  stores: Stores,
  organizationId: string,
  environmentId: string,
  index: number,
): Promise<void> {
  const databases = createDatabases(
    stores.databases,
    { names: createServiceNames(stores.serviceNames), published: { requireFree: async () => undefined } },
    systemClock,
  );
  for (const kind of databaseKindNames) {
    await databases.create(organizationId, kind, {
      environmentId,
      name: `the ${kind}`,
      appName: `${kind}-${index}`,
      databaseName: 'shop',
      databaseUser: 'shop',
      databasePassword: '',
      databaseRootPassword: '',
    });
  }
}
