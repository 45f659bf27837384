import { AppError } from '../../domain/errors.ts';
import { memberReaches } from '../../domain/permissions.ts';
import type { Actor, CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { Members } from '../organization/member.ts';
import type { environmentContract } from './contract.ts';
import type { Environments } from './environment.ts';

/** What the environment module needs of its neighbours. */
export interface EnvironmentNeighbours {
  project(projectId: string, organizationId: string): Promise<{ projectId: string; name: string; organizationId: string }>;
  applications(environmentId: string, organizationId: string): Promise<ServiceOfEnvironment[]>;
  members: Members;
  /** Told when networks may have lost their environment. */
  networksChanged(): void;
}

export interface ServiceOfEnvironment {
  applicationId: string;
  name: string;
  appName: string;
  description: string;
  applicationStatus: 'idle' | 'running' | 'done' | 'error';
  createdAt: string;
}

export function environmentHandlers(environments: Environments, neighbours: EnvironmentNeighbours): Handlers<typeof environmentContract, CallContext> {
  return {
    create: ({ actor, write }, input) =>
      write(async () => {
        const environment = await environments.create({ ...input, organizationId: actor.organizationId });
        await neighbours.members.grantCreated(actor, 'accessedEnvironments', environment.environmentId);
        return environment;
      }),
    async one({ actor }, { environmentId }) {
      const environment = await environments.one(environmentId, actor.organizationId);
      const all = await neighbours.applications(environmentId, actor.organizationId);
      const { projectId } = environment;
      const applications = all.filter(({ applicationId }) => sees(actor, { projectId, environmentId, serviceId: applicationId }));
      if (applications.length === 0 && !sees(actor, { projectId, environmentId })) {
        throw new AppError('FORBIDDEN', 'You have no access to this environment. An Owner or Admin of the organization can give it.');
      }
      const project = await neighbours.project(projectId, actor.organizationId);
      return { ...environment, project, applications, postgres: [], mysql: [], mariadb: [], mongo: [], redis: [], compose: [] };
    },
    async byProjectId({ actor }, input) {
      const all = await environments.byProject(input.projectId, actor.organizationId);
      const visible = [];
      for (const environment of all) {
        if (sees(actor, environment) || (await neighbours.applications(environment.environmentId, actor.organizationId)).some(({ applicationId }) => sees(actor, { ...environment, serviceId: applicationId }))) visible.push(environment);
      }
      return paginate(visible, input, ({ environmentId }) => environmentId);
    },
    update: ({ actor, write }, { environmentId, ...patch }) => write(() => environments.update(environmentId, actor.organizationId, patch)),
    async remove({ actor, write }, { environmentId }) {
      const removed = await write(() => environments.remove(environmentId, actor.organizationId));
      neighbours.networksChanged();
      return removed;
    },
  };
}

function sees(actor: Actor, scope: { projectId: string; environmentId: string; serviceId?: string }): boolean {
  return actor.role !== 'member' || memberReaches(actor.grants, { organizationId: actor.organizationId, ...scope });
}
