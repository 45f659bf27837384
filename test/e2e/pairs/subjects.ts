/**
 * A service of each kind that was deployed once. Its builds, the starts and the ends of what it runs wait at
 * gates, so that whatever is done to it can be held for as long as a test needs.
 */
import { writeFile } from 'node:fs/promises';
import type { ServiceOperation } from '../../../server/src/domain/states/operation-pairs.ts';
import type { DeployedKind } from '../../../server/src/domain/names/service-ref.ts';
import type { Answer, DeploymentView } from '../fixtures/berth-host.ts';
import { tellOfPullRequest, webhookSecret } from '../fixtures/pull-request.ts';
import { createRepository, type Files } from '../fixtures/repository.ts';
import { tinyFiles } from '../fixtures/sources.ts';
import { deploymentEnded, docker, output, until, type ApplicationFixture } from '../fixtures/applications.ts';
import type { Gate } from '../hostile/gate.ts';

export interface PairPlace {
  shop: ApplicationFixture;
  gate: Gate;
}

/** What of a subject can be held. */
export const holds = ['build', 'start', 'stop'] as const;
export type Hold = (typeof holds)[number];

export interface Subject {
  name: string;
  /** Label of everything of it on the engine. */
  label: string;
  ask(operation: ServiceOperation): Promise<Answer>;
  /** Begins another deployment of it and gives its id. */
  again(): Promise<string>;
  newest(): Promise<DeploymentView>;
  /** Whether its record says that something is under way. */
  isWorking(): Promise<boolean>;
  shut(hold: Hold): void;
  /** Whether something waits there. */
  isHeld(hold: Hold): boolean;
  open(): void;
  remove(): Promise<void>;
}

type Made = Pick<Subject, 'label' | 'ask' | 'again' | 'isWorking'> & {
  /** As `deployment.all` names it. */
  owner: Record<string, string>;
  remove: ServiceOperation;
  begin(): Promise<string>;
};

const patient = { interval: 1, timeout: 2, retries: 2, startPeriod: 120 };
const stopGracePeriod = 60;
const redis = 'newer/held-redis:7';
const newerRedis = 'newer/held-redis:8';

/** Deployed once, with every gate open. */
export async function createSubject(place: PairPlace, kind: DeployedKind, name: string): Promise<Subject> {
  const { berth } = place.shop;
  const { owner, remove, begin, ...made } = await makers[kind](place, name);
  const deploymentId = await begin();
  const gateOf = (hold: Hold): string => `${name}-${hold}`;
  const subject: Subject = {
    ...made,
    name,
    async newest() {
      const [newest] = await berth.call<DeploymentView[]>('deployment.all', owner);
      if (!newest) throw new Error(`${name} has no deployment.`);
      return newest;
    },
    shut: (hold) => place.gate.shut(gateOf(hold)),
    isHeld: (hold) => place.gate.waiting(gateOf(hold)) > 0,
    open() {
      for (const hold of holds) place.gate.open(gateOf(hold));
    },
    async remove() {
      subject.open();
      await subject.ask(remove);
    },
  };
  const { status, errorMessage } = await deploymentEnded(berth, name, deploymentId, 240_000);
  if (status !== 'done')
    throw new Error(`${name}: ${errorMessage}\n${(await berth.log(deploymentId)).join('\n')}`);
  return subject;
}

/** A program that waits at a gate before it listens, and at another before it ends. */
const heldFiles = ({ gate }: PairPlace, name: string): Files =>
  tinyFiles('first', {
    steps: [`wget -q -O /dev/null ${gate.url(`${name}-build`)}`],
    start: [
      "trap 'exit 0' TERM",
      // A task's first call can fail while its network comes up, and would be held nowhere.
      `(until wget -q -O /dev/null ${gate.url(`${name}-start`)}; do sleep 1; done) & wait $!`,
      `trap 'wget -q -O /dev/null ${gate.url(`${name}-stop`)}; exit 0' TERM`,
      'httpd -f -p 3000 -h /www & wait',
    ].join('\n'),
  });

const makers: Record<DeployedKind, (place: PairPlace, name: string) => Promise<Made>> = {
  application,
  database,
  compose,
  previewDeployment,
};

async function heldApplication(place: PairPlace, name: string) {
  return place.shop.fromFiles(name, heldFiles(place, name), {
    // With a cache the step that waits would not run again.
    settings: { healthCheck: { ...patient, port: 3000 }, stopGracePeriod, cleanCache: true },
  });
}

async function application(place: PairPlace, name: string): Promise<Made> {
  const { berth } = place.shop;
  const app = await heldApplication(place, name);
  const owner = { applicationId: app.id };
  let first = '';
  const made: Made = {
    label: `berth.application=${app.id}`,
    owner,
    remove: 'delete',
    begin: async () => (first = await app.begin()),
    again: () => app.begin(),
    isWorking: async () => (await app.view()).applicationStatus === 'running',
    ask: (operation) =>
      operation === 'rollback'
        ? berth.ask('deployment.rollback', { deploymentId: first })
        : berth.ask(`application.${operation}`, {
            ...owner,
            ...(operation === 'run' ? { command: ['true'] } : {}),
            ...(operation === 'reload' ? { appName: app.appName } : {}),
          }),
  };
  return made;
}

