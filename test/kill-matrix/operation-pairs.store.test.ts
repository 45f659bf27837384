/**
 * Every operation that comes while another one of the same service is in progress, through the interface and
 * on an engine in memory: the outcome of `domain/states/operation-pairs.ts`, and what runs at the end. On a
 * real engine it is `test/e2e/pairs/`.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OperationPhase, ServiceOperation } from '../../server/src/domain/states/operation-pairs.ts';
import { previewRef, type DeployedKind, type ServiceRef } from '../../server/src/domain/names/service-ref.ts';
import { createStage, type Said, type Stage } from '../dangers/stage.ts';
import { unixPrograms } from '../engine-in-memory/programs/programs.ts';
import { never, type ImageContent } from '../engine-in-memory/programs/program.ts';
import { textOf } from '../http/interface-client.ts';
import { installVirtualTime } from '../virtual-time/virtual-time.ts';
import { ofThisRun } from '../run/mode.ts';
import { oldRedis } from './images.ts';
import { endOf, oneOfEachOutcome, outcomeOf, pairCells } from './operation-cells.ts';

const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
/** Virtual milliseconds: what a build, a start and an end take, and how often the test looks. */
const [buildMs, startMs, stopMs, lookMs] = [20_000, 8_000, 4_000, 100];

/** A web server that takes its time to start and to stop. */
const slowWeb: ImageContent = {
  programs: {
    ...unixPrograms,
    serve: async (running) => {
      running.onStop(() => void running.pause(stopMs).then(() => running.kill(0)));
      await running.pause(startMs);
      running.listen(3000, () => '');
      return never();
    },
  },
  command: ['serve'],
  exposedPorts: ['3000/tcp'],
};

let uninstall: () => void;
let folder: string;
let stage: Stage;
beforeAll(async () => {
  uninstall = installVirtualTime();
  folder = mkdtempSync(join(inMemory, 'berth-pairs-'));
  stage = await createStage(folder);
  Object.assign(stage.machine, {
    built: slowWeb,
    buildMs,
    repository: {
      Dockerfile: 'FROM scratch',
      'compose.yaml': 'services:\n  web:\n    build: .\n    command: [serve]\n',
    },
  });
  ok(await stage.installation.owner('settings.update', { buildsConcurrency: 1 }));
}, 120_000);
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
  uninstall();
});

const call = (path: string, input: object): Promise<Said> => stage.tenant.owner(path, input);
function ok(said: Said): Said {
  if (said.status !== 200) throw new Error(`${said.status}: ${JSON.stringify(said.body)}`);
  return said;
}

/** A service that was deployed once, and what is asked of it. */
interface Tried {
  service: ServiceRef;
  firstDeployment: string;
  ask(operation: ServiceOperation): Promise<Said>;
}

let count = 0;
const fromGit = { sourceType: 'git', customGitUrl: 'https://git.test/shop.git', customGitBranch: 'main' };

async function application(): Promise<{ applicationId: string; appName: string }> {
  const name = `web${(count += 1)}`;
  const made = ok(
    await call('application.create', { name, appName: name, environmentId: stage.tenant.environmentId }),
  );
  const applicationId = textOf(made.body, 'applicationId');
  const healthCheck = { port: 3000 };
  ok(await call('application.update', { applicationId, ...fromGit, buildType: 'dockerfile', healthCheck }));
  return { applicationId, appName: name };
}

/** The first deployment done. */
async function deployed(path: string, input: object): Promise<string> {
  const { deploymentId = '' } = ok(await call(path, input));
  expect(await stage.ended(deploymentId)).toBe('done');
  return deploymentId;
}

const make: Record<DeployedKind, () => Promise<Tried>> = {
  async application() {
    const { applicationId, appName } = await application();
    const firstDeployment = await deployed('application.deploy', { applicationId });
    return {
      service: { kind: 'application', serviceId: applicationId },
      firstDeployment,
      ask: (operation) =>
        operation === 'rollback'
          ? call('deployment.rollback', { deploymentId: firstDeployment })
          : call(`application.${operation}`, {
              applicationId,
              ...(operation === 'run' ? { command: ['true'] } : {}),
              ...(operation === 'reload' ? { appName } : {}),
            }),
    };
  },
  async database() {
    const name = `cache${(count += 1)}`;
    const made = ok(
      await call('redis.create', {
        name,
        appName: name,
        databasePassword: 'secret',
        environmentId: stage.tenant.environmentId,
        containerImage: oldRedis,
      }),
    );
    const redisId = textOf(made.body, 'redisId');
    const firstDeployment = await deployed('redis.deploy', { redisId });
    return {
      service: { kind: 'database', serviceId: redisId },
      firstDeployment,
      ask: (operation) =>
        call(`redis.${operation}`, {
          redisId,
          ...(operation === 'upgrade' ? { containerImage: 'redis:8' } : {}),
          ...(operation === 'reload' ? { appName: name } : {}),
        }),
    };
  },
  async compose() {
    const name = `stack${(count += 1)}`;
    const { environmentId } = stage.tenant;
    const made = ok(await call('compose.create', { name, appName: name, environmentId }));
    const composeId = textOf(made.body, 'composeId');
    ok(await call('compose.update', { composeId, ...fromGit, composePath: 'compose.yaml' }));
    const firstDeployment = await deployed('compose.deploy', { composeId });
    return {
      service: { kind: 'compose', serviceId: composeId },
      firstDeployment,
      ask: (operation) => call(`compose.${operation}`, { composeId }),
    };
  },
  async previewDeployment() {
    const { applicationId } = await application();
    const previewDeploymentId = await stage.run(async () => {
      const { applications, previews } = stage.world;
      const record = await applications.find(applicationId);
      if (!record) throw new Error('The application is gone.');
      const facts = {
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
      } as const;
      const host = await previews.hostOf(record, facts);
      return (await previews.create(record, facts, host)).previewDeploymentId;
    });
    const firstDeployment = await stage.run(async () => {
      const accepting = { kind: 'deploy', title: 'One', description: '' } as const;
      return (await stage.world.deployments.accept(previewRef(previewDeploymentId), accepting)).deploymentId;
    });
    expect(await stage.ended(firstDeployment)).toBe('done');
    return {
      service: previewRef(previewDeploymentId),
      firstDeployment,
      ask: (operation) => call(`previewDeployment.${operation}`, { previewDeploymentId }),
    };
  },
};

