/** Projects: each begins with its default environment. */
import { AppError } from '../../domain/errors.ts';
import { parseEnv } from '../../domain/dotenv.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { Environments } from '../environment/environment.ts';
import type { EnvironmentRecord } from '../../db/tables.ts';
import type { ProjectRecord, ProjectStore } from './store.ts';

export interface ProjectInput {
  name?: string | undefined;
  description?: string | null | undefined;
  env?: string | null | undefined;
}

export interface Projects {
  create(organizationId: string, input: ProjectInput & { name: string }): Promise<{ project: ProjectRecord; environment: EnvironmentRecord }>;
  all(organizationId: string): Promise<ProjectRecord[]>;
  one(projectId: string, organizationId: string): Promise<ProjectRecord>;
  update(projectId: string, organizationId: string, patch: ProjectInput): Promise<ProjectRecord>;
  remove(projectId: string, organizationId: string): Promise<ProjectRecord>;
}

export function createProjects(store: ProjectStore, environments: Environments, clock: Clock): Projects {
  async function one(projectId: string, organizationId: string): Promise<ProjectRecord> {
    const record = await store.find({ projectId, organizationId });
    if (!record) throw new AppError('NOT_FOUND', 'There is no such project. It may have been removed.');
    return record;
  }
  return {
    one,
    async create(organizationId, { name, description, env }) {
      if (env) parseEnv(env);
      const project = { projectId: randomId(), organizationId, name, description: description ?? '', env: env ?? '', createdAt: isoTime(clock) };
      await store.insert(project);
      return { project, environment: await environments.createDefault(organizationId, project.projectId) };
    },
    all: (organizationId) => store.list({ organizationId }, { by: ['createdAt', 'projectId'], direction: 'desc' }),
    async update(projectId, organizationId, { name, description, env }) {
      if (env) parseEnv(env);
      await store.update({ projectId, organizationId }, {
        name, description: description === undefined ? undefined : description ?? '', env: env === undefined ? undefined : env ?? '',
      });
      return one(projectId, organizationId);
    },
    async remove(projectId, organizationId) {
      const project = await one(projectId, organizationId);
      await environments.removeAll(projectId, organizationId);
      await store.remove({ projectId, organizationId });
      return project;
    },
  };
}
