/**
 * An application, a database and a compose service on one server, with the domains app.localhost and
 * stack.localhost.
 */
import type { BerthHost, DeploymentView } from '../fixtures/berth-host.ts';
import { deploymentEnded, quickCheck } from '../fixtures/applications.ts';

/** On which every database here is open. */
export const databasePort = 17_001;

export interface Services {
  applicationId: string;
  redisId: string;
  composeId: string;
  /** All three, to the end `done`. */
  deploy(): Promise<void>;
  deployApplication(): Promise<void>;
  /** Deploys all three, whatever comes of it. */
  attempt(): Promise<DeploymentView[]>;
  /** Of application, database and compose service, as their records have it. */
  states(): Promise<string[]>;
}

export interface Place {
  environmentId: string;
  /** Before the names of all of them, and what they answer. */
  name: string;
  serverId: string | null;
  /** Address of the application's source. */
  repository: string;
}

type Kind = 'application' | 'redis' | 'compose';
type Ids = Pick<Services, 'applicationId' | 'redisId' | 'composeId'>;

export async function makeServices(berth: BerthHost, place: Place): Promise<Services> {
  const [application, database, compose] = await Promise.all([
    makeApplication(berth, place),
    makeDatabase(berth, place),
    makeCompose(berth, place),
  ]);
  const ids = { ...application, ...database, ...compose };
  const attempt = (kind: Kind): Promise<DeploymentView> => deploy(berth, kind, ids);
  const done = async (kind: Kind): Promise<void> => {
    const { status, errorMessage, deploymentId } = await attempt(kind);
    if (status === 'done') return;
    const lines = await berth.log(deploymentId);
    throw new Error(`The ${kind} of ${place.name}: ${errorMessage ?? status}\n${lines.join('\n')}`);
  };
  return {
    ...ids,
    async deploy() {
      await Promise.all([done('application'), done('redis'), done('compose')]);
    },
    deployApplication: () => done('application'),
    attempt: () => Promise.all([attempt('application'), attempt('redis'), attempt('compose')]),
    async states() {
      const { applicationId, redisId, composeId } = ids;
      const [one, two, three] = await Promise.all([
        berth.call<{ applicationStatus: string }>('application.one', { applicationId }),
        berth.call<{ applicationStatus: string }>('redis.one', { redisId }),
        berth.call<{ composeStatus: string }>('compose.one', { composeId }),
      ]);
      return [one.applicationStatus, two.applicationStatus, three.composeStatus];
    },
  };
}

async function makeApplication(
  berth: BerthHost,
  { environmentId, name, serverId, repository }: Place,
): Promise<Pick<Ids, 'applicationId'>> {
  const { applicationId } = await berth.call<{ applicationId: string }>('application.create', {
    name: `${name}-app`,
    appName: `${name}-app`,
    environmentId,
    serverId,
  });
  await berth.call('application.update', { applicationId, healthCheck: quickCheck });
  await berth.call('application.saveGitProvider', {
    applicationId,
    customGitUrl: repository,
    customGitBranch: 'main',
  });
  await berth.call('application.saveBuildType', { applicationId, buildType: 'dockerfile' });
  await berth.call('domain.create', { applicationId, host: 'app.localhost', port: 3000 });
  return { applicationId };
}

async function makeDatabase(
  berth: BerthHost,
  { environmentId, name, serverId }: Place,
): Promise<Pick<Ids, 'redisId'>> {
  const { redisId } = await berth.call<{ redisId: string }>('redis.create', {
    name: `${name}-store`,
    appName: `${name}-store`,
    databasePassword: 'secret',
    containerImage: 'berth/redis:7',
    environmentId,
    serverId,
  });
  await berth.call('redis.saveExternalPort', { redisId, externalPort: databasePort });
  return { redisId };
}

async function makeCompose(
  berth: BerthHost,
  { environmentId, name, serverId }: Place,
): Promise<Pick<Ids, 'composeId'>> {
  const { composeId } = await berth.call<{ composeId: string }>('compose.create', {
    name: `${name}-stack`,
    appName: `${name}-stack`,
    environmentId,
    serverId,
  });
  const program = `require('node:http').createServer((_, answer) => answer.end('${name}')).listen(3000)`;
  const web = { image: 'berth/node:24', command: ['node', '-e', program] };
  await berth.call('compose.update', {
    composeId,
    sourceType: 'raw',
    composeFile: JSON.stringify({ services: { web } }),
  });
  await berth.call('domain.create', {
    domainType: 'compose',
    composeId,
    serviceName: 'web',
    host: 'stack.localhost',
    port: 3000,
  });
  return { composeId };
}

async function deploy(berth: BerthHost, kind: Kind, ids: Ids): Promise<DeploymentView> {
  const id = kind === 'application' ? 'applicationId' : kind === 'redis' ? 'redisId' : 'composeId';
  await berth.call(`${kind}.deploy`, { [id]: ids[id] });
  const all = await berth.call<DeploymentView[]>('deployment.all', {
    [kind === 'redis' ? 'databaseId' : id]: ids[id],
  });
  return deploymentEnded(berth, `the ${kind}`, all[0]?.deploymentId ?? '');
}
