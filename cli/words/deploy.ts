/** `berth deploy`: from whatever folder to an address, in one command. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { BerthError } from '../../client/berth-error.ts';
import type { Client } from '../../client/client.ts';
import type { SourceApplication } from '../../server/src/domain/builds/source-applications.ts';
import {
  folderKinds,
  hasParts,
  unknownFolder,
  whatItIs,
  type FolderFacts,
  type FolderKind,
} from '../folder/what-it-is.ts';
import { packFolder } from '../folder/pack.ts';
import { saveLink } from '../folder-links.ts';
import { duration, size } from '../look.ts';
import { UsageError } from '../usage-error.ts';
import type { Context } from './parts/context.ts';
import { databaseCalls } from './parts/database-calls.ts';
import { applicationOfFolder, giveApplication } from './parts/application-of-folder.ts';
import { createService, portOf, targetOf } from './parts/deploy-target.ts';
import { applyFirst, fileCalls } from './file-words.ts';
import { followDeployment } from './parts/follow-deployment.ts';
import { isDatabase, nameOf, type Service } from './parts/services.ts';
import { ownerOf } from './status.ts';
import type { Word } from './parts/word.ts';

/** An upload may take so long on a slow line. */
const uploadLimitMs = 3_600_000;

export const deploy: Word = {
  name: 'deploy',
  usage: '[service]',
  summary: 'deploys this folder, an image, or the newest source of a service',
  description:
    'Deploys the folder: finds out what it is (a Dockerfile, a compose file, package.json and the like, ' +
    'index.html), asks for name and project the first time, creates what is missing, uploads the folder ' +
    'without what .gitignore and .dockerignore exclude, follows the log, and prints the address. ' +
    'The folder is then linked to the service, so that the next `berth deploy` asks nothing. Without a ' +
    'terminal nothing is asked: the name is that of the folder. A service that is built from git is ' +
    'deployed from there; the folder is not sent. A berth.yml in the folder is applied first, as `berth ' +
    'apply` does, then the service of it that is named, linked or the only one is deployed. In a ' +
    'monorepo it asks which application is meant, or takes that of --app or of the folder it runs in; ' +
    'all of the monorepo is sent.',
  options: {
    project: { short: 'p', value: 'PROJECT', description: 'project of a new service' },
    image: { short: 'i', value: 'REFERENCE', description: 'runs this image instead of building a folder' },
    port: {
      value: 'PORT',
      description: 'port that a new service listens on; default: what the folder or the image says, or 3000',
    },
    server: { value: 'SERVER', description: 'name or id of the server that a new service runs on' },
    'compose-service': {
      value: 'NAME',
      description: 'of a new compose service: which service of its file gets the address',
    },
    commit: {
      value: 'SHA',
      description:
        'names the deployment; for a service built from git, deploying another commit is a failure',
    },
    folder: { value: 'PATH', description: 'deploys this folder instead of the current one' },
    app: {
      value: 'PATH',
      description: 'of a monorepo: folder or name of the application; a new service is called like it',
    },
    as: {
      value: folderKinds.join('|'),
      description: 'how to build the folder, if there is more than one way',
    },
    upload: { description: 'uploads the folder even if the service is built from git or an image' },
    yes: { description: 'applies the changes of berth.yml without asking' },
    wait: { description: 'waits until the deployment has ended; this is the default' },
    'no-wait': { description: 'ends as soon as the deployment is queued' },
  },
  most: 1,
  calls: [
    ...fileCalls,
    'project.all',
    'project.create',
    'server.all',
    'application.create',
    'application.one',
    'application.update',
    'application.saveBuildType',
    'application.saveContainerProvider',
    'application.uploadedChunks',
    'application.dropDeployment',
    'application.deploy',
    'compose.create',
    'compose.one',
    'compose.update',
    'compose.deploy',
    'domain.generateDomain',
    'domain.create',
    'deployment.latest',
    'deployment.logs',
    'deployment.one',
  ],
  async run(context) {
    const given = resolve(context.terminal.folder, context.text('folder') ?? '.');
    if (context.is('wait') && context.is('no-wait'))
      throw new UsageError('--wait and --no-wait exclude each other; give one.');
    const port = portOf(context);
    const { client } = await context.berth();
    const ofFile = context.text('image') === undefined ? await applyFirst(context, given) : undefined;
    if (typeof ofFile === 'number') return ofFile;
    const { folder, facts, app } = await sourceOf(context, given, ofFile !== undefined);
    const place = app ? join(folder, app.folder) : given;
    const target = await targetOf(
      { ...inFolder(context, app && place), ...(ofFile ? { args: [ofFile.name] } : {}) },
      { folder: place, facts },
    );
    if ('service' in target && context.text('compose-service') !== undefined)
      throw new UsageError(
        `--compose-service is for a new service, and ${nameOf(target.service)} already exists. ` +
          '`berth domains add HOST --compose-service NAME` gives it another address.',
      );
    if ('service' in target && port !== undefined)
      throw new UsageError(
        `--port is for a new service, and ${nameOf(target.service)} already exists. The port is a setting ` +
          'of its addresses: berth api domain.update --domainId ID --host HOST --port PORT.',
      );
    if ('service' in target && context.text('server') !== undefined)
      throw new UsageError(
        `--server is for a new service, and ${nameOf(target.service)} already exists. It goes to another ` +
          `server by: berth move ${nameOf(target.service)} --to ${context.text('server') ?? 'SERVER'}.`,
      );
    const service =
      'service' in target ? target.service : await createService(context, target.toCreate, facts, folder);
    if (app) await giveApplication(client, service, app);
    await link(context, place, service);
    await begin(context, client, service, { folder, facts, said: ofFile?.fields });
    const latest = await client.deployment.latest(ownerOf(service));
    return followDeployment(context, service, latest?.deploymentId, context.text('commit'));
  },
};

