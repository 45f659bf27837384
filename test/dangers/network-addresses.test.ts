/** Addresses of networks: given once each, and never for good to what is gone. On the engine in memory. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createStage, type Said, type Stage } from './stage.ts';
import { leaveNetwork } from '../engine-in-memory/networks.ts';
import { createRandom } from '../fuzz/random.ts';
import { textOf } from '../http/interface-client.ts';
import { isWhole, modeOf } from '../run/mode.ts';
import { installVirtualTime } from '../virtual-time/virtual-time.ts';
import { oldRedis } from '../kill-matrix/images.ts';

let uninstall: () => void;
let folder: string;
let stage: Stage;
beforeAll(async () => {
  uninstall = installVirtualTime();
  folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'berth-networks-'));
  stage = await createStage(folder);
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
  uninstall();
});

async function call(path: string, input: object): Promise<Said> {
  const said = await stage.installation.owner(path, input);
  if (said.status !== 200) throw new Error(`${path} answered ${said.status}: ${JSON.stringify(said.body)}`);
  return said;
}

interface Made {
  environmentId: string;
  redisId: string;
}

async function deployed(projectId: string, name: string): Promise<Made> {
  const { body } = await call('environment.create', { projectId, name });
  const environmentId = textOf(body, 'environmentId');
  const made = await call('redis.create', {
    name,
    appName: `r-${environmentId.toLowerCase()}`,
    environmentId,
    databasePassword: 'long-enough-1',
    containerImage: oldRedis,
  });
  const redisId = textOf(made.body, 'redisId');
  const { deploymentId } = await call('redis.deploy', { redisId });
  expect(await stage.ended(deploymentId)).toBe('done');
  return { environmentId, redisId };
}

async function removed({ environmentId, redisId }: Made): Promise<void> {
  await call('redis.remove', { redisId, deleteVolumes: true });
  await call('environment.remove', { environmentId });
}

const networkOf = ({ environmentId }: Made): string => `berth-${environmentId}`;
const subnets = (): string[] =>
  [...stage.machine.memory.state.networks.values()].map(({ subnet }) => subnet).filter((one) => one !== '');

/** A pool of so few that each is given again and again: 32, of which one is the platform's. */
const networkPool = '10.192.0.0/19';
const environments = isWhole() ? 300 : 60;

test('environments come and go in any order, many more than the pool has room for', async () => {
  await call('settings.update', { networkPool });
  const { body } = await call('project.create', { name: 'Many' });
  const projectId = textOf(Reflect.get(Object(body), 'project'), 'projectId');
  const random = createRandom(modeOf().seed);
  const standing: Made[] = [];
  for (let made = 0; made < environments; made += 1) {
    standing.push(await deployed(projectId, `e${made}`));
    expect(new Set(subnets()).size).toBe(subnets().length);
    while (standing.length > random.below(8)) {
      const [one] = standing.splice(random.below(standing.length), 1);
      if (one === undefined) break;
      await removed(one);
      // Some are forgotten by the manager and kept by the node, until the reconciler ends them.
      if (random.below(4) === 0) leaveNetwork(stage.machine.memory.state, networkOf(one));
      if (random.below(3) === 0) await stage.run(() => stage.world.reconciler.run());
    }
  }
  for (const one of standing) await removed(one);
  await stage.run(() => stage.world.reconciler.run());
  await deployed(projectId, 'last');
  expect(subnets().length).toBeLessThan(6);
});
