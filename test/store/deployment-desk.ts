/**
 * The queue, its worker and the runner of deployments on a real database, with stages that wait where a test
 * wants them to: what is around the stages. The engine is not there.
 */
import type { TellFact } from '../../server/src/domain/states/fact.ts';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileLogs } from '../../server/src/adapters/deployment-log/file-log.ts';
import { createWorkFiles } from '../../server/src/adapters/files/work-files.ts';
import { createBuildServers } from '../../server/src/modules/server/server.ts';
import { createStores, type Stores } from '../../server/src/composition/stores.ts';
import type { Database } from '../../server/src/db/database.ts';
import type { DeploymentRecord } from '../../server/src/db/tables.ts';
import { AppError } from '../../server/src/domain/errors.ts';
import { bind, type Deployer, type Stage, type StageContext } from '../../server/src/deploy/context.ts';
import { createDeploymentRunner, type DeploymentRunner } from '../../server/src/deploy/run.ts';
import {
  ownerOf,
  serviceKey,
  type DeployedKind,
  type ServiceRef,
} from '../../server/src/domain/names/service-ref.ts';
import { createBuildSlots } from '../../server/src/jobs/build-slots.ts';
import { createQueue } from '../../server/src/jobs/queue.ts';
import { createWorker, type Worker } from '../../server/src/jobs/worker.ts';
import { createApplications, type Applications } from '../../server/src/modules/application/application.ts';
import { deployedApplications } from '../../server/src/modules/application/deployed.ts';
import { createComposes } from '../../server/src/modules/compose/compose.ts';
import { deployedComposes } from '../../server/src/modules/compose/deployed.ts';
import { createDatabases } from '../../server/src/modules/database/database.ts';
import { requireFilled } from '../../server/src/modules/backup/branch/branches.ts';
import { deployedDatabases } from '../../server/src/modules/database/deployed.ts';
import {
  createDeployments,
  type DeployedServices,
  type Deployments,
} from '../../server/src/modules/deployment/deployment.ts';
import { createInterruption, type Interruption } from '../../server/src/modules/interruption/interruption.ts';
import { deployedPreviews } from '../../server/src/modules/preview-deployment/deployed.ts';
import type { PreviewDeploymentRecord } from '../../server/src/modules/preview-deployment/store.ts';
import { createTurns, type Turns } from '../../server/src/modules/service/turns.ts';
import { createServiceNames } from '../../server/src/modules/service-name/service-name.ts';
import { systemClock } from '../../server/src/ports/clock.ts';
import type { DeploymentLogs } from '../../server/src/ports/deployment-log.ts';
import { absentHost, ownHost } from '../hosts.ts';

/** Where a test holds a deployment: each stage of it waits until its gate opens. */
export interface Gates {
  /** Resolves when the deployment of this service has come to the stage. */
  reached(serviceId: string, stage: HeldStage): Promise<void>;
  /** The stage of this service's deployments goes on, now or as soon as it is reached. */
  open(serviceId: string, stage: HeldStage): void;
}

/** One that builds, and one that waits for the engine. */
export type HeldStage = 'build' | 'await-healthy';

export interface DeploymentDesk {
  stores: Stores;
  applications: Applications;
  deployments: Deployments;
  runner: DeploymentRunner;
  worker: Worker;
  gates: Gates;
  interruption: Interruption;
  services: Record<DeployedKind, DeployedServices>;
  /** Accepts a deployment and gives its id. */
  deploy(service: ServiceRef): Promise<string>;
  /** Whether accepted jobs are taken; resolves when the started worker keeps to it. */
  takeJobs(isTaking: boolean): Promise<void>;
  log(deploymentId: string): Promise<string[]>;
  /** Waits until a job of the service has been taken. */
  taken(service: ServiceRef): Promise<unknown>;
  /** Waits until the deployment's row is so. */
  until(deploymentId: string, isSo: (deployment: DeploymentRecord) => boolean): Promise<DeploymentRecord>;
  /** Waits until a line of its log contains the text. */
  says(deploymentId: string, text: string): Promise<string>;
}

