/** Every kind of deployment: what is there before it, and how it is asked for. */
import type { Accepting } from '../../server/src/modules/deployment/deployment.ts';
import type { PreviewFacts } from '../../server/src/modules/preview-deployment/preview-deployment.ts';
import {
  applicationRef,
  composeRef,
  databaseRef,
  previewRef,
  type ServiceRef,
} from '../../server/src/domain/names/service-ref.ts';
import { oldRedis, otherWebImage, webImage } from './images.ts';
import type { State } from '../engine-in-memory/state.ts';
import type { World } from './world.ts';

export interface Place {
  organizationId: string;
  environmentId: string;
}

/** A world that lives, to make things in; `deploy` waits until the deployment is done. */
export interface Stage {
  world: World;
  place: Place;
  deploy(service: ServiceRef, accepting?: Partial<Accepting>): Promise<string>;
  /** Where new services stand; null: on Berth's own machine. */
  serverId: string | null;
  /** Engine of the second machine, where there is one. */
  far: State | undefined;
  /** Puts the image of a major version of Redis on the engine. */
  addRedis(major: number): void;
}

/** The deployment that is killed. */
export interface Asked {
  service: ServiceRef;
  accepting?: Partial<Accepting> | undefined;
  /** The engine's services of it when it is done. */
  services: readonly string[];
  /** The engine that they are on before, and no more when it is done. */
  leaves?: State | undefined;
}

export interface Kind {
  name: string;
  /** Somebody is served all the time: a version before it runs, and the new one starts first. */
  isServed: boolean;
  /** There is a second machine, the server of the id `far`. */
  hasServer?: boolean;
  /** What is deployed stands on that one. */
  standsThere?: boolean;
  /**
   * Makes what every deployment of the kind needs; gives what makes the next one possible, and asks for it.
   */
  begin(stage: Stage): Promise<(stage: Stage) => Promise<Asked>>;
}

let count = 0;
/** A name that nothing else has. */
const another = (what: string): string => `${what}-${(count += 1)}`;

async function application(
  { world, place, serverId }: Stage,
  source: Parameters<World['applications']['update']>[2],
): Promise<{ service: ServiceRef; services: [string] }> {
  const { organizationId, environmentId } = place;
  const name = another('shop');
  const { applicationId, appName } = await world.applications.create({
    organizationId,
    environmentId,
    name,
    appName: name,
    serverId,
  });
  await world.applications.update(applicationId, organizationId, source);
  const host = `${name}.example.com`;
  await world.domains.create(organizationId, { applicationId }, { host, port: 3000 });
  return { service: applicationRef(applicationId), services: [appName] };
}

const fromGit = {
  sourceType: 'git',
  customGitUrl: 'https://git.test/shop.git',
  customGitBranch: 'main',
  buildType: 'dockerfile',
} as const;
const fromImage = { sourceType: 'container', containerImage: webImage } as const;

async function database({
  world,
  place,
  serverId,
}: Stage): Promise<{ service: ServiceRef; services: [string] }> {
  const name = another('cache');
  const { databaseId, appName } = await world.databases.create(place.organizationId, 'redis', {
    name,
    appName: name,
    databasePassword: 'secret',
    environmentId: place.environmentId,
    containerImage: oldRedis,
    serverId,
  });
  return { service: databaseRef(databaseId), services: [appName] };
}

const composeFileWithoutData = `services:
  web:
    image: ${webImage}
    command: [serve]
`;
const composeFile = (image: string): string => `services:
  web:
    image: ${image}
    command: [serve]
    depends_on:
      store: { condition: service_started }
  store:
    image: ${oldRedis}
    entrypoint: [sh, -c, 'exec $$(command -v docker-entrypoint.sh)']
    volumes: [data:/data]
volumes:
  data:
`;

async function compose({ world, place, serverId, deploy }: Stage): Promise<(stage: Stage) => Promise<Asked>> {
  const actor = { organizationId: place.organizationId, role: 'owner' } as const;
  const { composeId, appName: name } = await world.composes.create(actor, {
    environmentId: place.environmentId,
    name: 'Stack',
    appName: 'stack',
    composeType: 'compose',
    sourceType: 'raw',
    composeFile: composeFile(webImage),
    serverId,
  });
  const service = composeRef(composeId);
  await world.domains.create(
    place.organizationId,
    { composeId },
    { host: 'stack.example.com', port: 3000, domainType: 'compose', serviceName: 'web' },
  );
  await deploy(service);
  let image = webImage;
  return async (stage) => {
    image = image === webImage ? otherWebImage : webImage;
    await stage.world.composes.update(composeId, actor, { composeFile: composeFile(image) });
    return { service, services: [`${name}_web`, `${name}_store`] };
  };
}

const pullRequest: PreviewFacts = {
  number: 7,
  name: null,
  image: null,
  expiresAt: null,
  headBranch: 'feature',
  commit: 'a'.repeat(40),
  repository: 'shop/shop',
  provider: 'github',
  isTrusted: true,
  isFork: false,
};

async function preview(stage: Stage): Promise<Asked> {
  const { world } = stage;
  const { serviceId } = (await application(stage, fromGit)).service;
  const record = await world.applications.find(serviceId);
  if (record === undefined) throw new Error('The application is gone.');
  const { previewDeploymentId, appName: name } = await world.previews.create(
    record,
    pullRequest,
    await world.previews.hostOf(record, pullRequest),
  );
  return { service: previewRef(previewDeploymentId), services: [name] };
}

