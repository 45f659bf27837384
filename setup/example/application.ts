/** The example's project, application and domain: found by name, else made. */
import { z } from 'zod';
import type { SetupContext } from '../context.ts';
import type { Api } from './api.ts';
import { exampleBranch } from './repository.ts';

export const exampleHost = 'hello.localhost';
const examplePort = 3000;

const projectSchema = z.object({ project: z.object({ projectId: z.string() }), environment: z.object({ environmentId: z.string() }) });
const applicationSchema = z.object({ applicationId: z.string(), applicationStatus: z.string() });
const settingsSchema = z.object({ localRepositoryPaths: z.array(z.string()) });
const projectsSchema = z.array(z.object({ name: z.string(), environments: z.array(z.object({ environmentId: z.string(), name: z.string() })) }));
const domainsSchema = z.array(z.object({ host: z.string() }));

export type Application = z.infer<typeof applicationSchema>;

const projectName = 'Example';

/** The application as it is, undefined when it was deleted or never made. */
export async function findApplication(api: Api, applicationId: string | undefined): Promise<Application | undefined> {
  if (applicationId === undefined) return undefined;
  // "Not there" is the one fault that has an answer here; the next call meets any other again.
  return api.get('application.one', { applicationId }, applicationSchema).catch(() => undefined);
}

export async function makeApplication(api: Api): Promise<Application> {
  const environmentId = (await findEnvironment(api)) ?? (await api.post('project.create', { name: projectName, description: 'Made by bin/up --example' }, projectSchema)).environment.environmentId;
  return api.post('application.create', { name: 'hello', environmentId }, applicationSchema);
}

/** Says again all that the application needs: each call is harmless when it is so already. */
export async function configureApplication(api: Api, { layout, settings, say }: SetupContext, applicationId: string): Promise<void> {
  const { localRepositoryPaths } = await api.get('settings.get', {}, settingsSchema);
  if (!localRepositoryPaths.includes(layout.example)) {
    say(`allows git repositories below ${layout.example} (setting localRepositoryPaths)`);
    await api.post('settings.update', { localRepositoryPaths: [...localRepositoryPaths, layout.example] }, z.unknown());
  }
  await api.post('application.saveGitProvider', { applicationId, customGitUrl: layout.exampleRepository, customGitBranch: exampleBranch }, z.unknown());
  await api.post('application.saveBuildType', { applicationId, buildType: 'dockerfile', dockerfile: 'Dockerfile' }, z.unknown());
  const buildArgs = `NODE_IMAGE=${settings.nodeImage ?? 'node:24-slim'}`;
  await api.post('application.saveEnvironment', { applicationId, env: '', buildArgs, buildSecrets: '', createEnvFile: false }, z.unknown());
  const domains = await api.get('domain.byApplicationId', { applicationId }, domainsSchema);
  if (!domains.some(({ host }) => host === exampleHost)) {
    await api.post('domain.create', { applicationId, host: exampleHost, port: examplePort }, z.unknown());
  }
}

async function findEnvironment(api: Api): Promise<string | undefined> {
  const project = (await api.get('project.all', {}, projectsSchema)).find(({ name }) => name === projectName);
  return project?.environments.find(({ name }) => name === 'production')?.environmentId;
}
