import { AppError } from '../../domain/errors.ts';
import { reachOf } from '../../domain/access/permissions.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { Members } from '../organization/member.ts';
import { mixedOutput, type MixingParts } from '../service/mixed-output.ts';
import { outputEvents } from '../service/output-events.ts';
import {
  serviceLists,
  type LiveReader,
  type ServiceCopies,
  type ServiceReads,
  type Services,
} from '../service/service.ts';
import type { environmentContract } from './contract.ts';
import type { Environments } from './environment.ts';

/** What the environment module needs of its neighbours. */
export interface EnvironmentNeighbours {
  project(
    projectId: string,
    organizationId: string,
  ): Promise<{ projectId: string; name: string; organizationId: string }>;
  services: Services;
  copies: ServiceCopies;
  members: Members;
  liveOf: LiveReader;
  placed: ServiceReads['placed'];
  mixing: MixingParts;
  /** Told when networks may have lost their environment. */
  networksChanged(): void;
}

export function environmentHandlers(
  environments: Environments,
  neighbours: EnvironmentNeighbours,
): Handlers<typeof environmentContract, CallContext> {
  const { project, services, copies, members, liveOf, networksChanged } = neighbours;
  return {
    create: ({ actor, write }, input) =>
      write(async () => {
        const environment = await environments.create({ ...input, organizationId: actor.organizationId });
        await members.grantCreated(actor, 'accessedEnvironments', environment.environmentId);
        return environment;
      }),
    async one({ actor }, { environmentId }) {
      const { organizationId } = actor;
      const reaches = reachOf(actor);
      const environment = await environments.one(environmentId, organizationId);
      const { projectId } = environment;
      const visible = (await services.ofEnvironment(organizationId, environmentId)).filter(({ serviceId }) =>
        reaches({ organizationId, projectId, environmentId, serviceId }),
      );
      if (visible.length === 0 && !reaches({ organizationId, projectId, environmentId })) throw outOfReach();
      return {
        ...environment,
        project: await project(projectId, organizationId),
        ...serviceLists(visible, liveOf),
      };
    },
    async byProjectId({ actor }, { projectId, ...page }) {
      const { organizationId } = actor;
      const reaches = reachOf(actor);
      const [all, inside] = await Promise.all([
        environments.listed(organizationId, [projectId]),
        services.ofProjects(organizationId, [projectId]),
      ]);
      const withOwn = new Set(
        inside
          .filter(({ environmentId, serviceId }) =>
            reaches({ organizationId, projectId, environmentId, serviceId }),
          )
          .map(({ environmentId }) => environmentId),
      );
      const visible = all.filter(
        ({ environmentId }) =>
          withOwn.has(environmentId) || reaches({ organizationId, projectId, environmentId }),
      );
      return paginate(visible, page, ({ environmentId }) => environmentId);
    },
    async *logs(context, { environmentId, tail }) {
      const { organizationId } = context.actor;
      const reaches = reachOf(context.actor);
      const { projectId } = await environments.one(environmentId, organizationId);
      const visible = (await neighbours.placed(organizationId)).filter(
        (one) => one.environmentId === environmentId && reaches(one),
      );
      if (visible.length === 0 && !reaches({ organizationId, projectId, environmentId })) throw outOfReach();
      yield* outputEvents(context, mixedOutput(neighbours.mixing, visible, tail));
    },
    update: ({ actor, write }, { environmentId, ...patch }) =>
      write(() => environments.update(environmentId, actor.organizationId, patch)),
    async remove({ actor, write }, { environmentId }) {
      const removed = await write(() => environments.remove(environmentId, actor.organizationId));
      networksChanged();
      return removed;
    },
    duplicate: ({ actor, write }, { environmentId, name, description }) =>
      write(async () => {
        const { organizationId } = actor;
        const original = await environments.one(environmentId, organizationId);
        const copy = await environments.create({
          organizationId,
          projectId: original.projectId,
          name,
          description: description ?? original.description,
          env: original.env,
        });
        await copies.make(organizationId, new Map([[environmentId, copy.environmentId]]));
        await members.grantCreated(actor, 'accessedEnvironments', copy.environmentId);
        return copy;
      }),
  };
}

const outOfReach = (): AppError =>
  new AppError(
    'FORBIDDEN',
    'You have no access to this environment. An Owner or Admin of the organization can give it.',
  );
