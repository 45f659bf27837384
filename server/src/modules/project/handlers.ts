import { AppError } from '../../domain/errors.ts';
import { reachOf } from '../../domain/access/permissions.ts';
import type { Actor, CallContext } from '../../procedure/context.ts';
import { cutPage, paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { BaseDomainClaims } from '../base-domain/base-domain.ts';
import type { Environments } from '../environment/environment.ts';
import type { ListedEnvironment } from '../environment/record.ts';
import type { Members } from '../organization/member.ts';
import {
  serviceLists,
  type LiveReader,
  type ServiceCopies,
  type ServiceLists,
  type Services,
  type ServiceSummary,
} from '../service/service.ts';
import type { projectContract } from './contract.ts';
import type { Projects } from './project.ts';
import type { ListedProject } from './store.ts';

export interface ProjectNeighbours {
  environments: Environments;
  services: Services;
  copies: ServiceCopies;
  members: Members;
  claims: Pick<BaseDomainClaims, 'change'>;
  liveOf: LiveReader;
  /** Told when networks may have lost their environment. */
  networksChanged(): void;
}

export function projectHandlers(
  projects: Projects,
  neighbours: ProjectNeighbours,
): Handlers<typeof projectContract, CallContext> {
  const { environments, services, members, liveOf } = neighbours;
  const listsOf = (all: readonly ServiceSummary[]): Leaves => ({
    byEnvironment: Map.groupBy(all, ({ environmentId }) => environmentId),
    lists: (some) => serviceLists(some, liveOf),
  });
  /** These projects with what stands in them, in two statements. */
  async function whole<P extends ListedProject, E extends ListedEnvironment>(
    actor: Actor,
    some: P[],
    environmentsOf: (ids: string[], organizationId: string) => Promise<E[]>,
  ): Promise<Composed<P, E>[]> {
    const ids = some.map(({ projectId }) => projectId);
    const [parts, leaves] = await Promise.all([
      environmentsOf(ids, actor.organizationId),
      services.ofProjects(actor.organizationId, ids),
    ]);
    return composed(actor, some, parts, listsOf(leaves));
  }
  const listed = (ids: string[], organizationId: string): Promise<ListedEnvironment[]> =>
    environments.listed(organizationId, ids);
  return {
    create: ({ actor, write }, input) =>
      write(async () => {
        const created = await projects.create(actor.organizationId, input);
        await members.grantCreated(actor, 'accessedProjects', created.project.projectId);
        return created;
      }),
    async all({ actor }, { limit, cursor }) {
      const { organizationId } = actor;
      if (limit !== undefined && actor.role !== 'member') {
        const { items, nextCursor } = cutPage(
          await projects.page(organizationId, { limit: limit + 1, cursor }),
          limit,
          ({ projectId }) => projectId,
        );
        return { items: await whole(actor, items, listed), nextCursor };
      }
      const [all, parts, leaves] = await Promise.all([
        projects.all(organizationId),
        environments.listed(organizationId),
        services.ofOrganization(organizationId),
      ]);
      return paginate(
        composed(actor, all, parts, listsOf(leaves)),
        { limit, cursor },
        ({ projectId }) => projectId,
      );
    },
    async one({ actor }, { projectId }) {
      const project = await projects.one(projectId, actor.organizationId);
      const [visible] = await whole(actor, [project], environments.byProjects);
      if (!visible)
        throw new AppError(
          'FORBIDDEN',
          'You have no access to this project. An Owner or Admin of the organization can give it.',
        );
      return visible;
    },
    async update(context, { projectId, baseDomain: wanted, ...patch }) {
      const { organizationId } = context.actor;
      const { baseDomain: present } = await projects.one(projectId, organizationId);
      return neighbours.claims.change(context, { place: { projectId }, wanted, present }, (baseDomain) =>
        projects.update(projectId, organizationId, { ...patch, baseDomain }),
      );
    },
    async remove({ actor, write }, { projectId }) {
      const removed = await write(() => projects.remove(projectId, actor.organizationId));
      neighbours.networksChanged();
      return removed;
    },
    duplicate: ({ actor, write }, { projectId, ...input }) =>
      write(async () => {
        const copy = await projects.duplicate(projectId, actor.organizationId, input);
        await neighbours.copies.make(actor.organizationId, copy.environments);
        await members.grantCreated(actor, 'accessedProjects', copy.project.projectId);
        return copy.project;
      }),
  };
}

type Composed<P, E> = P & { environments: (E & ServiceLists)[] };

/** The services of projects, and how those that are visible are shown. */
interface Leaves {
  byEnvironment: ReadonlyMap<string, ServiceSummary[]>;
  lists(services: readonly ServiceSummary[]): ServiceLists;
}

/** Puts services into environments into projects; a member keeps only what is assigned. */
function composed<P extends ListedProject, E extends ListedEnvironment>(
  actor: Actor,
  projects: P[],
  environments: E[],
  services: Leaves,
): Composed<P, E>[] {
  const reaches = reachOf(actor);
  const environmentsOf = Map.groupBy(environments, ({ projectId }) => projectId);
  const result: Composed<P, E>[] = [];
  for (const project of projects) {
    const { projectId, organizationId } = project;
    const shown = [];
    for (const environment of environmentsOf.get(projectId) ?? []) {
      const { environmentId } = environment;
      const reachesWhole = reaches({ organizationId, projectId, environmentId });
      const inside = services.byEnvironment.get(environmentId) ?? [];
      const visible = reachesWhole
        ? inside
        : inside.filter(({ serviceId }) => reaches({ organizationId, projectId, environmentId, serviceId }));
      if (visible.length > 0 || reachesWhole) shown.push({ ...environment, ...services.lists(visible) });
    }
    if (shown.length > 0 || reaches({ organizationId, projectId }))
      result.push({ ...project, environments: shown });
  }
  return result;
}