interface Sent {
  /** What is sent. */
  folder: string;
  facts: FolderFacts | undefined;
  /** Of a monorepo. */
  app: SourceApplication | undefined;
}

/** A berth.yml says itself which folder of a monorepo is built. */
async function sourceOf(context: Context, given: string, isOfFile: boolean): Promise<Sent> {
  if (context.text('image') !== undefined) return { folder: given, facts: undefined, app: undefined };
  const facts = await whatItIs(given, kindOf(context));
  const asked = context.text('app');
  const mayBeOne = facts ? facts.kind === 'auto' : await hasParts(given);
  if (isOfFile || context.text('as') !== undefined || (!mayBeOne && asked === undefined))
    return { folder: given, facts, app: undefined };
  const { root, app } = await applicationOfFolder(context, given);
  if (!app) return { folder: given, facts, app };
  return { folder: root, facts: { kind: 'auto', because: `${app.folder} (${app.what})` }, app };
}

/** Links and names are those of the application's folder. */
const inFolder = (context: Context, folder: string | undefined): Context =>
  folder === undefined ? context : { ...context, terminal: { ...context.terminal, folder } };

function kindOf(context: Context): FolderKind | undefined {
  const text = context.text('as');
  const kind = folderKinds.find((one) => one === text);
  if (text !== undefined && kind === undefined)
    throw new UsageError(`--as is "${text}"; it takes ${folderKinds.join(', ')}.`);
  return kind;
}

/** A name on the command line says which service; only without one the folder is asked the next time. */
async function link(context: Context, folder: string, service: Service): Promise<void> {
  if (context.args.length > 0) return;
  const { connection } = await context.berth();
  await saveLink(
    { environment: context.terminal.environment, folder },
    { url: connection.url, serviceId: service.id, name: nameOf(service) },
  );
}

interface Source {
  folder: string;
  facts: FolderFacts | undefined;
  /** What the folder's berth.yml says of the service. */
  said: Readonly<Record<string, unknown>> | undefined;
}