export function createDeploymentDesk(
  database: Database,
  { buildsAtOnce = 1, ...told }: { buildsAtOnce?: number; tell?: TellFact } = {},
): DeploymentDesk {
  const stores = createStores(database);
  const clock = systemClock;
  const logs = createFileLogs(mkdtempSync(join(tmpdir(), 'berth-deployments-')), clock);
  const applications = applicationsOf(stores);
  const queue = createQueue(stores.jobs, clock, () => worker.wake());
  const services = servicesOf(stores, applications);
  const deployments = createDeployments(stores.deployments, { services, queue, logs, ...told }, clock);
  const { gates, stages } = createGates();
  const faults: string[] = [];
  const turns = createTurns();
  const runner = createRunner({ stores, deployments, logs, stages, turns, buildsAtOnce, faults });
  const taking = createTaking();
  const worker = createWorker({
    store: stores.jobs,
    clock,
    handlers: { deployment: runner.run },
    limits: taking.limits,
    onFault: (error) => void faults.push(String(error)),
    pollMs: 50,
  });
  const log = async (id: string): Promise<string[]> => (await logs.readEnd(id)).map(({ text }) => text);
  return {
    stores,
    applications,
    deployments,
    runner,
    worker,
    gates,
    log,
    services,
    interruption: createInterruption({
      deployments,
      builds: runner,
      backupRuns: { cancelOf: async () => undefined },
      requireReach: async () => undefined,
      turns,
      userName: async (userId) => (await stores.users.users.find({ userId }))?.email,
    }),
    async takeJobs(isTaking) {
      const isKept = taking.set(isTaking);
      worker.wake();
      await isKept;
    },
    async deploy(service) {
      // The kind that asks nothing of the records.
      const { deploymentId } = await deployments.accept(service, {
        kind: 'rollback',
        title: '',
        description: '',
      });
      queue.wake();
      return deploymentId;
    },
    ...createLooks({ stores, deployments, log, faults }),
  };
}

/** The limits that the worker asks for before each claim. */
function createTaking() {
  let perServer = 20;
  let asked = Promise.withResolvers<void>();
  return {
    async limits() {
      asked.resolve();
      return { perServer, backups: 1, fills: 3 };
    },
    /** A claim with the former number may be on its way to the database; the worker asks again after it. */
    set(isTaking: boolean): Promise<void> {
      perServer = isTaking ? 20 : 0;
      asked = Promise.withResolvers();
      return asked.promise;
    },
  };
}

function createLooks({
  stores,
  deployments,
  log,
  faults,
}: Pick<DeploymentDesk, 'stores' | 'deployments' | 'log'> & { faults: readonly string[] }): Pick<
  DeploymentDesk,
  'taken' | 'until' | 'says'
> {
  return {
    taken: (service) =>
      seen(
        () => stores.jobs.find({ serviceKey: serviceKey(service), state: 'running' }),
        'no job of it is taken',
      ),
    until: (deploymentId, isSo) =>
      seen(async () => {
        const found = await deployments.find(deploymentId);
        return found && isSo(found) ? found : undefined;
      }, `${deploymentId} is not so; ${faults.join()}`),
    says: (deploymentId, text) =>
      seen(
        async () => (await log(deploymentId)).find((line) => line.includes(text)),
        `the log never says ${text}; ${faults.join()}`,
      ),
  };
}

