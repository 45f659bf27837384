import { AppError } from '../../domain/errors.ts';
import { memberReaches } from '../../domain/permissions.ts';
import type { Actor, CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { Environments } from '../environment/environment.ts';
import type { EnvironmentRecord } from '../../db/tables.ts';
import type { Members } from '../organization/member.ts';
import type { projectContract } from './contract.ts';
import type { Projects } from './project.ts';
import type { ProjectRecord } from './store.ts';

export interface ServiceOfProject {
  applicationId: string;
  environmentId: string;
  name: string;
  appName: string;
  applicationStatus: 'idle' | 'running' | 'done' | 'error';
}

export interface ProjectNeighbours {
  environments: Environments;
  /** Every service of the organization, in one statement. */
  services(organizationId: string): Promise<ServiceOfProject[]>;
  members: Members;
  /** Told when networks may have lost their environment. */
  networksChanged(): void;
}

export function projectHandlers(projects: Projects, neighbours: ProjectNeighbours): Handlers<typeof projectContract, CallContext> {
  const { environments, members, services } = neighbours;
  return {
    create: ({ actor, write }, input) =>
      write(async () => {
        const created = await projects.create(actor.organizationId, input);
        await members.grantCreated(actor, 'accessedProjects', created.project.projectId);
        return created;
      }),
    async all({ actor }, input) {
      const [all, parts, leaves] = await Promise.all([projects.all(actor.organizationId), environments.all(actor.organizationId), services(actor.organizationId)]);
      return paginate(composed(actor, all, parts, leaves), input, ({ projectId }) => projectId);
    },
    async one({ actor }, { projectId }) {
      const project = await projects.one(projectId, actor.organizationId);
      const [visible] = composed(actor, [project], await environments.byProject(projectId, actor.organizationId), await services(actor.organizationId));
      if (!visible) throw new AppError('FORBIDDEN', 'You have no access to this project. An Owner or Admin of the organization can give it.');
      return visible;
    },
    update: ({ actor, write }, { projectId, ...patch }) => write(() => projects.update(projectId, actor.organizationId, patch)),
    async remove({ actor, write }, { projectId }) {
      const removed = await write(() => projects.remove(projectId, actor.organizationId));
      neighbours.networksChanged();
      return removed;
    },
  };
}

type Composed = ProjectRecord & { environments: (EnvironmentRecord & { applications: ServiceOfProject[] })[] };

/** Puts services into environments into projects; a member keeps only what is assigned. */
function composed(actor: Actor, projects: ProjectRecord[], environments: EnvironmentRecord[], services: ServiceOfProject[]): Composed[] {
  const servicesOf = Map.groupBy(services, ({ environmentId }) => environmentId);
  const environmentsOf = Map.groupBy(environments, ({ projectId }) => projectId);
  const result: Composed[] = [];
  for (const project of projects) {
    const { projectId, organizationId } = project;
    const shown = [];
    for (const environment of environmentsOf.get(projectId) ?? []) {
      const { environmentId } = environment;
      const reaches = (serviceId?: string): boolean => actor.role !== 'member' || memberReaches(actor.grants, { organizationId, projectId, environmentId, serviceId });
      const applications = (servicesOf.get(environmentId) ?? []).filter(({ applicationId }) => reaches(applicationId));
      if (applications.length > 0 || reaches()) shown.push({ ...environment, applications });
    }
    if (shown.length > 0 || actor.role !== 'member' || memberReaches(actor.grants, { organizationId, projectId })) result.push({ ...project, environments: shown });
  }
  return result;
}
