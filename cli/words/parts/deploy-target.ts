/** Which service `berth deploy` means, and making it where there is none yet. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BerthError } from '../../../client/berth-error.ts';
import type { Client } from '../../../client/client.ts';
import { parseImageReference } from '../../../server/src/domain/names/image-reference.ts';
import { filesToSend } from '../../folder/walk.ts';
import { nameFromFolder, unknownFolder, type FolderFacts } from '../../folder/what-it-is.ts';
import { linkOf, scopeOf } from '../../folder-links.ts';
import { ask, isPersonThere } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';
import { itemsOf, type Context } from './context.ts';
import { urlOf } from './follow-deployment.ts';
import { serverNamed } from './servers.ts';
import { allServices, matches, nameOf, pick, serviceOf, type Service } from './services.ts';

export interface ToCreate {
  project: string;
  /** Absent: the default one. */
  environment: string | undefined;
  name: string;
}

/** The service that was named, is linked, or is called like the folder; else what is to be made. */
export async function targetOf(
  context: Context,
  { folder, facts }: { folder: string; facts: FolderFacts | undefined },
): Promise<{ service: Service } | { toCreate: ToCreate }> {
  const { client, connection } = await context.berth();
  const written = writtenName(context);
  if (written === undefined && (await linkOf(context.terminal, connection.url)))
    return { service: ofProject(context, await serviceOf(context, undefined)) };
  const services = await allServices(client);
  const scope = await scopeOf(context.terminal, connection.url);
  if (written !== undefined) {
    if (matches(services, written, scope).length > 0) return { service: pick(services, written, scope) };
    return { toCreate: await partsOf(context, written, scope) };
  }
  // Nobody is asked for the name of what cannot be deployed.
  if (isPersonThere(context.terminal) && context.text('image') === undefined && !facts)
    throw unknownFolder(folder);
  const name = await nameOfNew(context, folder);
  const toCreate = await partsOf(context, name, scope);
  const whole = [toCreate.project, toCreate.environment, toCreate.name].filter((part) => part !== undefined);
  const found = matches(services, whole.join('/'));
  if (found.length === 0) return { toCreate };
  const service = pick(services, whole.join('/'));
  if (!isPersonThere(context.terminal))
    context.say(`Deploying ${nameOf(service)}, which is called like the folder.`);
  return { service };
}

/** With the project that --project says; throws UsageError where the name says another one. */
function writtenName(context: Context): string | undefined {
  const [written] = context.args;
  const project = context.text('project');
  if (written === undefined || project === undefined) return written;
  if (!written.includes('/')) return `${project}/${written}`;
  if (written.startsWith(`${project}/`)) return written;
  throw new UsageError(`"${written}" is not in the project ${project}. Leave one of the two out.`);
}

/** What the folder is linked to, unless --project asks for another project. */
function ofProject(context: Context, service: Service): Service {
  const project = context.text('project');
  if (project === undefined || nameOf(service).startsWith(`${project}/`)) return service;
  throw new UsageError(
    `This folder is linked to ${nameOf(service)}, which is not in the project ${project}. For a service ` +
      `there: berth deploy ${project}/${service.name}.`,
  );
}

/** That of the folder, or what a person answers. */
async function nameOfNew({ terminal }: Context, folder: string): Promise<string> {
  const usual = nameFromFolder(folder);
  if (usual === undefined && !isPersonThere(terminal))
    throw new UsageError(
      `The name of ${folder} has no letter or digit for a service's name. Give one: ` +
        'berth deploy project/service.',
    );
  return ask(terminal, 'Name of the service', usual ?? 'app');
}

async function partsOf(context: Context, written: string, scope: string | undefined): Promise<ToCreate> {
  const parts = written.split('/');
  if (parts.length > 3 || parts.includes(''))
    throw new UsageError(`"${written}" is not a valid service name. Give project/service.`);
  const name = parts.at(-1) ?? written;
  const [project, environment] = parts.slice(0, -1);
  if (project !== undefined) return { project, environment, name };
  const given = context.text('project') ?? scope;
  if (given !== undefined) {
    const [ofScope = given, environmentOfScope] = given.split('/');
    return { project: ofScope, environment: environmentOfScope, name };
  }
  const { client } = await context.berth();
  const projects = itemsOf(await client.project.all());
  if (projects.length < 2) return { project: projects[0]?.name ?? name, environment: undefined, name };
  return { project: await ask(context.terminal, 'Project', name), environment: undefined, name };
}

/** Makes the project where it is missing, the service, and a first address for an application. */
export async function createService(
  context: Context,
  toCreate: ToCreate,
  facts: FolderFacts | undefined,
  folder: string,
): Promise<Service> {
  const { client } = await context.berth();
  // Before anything is made for a folder that cannot be deployed.
  const image = context.text('image');
  if (image !== undefined) parseImageReference(image, '--image');
  else if (!facts) throw unknownFolder(folder);
  else if (facts.kind !== 'compose') await filesToSend(folder);
  const server = context.text('server');
  const on = server === undefined ? {} : { serverId: await serverNamed(client, server) };
  const place = await placeOf(client, toCreate);
  const { environmentId } = place.environment;
  const { name } = toCreate;
  const what = facts ? `${folder} has ${facts.because}` : `it runs ${image ?? 'an image'}`;
  context.say(`Creating ${toCreate.project}/${name}: ${what}.`);
  if (facts?.kind === 'compose') {
    const composeFile = await readFile(join(folder, facts.composeFile ?? ''), 'utf8');
    const made = await client.compose.create({ name, environmentId, composeFile, ...on });
    const status = made.composeStatus;
    await giveComposeAddress(context, client, { ...made, ...on, composeFile });
    return { ...place, kind: 'compose', id: made.composeId, name, appName: made.appName, status };
  }
  const made = await client.application.create({ name, environmentId, ...on });
  const { applicationId, appName } = made;
  if (facts) await client.application.saveBuildType({ applicationId, buildType: facts.kind });
  const port = portOf(context) ?? facts?.port;
  await giveAddress(context, client, { appName, ...on }, { applicationId, port });
  return { ...place, kind: 'application', id: applicationId, name, appName, status: made.applicationStatus };
}