/** Each deployment is another service's first. */
const first = (make: (stage: Stage) => Promise<Asked>) => async () => make;

/** Each deployment is the next of one application. */
const again =
  (
    source: typeof fromGit | typeof fromImage,
    next: (stage: Stage, service: ServiceRef) => Promise<Asked['accepting']>,
  ) =>
  async (stage: Stage): Promise<(stage: Stage) => Promise<Asked>> => {
    const asked = await application(stage, source);
    await stage.deploy(asked.service);
    return async (now) => ({ ...asked, accepting: await next(now, asked.service) });
  };

async function otherImage({ world, place }: Stage, { serviceId }: ServiceRef): Promise<undefined> {
  const present = (await world.applications.find(serviceId))?.containerImage;
  const containerImage = present === webImage ? otherWebImage : webImage;
  await world.applications.update(serviceId, place.organizationId, { containerImage });
}

/** Back to the version before the one that runs. */
async function back({ world }: Stage, service: ServiceRef): Promise<Asked['accepting']> {
  const [, before] = (await world.deployments.all(service)).filter(({ status }) => status === 'done');
  return { kind: 'rollback', sourceDeploymentId: before?.deploymentId ?? '' };
}

async function withTwoVersions(stage: Stage): Promise<(stage: Stage) => Promise<Asked>> {
  const asked = await application(stage, fromGit);
  await stage.deploy(asked.service);
  await stage.deploy(asked.service);
  return async (now) => ({ ...asked, accepting: await back(now, asked.service) });
}

/** Each deployment is the next major version of one database. */
async function upgrade(stage: Stage): Promise<(stage: Stage) => Promise<Asked>> {
  const asked = await database(stage);
  await stage.deploy(asked.service);
  let major = 7;
  return async (now) => {
    major += 1;
    now.addRedis(major);
    return { ...asked, accepting: { kind: 'upgrade', image: `redis:${major}` } };
  };
}

/** Each is another application's way from the second machine to Berth's own. */
async function move(stage: Stage): Promise<Asked> {
  const { world, far, deploy } = stage;
  const asked = await application(stage, fromGit);
  await world.stores.applications.update({ applicationId: asked.service.serviceId }, { serverId: 'far' });
  await deploy(asked.service);
  return { ...asked, leaves: far, accepting: { kind: 'move', move: { from: 'far', to: 'local' } } };
}

/** The same of compose services without data. */
async function moveCompose({ world, place, far, deploy }: Stage): Promise<Asked> {
  const name = another('stack');
  const actor = { organizationId: place.organizationId, role: 'owner' } as const;
  const { composeId } = await world.composes.create(actor, {
    environmentId: place.environmentId,
    name,
    appName: name,
    composeType: 'compose',
    sourceType: 'raw',
    composeFile: composeFileWithoutData,
    serverId: 'far',
  });
  await world.domains.create(
    place.organizationId,
    { composeId },
    { host: `${name}.example.com`, port: 3000, domainType: 'compose', serviceName: 'web' },
  );
  const service = composeRef(composeId);
  await deploy(service);
  const accepting = { kind: 'move', move: { from: 'far', to: 'local' } } as const;
  return { service, services: [`${name}_web`], leaves: far, accepting };
}

/** The same of databases. */
async function moveDatabase(stage: Stage): Promise<Asked> {
  const { world, far, deploy } = stage;
  const asked = await database(stage);
  await world.databases.patch(asked.service.serviceId, { serverId: 'far' });
  await deploy(asked.service);
  return { ...asked, leaves: far, accepting: { kind: 'move', move: { from: 'far', to: 'local' } } };
}

export const kindsOfApplications: readonly Kind[] = [
  { name: 'source, first', isServed: false, begin: first((stage) => application(stage, fromGit)) },
  { name: 'source, again', isServed: true, begin: again(fromGit, async () => undefined) },
  { name: 'image, again', isServed: true, begin: again(fromImage, otherImage) },
  { name: 'rollback', isServed: true, begin: withTwoVersions },
  { name: 'redeploy', isServed: true, begin: again(fromGit, async () => ({ kind: 'redeploy' })) },
];

export const otherKinds: readonly Kind[] = [
  { name: 'database, first', isServed: false, begin: first(database) },
  { name: 'database, upgrade', isServed: false, begin: upgrade },
  { name: 'compose, again', isServed: true, begin: compose },
  { name: 'preview, first', isServed: false, begin: first(preview) },
];

/** From the second machine to Berth's own. */
const moves: readonly Kind[] = [
  { name: 'application, move', isServed: false, hasServer: true, begin: first(move) },
  { name: 'compose, move', isServed: false, hasServer: true, begin: first(moveCompose) },
  { name: 'database, move', isServed: false, hasServer: true, begin: first(moveDatabase) },
];

/** What has to do with servers: the same deployments on one, whose disk and engine are its own, and moves. */
export const kindsOfServers: readonly Kind[] = [
  ...[...kindsOfApplications, ...otherKinds].map((kind) => ({
    ...kind,
    name: `${kind.name}, there`,
    hasServer: true,
    standsThere: true,
  })),
  ...moves,
];

export const kinds: readonly Kind[] = [...kindsOfApplications, ...otherKinds, ...moves];
