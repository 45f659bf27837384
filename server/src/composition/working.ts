/** What works by itself: deployments, backups, previews and their jobs. */
import { buildsWithinQuota } from './quotas.ts';
import { applicationDeployer } from '../deploy/application-deployer.ts';
import { composeDeployer } from '../deploy/compose/compose-deployer.ts';
import { databaseDeployer } from '../deploy/database/database-deployer.ts';
import { previewDeployer } from '../deploy/preview-deployer.ts';
import { createDeploymentRunner, type DeploymentRunner } from '../deploy/run.ts';
import { createBuildSlots } from '../jobs/build-slots.ts';
import { createWorker, type Worker } from '../jobs/worker.ts';
import { createInterruption, type Interruption } from '../modules/interruption/interruption.ts';
import { pullRequestJob } from '../modules/preview-deployment/pull-request.ts';
import type { Reconciler } from '../reconcile/reconciler.ts';
import { createBackingUp, type BackingUp } from './backing-up.ts';
import type { Ground } from './ground.ts';
import type { Machines } from './machines.ts';
import { createPreviewing, previewParts, type Previewing } from './previewing.ts';
import type { Product } from './product.ts';
import type { Releasing } from './releasing.ts';

/** A guard: each holds a log and a few timers, and asks the engine several times a second. */
const jobsPerServer = 20;

export interface Working {
  interruption: Interruption;
  backingUp: BackingUp;
  previewing: Previewing;
  worker: Worker;
}

export function createWorking(
  ground: Ground,
  product: Product,
  machines: Machines,
  releasing: Releasing,
  { applyRoutes, changeRoutes }: Pick<Reconciler, 'applyRoutes' | 'changeRoutes'>,
): Working {
  const { running } = releasing;
  const runner = createRunner(ground, product, machines, releasing, applyRoutes);
  const interruption = createInterruption({
    ...product,
    ...machines,
    builds: runner,
    userName: async (userId) => (await ground.stores.users.users.find({ userId }))?.email,
  });
  const backingUp = createBackingUp({
    ...ground,
    ...product,
    ...machines,
    databasePorts: running.ports,
    liveSpec: running.liveSpec,
  });
  const previewing = createPreviewing({ ...ground, ...product, ...machines, interruption, changeRoutes });
  return {
    interruption,
    backingUp,
    previewing,
    worker: createJobs(ground, product, { runner, backingUp, previewing }),
  };
}

function createRunner(
  { stores, adapters, clock, log }: Ground,
  { applications, settings, turns }: Product,
  { deployments, previews }: Machines,
  { ports: shared, running, runningComposes }: Releasing,
  applyRoutes: Reconciler['applyRoutes'],
): DeploymentRunner {
  const ports = { ...shared, applyRoutes };
  return createDeploymentRunner({
    ports,
    deployers: {
      application: applicationDeployer(ports, applications),
      database: databaseDeployer(running.ports),
      compose: composeDeployer({ ...runningComposes.ports, applyRoutes }),
      previewDeployment: previewDeployer(ports, previewParts(stores, applications, previews)),
    },
    deployments,
    logs: adapters.logs,
    turns,
    slots: buildsWithinQuota(
      createBuildSlots({
        store: stores.buildSlots,
        clock,
        limitOf: async (serverKey) =>
          (await stores.servers.find({ serverId: serverKey }))?.buildsConcurrency ??
          (await settings.get()).buildsConcurrency,
      }),
      stores,
    ),
    onFault: (error, deploymentId) => log.fault(error, `deployment ${deploymentId}`),
  });
}

function createJobs(
  { stores, clock, log }: Ground,
  { settings, alarm }: Product,
  { runner, backingUp, previewing }: Pick<Working, 'backingUp' | 'previewing'> & { runner: DeploymentRunner },
): Worker {
  return createWorker({
    store: stores.jobs,
    clock,
    alarm,
    handlers: {
      deployment: runner.run,
      backup: backingUp.run,
      [pullRequestJob]: previewing.pullRequests.run,
    },
    limits: async () => ({ perServer: jobsPerServer, backups: (await settings.get()).buildsConcurrency }),
    onFault: (error, job) => void log.fault(error, `job ${job?.jobId ?? 'queue'}`),
  });
}