async function begin(context: Context, client: Client, service: Service, source: Source): Promise<void> {
  if (isDatabase(service)) await databaseCalls(client, service).deploy();
  else if (service.kind === 'compose') await beginCompose(context, client, service, source);
  else await beginApplication(context, client, service, source);
}

async function beginApplication(
  context: Context,
  client: Client,
  service: Service,
  { folder, facts, said }: Source,
): Promise<void> {
  const applicationId = service.id;
  const image = context.text('image');
  const { sourceType, repository, deployments } = await client.application.one({ applicationId });
  const isNew = sourceType === 'github' && !repository && deployments.length === 0;
  if (image !== undefined)
    await client.application.saveContainerProvider({ applicationId, containerImage: image });
  else if (sourceType === 'drop' || isNew || context.is('upload')) {
    if (isNew && said && said['buildType'] === undefined && facts && facts.kind !== 'compose')
      await client.application.saveBuildType({ applicationId, buildType: facts.kind });
    return sendFolder(context, client, service, { folder, facts });
  } else {
    const how = sourceType === 'container' ? 'runs an image' : 'is built from git';
    context.say(`${nameOf(service)} ${how}; the folder is not sent. --upload sends it.`);
  }
  await client.application.deploy({ applicationId, ...titleOf(context) });
}

function titleOf(context: Context): { title?: string } {
  const commit = context.text('commit');
  return commit === undefined ? {} : { title: `Commit ${commit.slice(0, 40)}` };
}

async function sendFolder(
  context: Context,
  client: Client,
  service: Service,
  { folder, facts }: Omit<Source, 'said'>,
): Promise<void> {
  if (!facts) throw unknownFolder(folder);
  try {
    await sendPacked(context, client, { applicationId: service.id, folder });
  } catch (error) {
    // Another upload came between the question what Berth has and this one.
    if (!(error instanceof BerthError) || error.code !== 'CONFLICT') throw error;
    await sendPacked(context, client, { applicationId: service.id, folder });
  }
}

async function sendPacked(
  context: Context,
  client: Client,
  { applicationId, folder }: { applicationId: string; folder: string },
): Promise<void> {
  const began = context.terminal.now();
  const { upload, names } = await client.application.uploadedChunks({ applicationId });
  const base = upload === null ? undefined : { upload, names: Buffer.from(names, 'base64') };
  await using packed = await packFolder(folder, context.terminal.signal, base);
  if (packed.files === 0)
    throw new UsageError(`${folder} contains nothing to send: everything in it is excluded.`);
  const packedAt = context.terminal.now();
  const count = `${packed.files} ${packed.files === 1 ? 'file' : 'files'}`;
  context.say(
    `Packed ${count}, ${size(packed.bytes)}, in ${duration(packedAt - began)}; ` +
      `${size(packed.packedBytes)} to send${base ? ', the rest is already there' : ''}.`,
  );
  const commit = context.text('commit');
  const file = commit === undefined ? packed.file : new File([packed.file], `${commit}.berth`);
  await client.application.dropDeployment({ applicationId }, file, {
    limitMs: uploadLimitMs,
    signal: context.terminal.signal,
  });
  context.say(`Sent in ${duration(context.terminal.now() - packedAt)}.`);
}

async function beginCompose(
  context: Context,
  client: Client,
  service: Service,
  { folder, facts, said }: Source,
): Promise<void> {
  const composeId = service.id;
  const { sourceType } = await client.compose.one({ composeId });
  if (sourceType === 'raw' && said?.['composeFile'] !== undefined)
    context.say(`${nameOf(service)} is deployed as berth.yml describes it.`);
  else if (sourceType === 'raw') {
    if (facts?.composeFile === undefined) throw unknownFolder(folder, 'no compose file');
    const composeFile = await readFile(join(folder, facts.composeFile), 'utf8');
    await client.compose.update({ composeId, composeFile });
  } else context.say(`${nameOf(service)} is deployed from its ${sourceType} source; the file is not sent.`);
  await client.compose.deploy({ composeId, ...titleOf(context) });
}