async function database({ shop, gate }: PairPlace, name: string): Promise<Made> {
  const { berth, environmentId } = shop;
  const { redisId } = await berth.call<{ redisId: string }>('redis.create', {
    name,
    appName: name,
    databasePassword: 'Secret-1',
    environmentId,
    containerImage: redis,
  });
  const subject = { redisId };
  const owner = { databaseId: redisId };
  await berth.call('redis.saveEnvironment', {
    ...subject,
    env: `START=${gate.url(`${name}-start`)}\nSTOP=${gate.url(`${name}-stop`)}`,
  });
  const begin = async (): Promise<string> => {
    await berth.call('redis.deploy', subject);
    return (await berth.call<DeploymentView>('deployment.latest', owner)).deploymentId;
  };
  return {
    label: `berth.database=${redisId}`,
    owner,
    remove: 'remove',
    begin,
    again: begin,
    isWorking: async () =>
      (await berth.call<{ applicationStatus: string }>('redis.one', subject)).applicationStatus === 'running',
    ask: (operation) =>
      berth.ask(`redis.${operation}`, {
        ...subject,
        ...(operation === 'upgrade' ? { containerImage: newerRedis } : {}),
        ...(operation === 'reload' ? { appName: name } : {}),
      }),
  };
}

async function compose(place: PairPlace, name: string): Promise<Made> {
  const { berth, environmentId } = place.shop;
  const check = ['CMD', '/bin/wget', '-q', '-O', '/dev/null', 'http://127.0.0.1:3000/'];
  const services = {
    web: {
      build: '.',
      stop_grace_period: `${stopGracePeriod}s`,
      healthcheck: { test: check, interval: '1s', timeout: '2s', retries: 2, start_period: '120s' },
    },
  };
  const repository = await createRepository(berth.host, name, {
    ...heldFiles(place, name),
    'compose.yaml': JSON.stringify({ services }),
  });
  const { composeId } = await berth.call<{ composeId: string }>('compose.create', {
    name,
    appName: name,
    environmentId,
  });
  const owner = { composeId };
  await berth.call('compose.update', {
    ...owner,
    sourceType: 'git',
    customGitUrl: repository.url,
    customGitBranch: 'main',
    composePath: 'compose.yaml',
  });
  const begin = async (): Promise<string> => {
    await berth.call('compose.deploy', owner);
    return (await berth.call<DeploymentView>('deployment.latest', owner)).deploymentId;
  };
  let commits = 0;
  return {
    label: `berth.compose=${composeId}`,
    owner,
    remove: 'delete',
    begin,
    async again() {
      // What did not change would come from the cache, and no service would be rolled.
      await repository.commit({ 'www/index.html': `version ${(commits += 1)}` });
      return begin();
    },
    isWorking: async () =>
      (await berth.call<{ composeStatus: string }>('compose.one', owner)).composeStatus === 'running',
    ask: (operation) => berth.ask(`compose.${operation}`, owner),
  };
}

async function previewDeployment(place: PairPlace, name: string): Promise<Made> {
  const { berth } = place.shop;
  const app = await heldApplication(place, name);
  await app.do('application.update', {
    webhookSecret,
    isPreviewDeploymentsActive: true,
    // There is no git host that knows who may write.
    previewRequireCollaboratorPermissions: false,
    previewWildcard: `*.${name}.localhost`,
  });
  const { refreshToken } = await app.do<{ refreshToken: string }>('application.one');
  const branch = 'feature';
  const commit = await app.repository.commit({ 'www/index.html': 'changed' }, branch);
  await tellOfPullRequest(berth, refreshToken, {
    action: 'opened',
    commit,
    branch,
    repository: `git/${name}`,
  });
  const previewDeploymentId = await until('the preview is there', async () => {
    const [made] = await berth.call<{ previewDeploymentId: string }[]>('previewDeployment.all', {
      applicationId: app.id,
    });
    return made?.previewDeploymentId;
  });
  if (previewDeploymentId === undefined) throw new Error('There is no preview.');
  const owner = { previewDeploymentId };
  const latest = (): Promise<DeploymentView | null> =>
    berth.call<DeploymentView | null>('deployment.latest', owner);
  return {
    label: `berth.preview=${previewDeploymentId}`,
    owner,
    remove: 'delete',
    begin: async () => (await until('its first deployment is queued', latest))?.deploymentId ?? '',
    async again() {
      await berth.call('previewDeployment.redeploy', owner);
      return (await latest())?.deploymentId ?? '';
    },
    isWorking: async () =>
      (await berth.call<{ status: string }>('previewDeployment.one', owner)).status === 'building',
    ask: (operation) => berth.ask(`previewDeployment.${operation}`, owner),
  };
}

/** Redis whose server waits at the gates that its variables name, and one that calls itself newer. */
export async function makeHeldRedis({ shop: { berth } }: Pick<PairPlace, 'shop'>): Promise<void> {
  const { host } = berth;
  const wrapper = [
    '#!/bin/sh',
    "trap 'exit 0' TERM",
    '(until /.berth/busybox wget -q -O /dev/null "$START"; do sleep 1; done) & wait $!',
    'trap \'/.berth/busybox wget -q -O /dev/null "$STOP"; kill $server; wait $server; exit 0\' TERM',
    '/usr/bin/redis-server "$@" & server=$!',
    'wait $server',
  ];
  const path = '/srv/held-redis';
  await writeFile(host.path(path), `${wrapper.join('\n')}\n`, { mode: 0o755 });
  for (const [image, version] of [
    [redis, '7.0'],
    [newerRedis, '8.0'],
  ] as const) {
    const id = await output(host, docker, 'create', 'berth/redis:7');
    await output(host, docker, 'cp', path, `${id}:/usr/local/bin/redis-server`);
    await output(host, docker, 'commit', '--change', `ENV REDIS_VERSION=${version}`, id, image);
    await output(host, docker, 'rm', id);
  }
}