function servicesOf(stores: Stores, applications: Applications): Record<DeployedKind, DeployedServices> {
  const hosts = ownHost();
  const names = createServiceNames(stores.serviceNames);
  const databases = createDatabases(
    stores.databases,
    { names, published: { requireFree: async () => undefined } },
    systemClock,
  );
  const composes = createComposes(
    stores.composes,
    { names, localRepositoryPaths: async () => [] },
    systemClock,
  );
  const previews = {
    find: (previewDeploymentId: string) => stores.previewDeployments.find({ previewDeploymentId }),
    one: async (previewDeploymentId: string, organizationId: string) => {
      const found = await stores.previewDeployments.find({ previewDeploymentId, organizationId });
      if (!found) throw new AppError('NOT_FOUND', 'There is no such preview.');
      return found;
    },
    patch: async (previewDeploymentId: string, patch: Partial<PreviewDeploymentRecord>) =>
      void (await stores.previewDeployments.update({ previewDeploymentId }, patch)),
  };
  return {
    application: deployedApplications(applications, hosts),
    database: deployedDatabases(databases, hosts, (databaseId) => requireFilled(stores.branches, databaseId)),
    compose: deployedComposes(composes, hosts),
    previewDeployment: deployedPreviews(previews, applications, hosts, async () => undefined),
  };
}

function applicationsOf(stores: Stores): Applications {
  return createApplications(
    stores.applications,
    {
      names: createServiceNames(stores.serviceNames),
      hasResolver: stores.domains.hasResolver,
      buildServers: createBuildServers(stores.servers),
      localRepositoryPaths: async () => [],
    },
    systemClock,
  );
}

function createRunner({
  stores,
  deployments,
  logs,
  stages,
  turns,
  buildsAtOnce,
  faults,
}: {
  stores: Stores;
  deployments: Deployments;
  logs: DeploymentLogs;
  stages: readonly Stage<StageContext>[];
  turns: Turns;
  buildsAtOnce: number;
  faults: string[];
}): DeploymentRunner {
  const clock = systemClock;
  const deployer: Deployer = {
    prepare: async (context) => ({
      stages: bind(stages, { ...context, engine: absentHost().engine }),
      patch: () => ({}),
    }),
  };
  return createDeploymentRunner({
    ports: {
      clock,
      fileSystem: createWorkFiles(),
      workRoot: mkdtempSync(join(tmpdir(), 'berth-work-')),
    },
    turns,
    deployers: {
      application: deployer,
      database: deployer,
      compose: deployer,
      previewDeployment: deployer,
    },
    deployments,
    logs,
    slots: createBuildSlots({
      store: stores.buildSlots,
      clock,
      limitOf: async () => buildsAtOnce,
      pollMs: 60_000,
    }),
    onFault(error) {
      faults.push(String(error));
      return `fault ${faults.length}`;
    },
  });
}

function createGates(): { gates: Gates; stages: readonly Stage<StageContext>[] } {
  const all = new Map<string, { reached: PromiseWithResolvers<void>; open: PromiseWithResolvers<void> }>();
  const gateOf = (serviceId: string, stage: HeldStage) => {
    const key = `${serviceId} ${stage}`;
    const gate = all.get(key) ?? { reached: Promise.withResolvers(), open: Promise.withResolvers() };
    all.set(key, gate);
    return gate;
  };
  const held = (name: HeldStage, holdsBuildSlot: boolean): Stage<StageContext> => ({
    name,
    resume: 'start',
    holdsBuildSlot,
    sentence: () => `In ${name}`,
    async run({ deployment, signal }) {
      const gate = gateOf(ownerOf(deployment).serviceId, name);
      const ended = Promise.withResolvers<never>();
      signal.addEventListener('abort', () => ended.reject(signal.reason), { once: true });
      gate.reached.resolve();
      await Promise.race([gate.open.promise, ended.promise]);
    },
  });
  return {
    stages: [held('build', true), held('await-healthy', false)],
    gates: {
      reached: (serviceId, stage) => gateOf(serviceId, stage).reached.promise,
      open: (serviceId, stage) => gateOf(serviceId, stage).open.resolve(),
    },
  };
}

/** Longer than a starved machine needs, and less than the test's own limit, so that the reason is told. */
const seenLimitMs = 90_000;

async function seen<T>(look: () => Promise<T | undefined>, otherwise: string): Promise<T> {
  const end = Date.now() + seenLimitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(otherwise);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
