/** The example's project, application and domain: found by name, else made. */
import { BerthError } from '../../client/berth-error.ts';
import type { Client } from '../../client/client.ts';
import type { SetupContext } from '../context.ts';
import { exampleBranch } from './repository.ts';

export const exampleHost = 'hello.localhost';
const examplePort = 3000;
const projectName = 'Example';

/** The application's status, undefined when it was deleted or never made. */
export async function applicationStatus(
  client: Client,
  applicationId: string | undefined,
): Promise<string | undefined> {
  if (applicationId === undefined) return undefined;
  try {
    return (await client.application.one({ applicationId })).applicationStatus;
  } catch (error) {
    if (error instanceof BerthError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/** Makes the application in the example's project; gives its id. */
export async function makeApplication(client: Client): Promise<string> {
  const environmentId =
    (await findEnvironment(client)) ??
    (await client.project.create({ name: projectName, description: 'Made by bin/up --example' })).environment
      .environmentId;
  return (await client.application.create({ name: 'hello', environmentId })).applicationId;
}

/** Says again all that the application needs: each call is harmless when it is so already. */
export async function configureApplication(
  client: Client,
  { layout, settings, say }: SetupContext,
  applicationId: string,
): Promise<void> {
  const { localRepositoryPaths } = await client.settings.get();
  if (!localRepositoryPaths.includes(layout.example)) {
    say(`allows git repositories below ${layout.example} (setting localRepositoryPaths)`);
    await client.settings.update({ localRepositoryPaths: [...localRepositoryPaths, layout.example] });
  }
  await client.application.saveGitProvider({
    applicationId,
    customGitUrl: layout.exampleRepository,
    customGitBranch: exampleBranch,
  });
  await client.application.saveBuildType({
    applicationId,
    buildType: 'dockerfile',
    dockerfile: 'Dockerfile',
  });
  await client.application.saveEnvironment({
    applicationId,
    buildArgs: `NODE_IMAGE=${settings.nodeImage ?? 'node:24-slim'}`,
  });
  const domains = await client.domain.byApplicationId({ applicationId });
  if (!domains.some(({ host }) => host === exampleHost))
    await client.domain.create({ applicationId, host: exampleHost, port: examplePort });
}

async function findEnvironment(client: Client): Promise<string | undefined> {
  const projects = await client.project.all();
  const project = projects.find(({ name }) => name === projectName);
  return project?.environments.find(({ name }) => name === 'production')?.environmentId;
}
