/** Projects: each begins with its default environment. */
import { revised } from '../../domain/states/revision.ts';
import { AppError } from '../../domain/errors.ts';
import { parseEnv } from '../../domain/variables/dotenv.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import { unknownCursor } from '../../procedure/input/page.ts';
import type { Environments } from '../environment/environment.ts';
import type { EnvironmentRecord } from '../../db/tables.ts';
import type { ListedProject, ProjectRecord, ProjectStore } from './store.ts';

export interface ProjectInput {
  name?: string | undefined;
  description?: string | null | undefined;
  env?: string | null | undefined;
  baseDomain?: string | null | undefined;
  /** The one that was read before the change. */
  revision?: number | undefined;
}

export interface Projects {
  create(
    organizationId: string,
    input: ProjectInput & { name: string },
  ): Promise<{ project: ProjectRecord; environment: EnvironmentRecord }>;
  /**
   * The project and its environments, without services: the new project, and which environment became which.
   */
  duplicate(
    projectId: string,
    organizationId: string,
    input: { name: string; description?: string | null | undefined },
  ): Promise<{ project: ProjectRecord; environments: Map<string, string> }>;
  /** Newest first, without their variables. */
  all(organizationId: string): Promise<ListedProject[]>;
  /** At most `limit` of the projects after the one that `cursor` names, as `all` has them. */
  page(organizationId: string, page: { limit: number; cursor: string | undefined }): Promise<ListedProject[]>;
  one(projectId: string, organizationId: string): Promise<ProjectRecord>;
  update(projectId: string, organizationId: string, patch: ProjectInput): Promise<ProjectRecord>;
  remove(projectId: string, organizationId: string): Promise<ProjectRecord>;
}

interface Parts {
  store: ProjectStore;
  environments: Environments;
  clock: Clock;
}

export function createProjects(store: ProjectStore, environments: Environments, clock: Clock): Projects {
  const parts: Parts = { store, environments, clock };
  return {
    one: (projectId, organizationId) => one(store, projectId, organizationId),
    async create(organizationId, input) {
      if (input.env) parseEnv(input.env);
      const project = await insert(parts, organizationId, input);
      return { project, environment: await environments.createDefault(organizationId, project.projectId) };
    },
    duplicate: (projectId, organizationId, input) => duplicate(parts, projectId, organizationId, input),
    all: (organizationId) => store.listed(organizationId),
    async page(organizationId, { limit, cursor }) {
      const after =
        cursor === undefined ? undefined : await store.find({ projectId: cursor, organizationId });
      if (cursor !== undefined && !after) throw unknownCursor();
      return store.page(organizationId, { limit, after });
    },
    async update(projectId, organizationId, { name, description, env, baseDomain, revision }) {
      if (env) parseEnv(env);
      await revised(revision, 'the project', {
        read: () => one(store, projectId, organizationId),
        change: (where) =>
          store.revise(
            { projectId, organizationId, ...where },
            {
              name,
              description: description === undefined ? undefined : (description ?? ''),
              env: env === undefined ? undefined : (env ?? ''),
              baseDomain,
            },
          ),
      });
      return one(store, projectId, organizationId);
    },
    async remove(projectId, organizationId) {
      const project = await one(store, projectId, organizationId);
      await environments.removeAll(projectId, organizationId);
      await store.remove({ projectId, organizationId });
      return project;
    },
  };
}

async function one(store: ProjectStore, projectId: string, organizationId: string): Promise<ProjectRecord> {
  const record = await store.find({ projectId, organizationId });
  if (!record) throw new AppError('NOT_FOUND', 'There is no such project. It may have been removed.');
  return record;
}

async function insert(
  { store, clock }: Parts,
  organizationId: string,
  { name, description, env, baseDomain }: ProjectInput & { name: string },
): Promise<ProjectRecord> {
  const project = {
    projectId: randomId(),
    revision: 0,
    organizationId,
    name,
    description: description ?? '',
    env: env ?? '',
    baseDomain: baseDomain ?? null,
    createdAt: isoTime(clock),
  };
  await store.insert(project);
  return project;
}

async function duplicate(
  parts: Parts,
  projectId: string,
  organizationId: string,
  { name, description }: Parameters<Projects['duplicate']>[2],
): ReturnType<Projects['duplicate']> {
  const { store, environments } = parts;
  const original = await one(store, projectId, organizationId);
  const project = await insert(parts, organizationId, {
    ...original,
    name,
    description: description ?? original.description,
  });
  const copies = new Map<string, string>();
  for (const environment of (await environments.byProject(projectId, organizationId)).toReversed()) {
    const copy = environment.isDefault
      ? await environments.createDefault(organizationId, project.projectId, environment)
      : await environments.create({ ...environment, projectId: project.projectId });
    copies.set(environment.environmentId, copy.environmentId);
  }
  return { project, environments: copies };
}
