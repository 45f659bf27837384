/**
 * Environments that come and go in any order, with services that were deployed in them, on a real engine:
 * many more than the network pool has room for. The container of the proxy ends now and then while networks
 * go, which makes the engine keep some of them. Nothing of them may stay, and the next environment works.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import { dockerOf, type Docker } from '../../bed/docker.ts';
import { proxyServiceName } from '../../../server/src/domain/names/names.ts';
import { createRandom } from '../../fuzz/random.ts';
import { isWhole, modeOf } from '../../run/mode.ts';
import { deploymentEnded, expectCalmLog, until } from '../fixtures/applications.ts';
import { berthHost, type BerthHost, type DeploymentView } from '../fixtures/berth-host.ts';

let berth: BerthHost;
let docker: Docker;
beforeAll(async () => {
  berth = await berthHost(await bedOfRun(), 'environments', 74);
  docker = dockerOf(berth.host);
});
afterAll(() => berth.host.kill());

/** 128 networks, of which one is the platform's: each is given several times. */
const networkPool = '10.192.0.0/17';
const count = isWhole() ? 300 : 12;
/** Environments that are made or removed at the same time. */
const atOnce = 12;
const mostStanding = 16;
/** One removal of so many is met by the end of the proxy's container. */
const proxyEnds = 12;

interface Made {
  environmentId: string;
  remove(): Promise<void>;
}

const random = createRandom(modeOf().seed);
const longestName = 20;

async function deployed(projectId: string, name: string): Promise<Made> {
  const { environmentId } = await berth.call<{ environmentId: string }>('environment.create', {
    projectId,
    name,
  });
  const kinds = [application, compose] as const;
  const kind = kinds[random.below(kinds.length)] ?? application;
  const { subject, procedure } = await kind(environmentId, name.slice(0, longestName));
  await deploy(name, procedure, subject);
  return {
    environmentId,
    async remove() {
      await berth.call(`${procedure}.delete`, { ...subject, deleteVolumes: true });
      await berth.call('environment.remove', { environmentId });
    },
  };
}

/** Deploys until it is done: a deployment that meets the end of the proxy fails, and says so. */
async function deploy(name: string, procedure: string, subject: Record<string, string>): Promise<void> {
  for (let left = 5; ; left -= 1) {
    await berth.call(`${procedure}.deploy`, subject);
    const [newest] = await berth.call<DeploymentView[]>('deployment.all', subject);
    const { deploymentId = '' } = newest ?? {};
    const { status, errorMessage } = await deploymentEnded(berth, name, deploymentId);
    if (status === 'done') return;
    const log = async (): Promise<string> => (await berth.log(deploymentId)).join('\n');
    if (left === 0 || !errorMessage?.startsWith('The proxy does not answer'))
      throw new Error(`${name} ended as ${status}: ${errorMessage ?? ''}\n${await log()}`);
  }
}

const idle = ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 1; done'];

async function application(environmentId: string, name: string) {
  const { applicationId } = await berth.call<{ applicationId: string }>('application.create', {
    name,
    appName: name,
    environmentId,
  });
  const subject = { applicationId };
  await berth.call('application.saveContainerProvider', { ...subject, containerImage: 'berth/redis:7' });
  await berth.call('application.update', { ...subject, stopGracePeriod: 2 });
  return { subject, procedure: 'application' };
}

async function compose(environmentId: string, name: string) {
  const { composeId } = await berth.call<{ composeId: string }>('compose.create', {
    name,
    appName: name,
    environmentId,
  });
  const subject = { composeId };
  await berth.call('compose.update', {
    ...subject,
    sourceType: 'raw',
    composeFile: JSON.stringify({
      services: { idle: { image: 'berth/redis:7', command: idle, stop_grace_period: '2s' } },
    }),
  });
  return { subject, procedure: 'compose' };
}

/** Ends the container of the proxy as a crash would; its service makes another. */
async function endProxy(): Promise<void> {
  const [id] = await docker.containersOf(proxyServiceName);
  if (id !== undefined) await berth.host.exec(['/usr/bin/docker', 'kill', id]);
}

async function networks(): Promise<string[]> {
  const { stdout } = await berth.host.exec(['/usr/bin/docker', 'network', 'ls', '--format', '{{.Name}}']);
  return stdout.split('\n').filter((name) => /^(berth|app)-/.test(name));
}

it(
  'environments come and go in any order, and leave room for the next',
  async () => {
    await berth.call('settings.update', { networkPool, sharedImages: ['berth/'] });
    const { project } = await berth.call<{ project: { projectId: string } }>('project.create', {
      name: 'Many',
    });
    const before = await networks();
    const standing: Made[] = [];
    let [begun, removed, mostNetworks] = [0, 0, 0];

    async function worker(): Promise<void> {
      while (begun < count) {
        begun += 1;
        standing.push(await deployed(project.projectId, `e${begun}`));
        while (standing.length > random.below(mostStanding)) {
          const [one] = standing.splice(random.below(standing.length), 1);
          removed += 1;
          const [outcome] = await Promise.all([one?.remove(), removed % proxyEnds === 0 ? endProxy() : null]);
          expect(outcome).toBeUndefined();
        }
        mostNetworks = Math.max(mostNetworks, (await networks()).length);
      }
    }

    const startedAt = Date.now();
    await Promise.all(Array.from({ length: atOnce }, worker));
    for (const one of standing.splice(0)) await one.remove();
    const atEnd = (await networks()).filter((name) => !before.includes(name));
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    console.log(
      `${begun} environments in ${seconds} s; at most ${mostNetworks} networks, ${atEnd.length} left`,
    );
    // The engine keeps some until the reconciler has ended them.
    await until(
      'no network of them is left',
      async () => (await networks()).every((name) => before.includes(name)),
      300_000,
    );
    const last = await deployed(project.projectId, 'last');
    await last.remove();
    await expectCalmLog(berth, []);
  },
  isWhole() ? 5_400_000 : 600_000,
);