/** Resolves when the deployment is at the stage and says so in its log, or matches. */
async function reached(
  deploymentId: string | undefined,
  is: (at: { status: string; stage: string }) => boolean,
) {
  stage.world.wake();
  await stage.run(async () => {
    for (let looks = 0; ; looks += 1) {
      const row = await stage.stores.deployments.find({ deploymentId: deploymentId ?? '' });
      if (row && is({ status: row.status, stage: row.stage ?? '' })) return;
      if (looks > 3000 || !row || row.finishedAt !== null)
        throw new Error(`It was not met: ${row?.status} ${row?.stage} ${row?.errorMessage}`);
      await sleep(lookMs);
    }
  });
}

interface Present {
  /** Of what is in progress; undefined for what is done by hand. */
  deploymentId: string | undefined;
  end(): Promise<string>;
}

const again = (tried: Tried): Promise<Said> =>
  tried.ask(tried.service.kind === 'previewDeployment' ? 'redeploy' : 'deploy');

/** Brings something of the service into the phase. */
const bring: Record<OperationPhase, (tried: Tried) => Promise<Present>> = {
  async queued(tried) {
    const before = deployment(await again(tried));
    await reached(before.deploymentId, ({ stage: at }) => at === 'await-healthy');
    const present = deployment(await again(tried));
    return {
      ...present,
      async end() {
        await before.end();
        return present.end();
      },
    };
  },
  async waiting(tried) {
    const blocker = ok(
      await call('application.deploy', { applicationId: (await application()).applicationId }),
    ).deploymentId;
    await reached(blocker, ({ stage: at }) => at === 'build');
    const present = deployment(await again(tried));
    const { deploymentId = '' } = present;
    await reached(deploymentId, () =>
      (stage.machine.logs.get(deploymentId) ?? []).some((line) => line.startsWith('Waiting')),
    );
    return present;
  },
  async building(tried) {
    const present = deployment(await again(tried));
    await reached(present.deploymentId, ({ stage: at }) => at === 'build');
    return present;
  },
  async releasing(tried) {
    const present = deployment(await again(tried));
    await reached(present.deploymentId, ({ stage: at }) => at === 'await-healthy');
    return present;
  },
  async 'by-hand'(tried) {
    const stopping = tried.ask('stop');
    await stage.run(() => sleep(lookMs));
    return {
      deploymentId: undefined,
      end: async () => ((await stopping).status === 200 ? 'done' : JSON.stringify((await stopping).body)),
    };
  },
};

const deployment = (said: Said): Present => {
  const { deploymentId } = ok(said);
  return { deploymentId, end: () => endOfDeployment(deploymentId) };
};

/** How it ended; what was deleted meanwhile is gone with its deployments. */
async function endOfDeployment(deploymentId = ''): Promise<string> {
  const row = await stage.run(() => stage.stores.deployments.find({ deploymentId }));
  return row ? stage.ended(deploymentId) : 'gone';
}

/** What the engine has of the service's tasks that are wanted. */
async function running({ kind, serviceId }: ServiceRef): Promise<number> {
  const label = {
    application: 'application',
    database: 'database',
    compose: 'compose',
    previewDeployment: 'preview',
  };
  const mine = [...stage.machine.memory.state.services.values()].filter(
    ({ spec }) => spec.Labels?.[`berth.${label[kind]}`] === serviceId,
  );
  return mine.reduce((sum, { spec }) => sum + (spec.Mode?.Replicated?.Replicas ?? 0), 0);
}

it('the cells for the real engine have every outcome once, and every kind of service', () => {
  const chosen = oneOfEachOutcome();
  expect(chosen.map(outcomeOf).toSorted()).toEqual([...new Set(pairCells.map(outcomeOf))].toSorted());
  expect(new Set(chosen.map(({ kind }) => kind)).size).toBe(4);
});

// Half of them by the seed in the ordinary run.
it.each(ofThisRun(pairCells, 2))('$kind: $operation while something is $phase', async (cell) => {
  const { kind, operation, phase } = cell;
  const { httpStatus, comes, present: presentEnd, left } = endOf(cell);
  const tried = await make[kind]();
  const present = await bring[phase](tried);
  const said = await tried.ask(operation);
  expect([said.status, said.body]).toEqual([httpStatus, expect.anything()]);
  expect(await present.end()).toMatch(presentEnd);
  const followed = comes === 'queued' ? await stage.ended(said.deploymentId) : 'done';
  expect(followed).toBe('done');
  await stage.run(async () => {
    expect(await stage.world.deployments.isWorking(tried.service)).toBe(false);
  });
  expect(await running(tried.service)).toBe(left === 'gone' ? 0 : left);
  // The network of an environment has room for so many.
  if (left !== 'gone') ok(await tried.ask(kind === 'database' ? 'remove' : 'delete'));
});
