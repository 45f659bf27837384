/** A project with its environment and an application in each of the two organizations of `people.ts`. */
import { createStores } from '../../server/src/composition/stores.ts';
import type { Database } from '../../server/src/db/database.ts';
import { createApplications } from '../../server/src/modules/application/application.ts';
import { createEnvironments } from '../../server/src/modules/environment/environment.ts';
import { createProjects } from '../../server/src/modules/project/project.ts';
import { createServiceNames } from '../../server/src/modules/service-name/service-name.ts';
import { systemClock } from '../../server/src/ports/clock.ts';
import type { Person } from './people.ts';

export interface Place {
  projectId: string;
  environmentId: string;
  applicationId: string;
}

export async function createPlace(database: Database, { organizationId }: Person, name: string): Promise<Place> {
  const stores = createStores(database);
  const { project, environment } = await createProjects(stores.projects, createEnvironments(stores.environments, systemClock), systemClock).create(organizationId, { name });
  const applications = createApplications(stores.applications, { names: createServiceNames(stores.serviceNames), localRepositoryPaths: async () => [] }, systemClock);
  const { applicationId } = await applications.create({ organizationId, environmentId: environment.environmentId, name });
  return { projectId: project.projectId, environmentId: environment.environmentId, applicationId };
}