/** Of --port; throws UsageError where it is no port. */
export function portOf(context: Context): number | undefined {
  const text = context.text('port');
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535)
    throw new UsageError(`--port is "${text}"; give a number from 1 to 65535.`);
  return port;
}

/** Where a service of this name is to be made; UsageError without a project, and where the name is taken. */
export async function newPlaceOf(
  context: Context,
  written: string,
): Promise<Pick<Service, 'project' | 'environment'> & { projectName: string; name: string }> {
  const { client, connection } = await context.berth();
  const scope = await scopeOf(context.terminal, connection.url);
  const whole = written.includes('/') || scope === undefined ? written : `${scope}/${written}`;
  const [projectName = '', ...more] = whole.split('/');
  const name = more.at(-1);
  if (name === undefined)
    throw new UsageError(`"${written}" names no project: give project/name, or \`berth use PROJECT\` first.`);
  const place = await placeOf(client, {
    project: projectName,
    environment: more.length > 1 ? more[0] : undefined,
    name,
  });
  refuseTaken(await allServices(client), place.environment, projectName, name);
  return { ...place, projectName, name };
}

function refuseTaken(
  services: readonly Service[],
  { environmentId, name: environment }: Service['environment'],
  project: string,
  name: string,
): void {
  const taken = services.find((one) => one.environment.environmentId === environmentId && one.name === name);
  if (taken)
    throw new UsageError(
      `${project}/${environment} already has a service called ${name}: ${taken.kind}, ${taken.appName}. ` +
        `Choose another name, or run \`berth deploy ${nameOf(taken)}\` to start that one.`,
    );
}

/** Where a service is made: the project too, where it is missing and no environment of it was named. */
export async function placeOf(
  client: Client,
  { project: name, environment }: ToCreate,
): Promise<Pick<Service, 'project' | 'environment'>> {
  const projects = itemsOf(await client.project.all());
  const project = projects.find((one) => one.name === name);
  if (project) return { project, environment: environmentIn(project, environment) };
  if (environment === undefined) return client.project.create({ name });
  throw noEnvironment({ name, environments: [] }, environment);
}

interface WithEnvironments<E> {
  name: string;
  environments: readonly E[];
}

/** The environment of this name; the default one without a name. UsageError when there is none. */
export function environmentIn<E extends { name: string; isDefault: boolean }>(
  project: WithEnvironments<E>,
  wanted: string | undefined,
): E {
  const found = project.environments.find((one) =>
    wanted === undefined ? one.isDefault : one.name === wanted,
  );
  if (found) return found;
  throw noEnvironment(project, wanted ?? '');
}

const noEnvironment = (
  { name, environments }: WithEnvironments<{ name: string }>,
  wanted: string,
): UsageError =>
  new UsageError(
    `There is no environment ${wanted} in ${name}. There are: ` +
      `${environments.map((one) => one.name).join(', ') || 'none'}.`,
  );

/** Of the service in the file that people open, where the file says which one that is. */
async function giveComposeAddress(
  context: Context,
  client: Client,
  { composeId, composeFile, ...named }: { composeId: string; composeFile: string } & Named,
): Promise<void> {
  // Brings the parser of YAML, which other words do without.
  const { composeAddress, composeServices } = await import('../../folder/compose-address.ts');
  const given = context.text('compose-service');
  const services = composeServices(composeFile);
  const found = composeAddress(composeFile);
  const serviceName = given ?? found?.serviceName;
  if (serviceName === undefined) {
    context.say(
      `It does not get an address automatically: the file does not say which of ` +
        `${services.join(', ')} answers. ` +
        '`berth domains add HOST [service] --compose-service NAME` gives it one.',
    );
    return;
  }
  const port = portOf(context) ?? (found?.serviceName === serviceName ? found.port : undefined);
  const to = { domainType: 'compose', composeId, serviceName, port } as const;
  await giveAddress(context, client, named, to);
}

/** After what its host is called, and the server that it is on, where that is not Berth's own machine. */
interface Named {
  appName: string;
  serverId?: string | null;
}

type Routed = { port: number | undefined } & (
  | { applicationId: string }
  | { domainType: 'compose'; composeId: string; serviceName: string }
);

/** A generated host name; where there can be none the service is made all the same. */
async function giveAddress(
  context: Context,
  client: Client,
  { appName, serverId }: Named,
  { port, ...to }: Routed,
): Promise<void> {
  try {
    const host = await client.domain.generateDomain({
      appName,
      ...(serverId === undefined ? {} : { serverId }),
    });
    const domain = await client.domain.create({ host, ...to, ...(port === undefined ? {} : { port }) });
    const leads = 'serviceName' in to ? ` and leads to ${to.serviceName}` : '';
    context.say(`Its address is ${urlOf(domain)}${leads}.`);
  } catch (error) {
    if (!(error instanceof BerthError) || error.code === 'UNREACHABLE') throw error;
    context.say(`It does not get an address automatically: ${error.message}`);
  }
}
