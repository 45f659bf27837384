/** Projects and environments through the HTTP interface. */
import { createStores } from '../../../server/src/composition/stores.ts';
import { environmentContract } from '../../../server/src/modules/environment/contract.ts';
import { createEnvironments } from '../../../server/src/modules/environment/environment.ts';
import {
  environmentHandlers,
  type EnvironmentNeighbours,
} from '../../../server/src/modules/environment/handlers.ts';
import { createMembers } from '../../../server/src/modules/organization/member.ts';
import { projectContract } from '../../../server/src/modules/project/contract.ts';
import { projectHandlers, type ProjectNeighbours } from '../../../server/src/modules/project/handlers.ts';
import { createProjects } from '../../../server/src/modules/project/project.ts';
import { createServiceNames } from '../../../server/src/modules/service-name/service-name.ts';
import { createServiceCopies } from '../../../server/src/modules/service/service-copies.ts';
import { systemClock } from '../../../server/src/ports/clock.ts';
import { router } from '../../../server/src/procedure/registry.ts';
import type { TestDatabase } from '../../store/each-database.ts';
import { otherServices } from '../places.ts';
import { baseDomainClaims } from './base-domain-claims.ts';
import { worlds, type World } from './world.ts';

type Change = (stores: ReturnType<typeof createStores>) => Partial<EnvironmentNeighbours & ProjectNeighbours>;

/** Gives a function that makes worlds with projects and environments, in which nothing runs. */
export function projectWorlds(test: TestDatabase, change: Change = () => ({})): () => Promise<World> {
  const createWorld = worlds(test);
  return () =>
    createWorld((database) => {
      const stores = createStores(database);
      const members = createMembers(stores.members);
      const environments = createEnvironments(stores.environments, systemClock);
      const projects = createProjects(stores.projects, environments, systemClock);
      const copies = createServiceCopies(
        stores.serviceRows,
        createServiceNames(stores.serviceNames),
        systemClock,
      );
      const neighbours = {
        services: stores.services,
        copies,
        members,
        claims: baseDomainClaims(stores),
        liveOf: () => null,
        placed: stores.serviceReads.placed,
        mixing: { engineOf: async () => undefined, logAnswerBytes: async () => 100_000 },
        networksChanged: () => undefined,
        ...change(stores),
      };
      return [
        router('project', projectContract, projectHandlers(projects, { environments, ...neighbours })),
        router(
          'environment',
          environmentContract,
          environmentHandlers(environments, { project: projects.one, ...neighbours }),
        ),
      ];
    });
}

/** One service of every kind, by its kind, in the place of the first organization. */
export async function everyKind({ database, people, place }: World): Promise<Record<string, string>> {
  return {
    application: place.applicationId,
    ...(await otherServices(database, people.owner.organizationId, place.environmentId)),
  };
}
