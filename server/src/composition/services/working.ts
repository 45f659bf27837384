/** What works by itself: deployments, backups, previews and their jobs. */
import type { TemplateCatalogues } from '../../modules/template-catalogue/template-catalogue.ts';
import { createCatalogues } from './template-catalogues.ts';
import { quotasOf } from '../../deploy/quotas.ts';
import { organizationOfJobs, withinOrganizations } from '../../jobs/organization-builds.ts';
import { applicationDeployer } from '../../deploy/application-deployer.ts';
import { composeDeployer } from '../../deploy/compose/compose-deployer.ts';
import { databaseDeployer } from '../../deploy/database/database-deployer.ts';
import { previewDeployer } from '../../deploy/preview-deployer.ts';
import { withPreviewDatabases, type BeginDatabases } from '../../deploy/stages/preview-databases.ts';
import { createDeploymentRunner, type DeploymentRunner } from '../../deploy/run.ts';
import { createBuildSlots } from '../../jobs/build-slots.ts';
import { measuredSlots } from '../../jobs/measured-slots.ts';
import { createWorker, type Worker } from '../../jobs/worker.ts';
import { commitStatusJob } from '../../modules/git-provider/commit-status.ts';
import { createInterruption, type Interruption } from '../../modules/interruption/interruption.ts';
import { createRequireReach } from '../../modules/interruption/reach.ts';
import { createEndLeftBehind } from '../../modules/preview-deployment/removal/left-behind.ts';
import {
  createRemovePreviewDatabases,
  type RemovePreviewDatabases,
} from '../../modules/preview-deployment/databases/removal.ts';
import { pullRequestJob } from '../../modules/preview-deployment/pull-request/pull-request.ts';
import { buildsConcurrency } from '../../modules/server/builds-concurrency.ts';
import { serverSetupJob } from '../../modules/server/setup/setup.ts';
import { scheduleJob } from '../../modules/schedule/schedule.ts';
import type { BuildSlots } from '../../ports/engine/build-slots.ts';
import type { Reconciler } from '../../reconcile/reconciler.ts';
import { commitStatusJobOf } from '../upkeep/commit-statuses.ts';
import { createCertifying, type Certifying } from '../upkeep/certifying.ts';
import { createDraining, type Draining } from '../upkeep/draining.ts';
import { createCleaningUp, type CleaningUp } from '../upkeep/cleaning.ts';
import { createDiskRooms } from '../../modules/backup/disk-room.ts';
import { createBackingUp, type BackingUp } from '../upkeep/backing-up.ts';
import { createVolumeServices } from '../../deploy/volume-services.ts';
import type { Ground } from '../ground.ts';
import type { Machines } from '../hosts/machines.ts';
import { createPreviewDatabaseParts } from './preview-databases.ts';
import { createPreviewing, previewParts, type Previewing, type PreviewingParts } from './previewing.ts';
import type { Product } from '../product.ts';
import type { Releasing } from './releasing.ts';
import { createSettingUp, type SettingUp } from '../hosts/setting-up.ts';
import { createScheduling, type Scheduling } from '../upkeep/scheduling.ts';

/** A guard: each holds a log and a few timers, and asks the engine several times a second. */
const jobsPerServer = 20;
/** One database that takes long to fill holds up no other preview. */
const leastFills = 3;

export interface Working extends SettingUp, CleaningUp, Draining, Certifying {
  interruption: Interruption;
  /** Of a preview that is removed. */
  removeDatabases: RemovePreviewDatabases;
  endLeftBehind(): Promise<void>;
  templateCatalogues: TemplateCatalogues;
  backingUp: BackingUp;
  previewing: Previewing;
  scheduling: Scheduling;
  worker: Worker;
}

export function createWorking(
  ground: Ground,
  product: Product,
  machines: Machines,
  releasing: Releasing,
  reconciler: Pick<Reconciler, 'applyRoutes' | 'changeRoutes' | 'run'>,
): Working {
  const { applyRoutes, changeRoutes } = reconciler;
  const settingUp = createSettingUp(ground, product, machines, reconciler);
  const backingUp = createBackups(ground, product, machines, releasing);
  const previewDatabases = createPreviewDatabaseParts(ground, product, machines, releasing, backingUp.desk);
  const runner = createRunner(ground, product, machines, releasing, {
    applyRoutes,
    beginDatabases: previewDatabases.begin,
  });
  const interruption = createInterruption({
    ...product,
    ...machines,
    builds: runner,
    backupRuns: backingUp.desk.runs,
    requireReach: createRequireReach({ ...ground, ...machines }),
    userName: product.accounts.users.emailOf,
  });
  const scheduling = createScheduling(ground, product, machines, releasing);
  const leaveSchedules: PreviewingParts['leaveSchedules'] = (composeId) =>
    scheduling.desk.schedules.leaving({ composeId });
  const { runtime: composeRuntime } = releasing.runningComposes;
  const parts = { ...ground, ...product, ...machines, interruption, changeRoutes };
  const removeDatabases = createRemovePreviewDatabases({
    store: ground.stores.databases,
    runs: backingUp.desk.runs,
    interruption,
    discard: previewDatabases.discard,
  });
  const previewing = createPreviewing({ ...parts, composeRuntime, leaveSchedules, removeDatabases });
  return {
    interruption,
    removeDatabases,
    endLeftBehind: createEndLeftBehind({ ...ground, removeDatabases, removeCopy: previewing.removeCopy }),
    templateCatalogues: createCatalogues(ground, product, machines),
    backingUp,
    previewing,
    ...settingUp,
    ...createCleaningUp(ground, product, machines),
    ...createDraining(ground, machines),
    ...createCertifying({ ...ground, ...product, changeRoutes }),
    scheduling,
    worker: createJobs(ground, product, { runner, backingUp, previewing, scheduling, ...settingUp }),
  };
}

function createBackups(
  ground: Ground,
  product: Product,
  machines: Machines,
  releasing: Releasing,
): BackingUp {
  const { running } = releasing;
  const rooms = createDiskRooms({
    hosts: machines.hosts,
    files: ground.adapters.files,
    settings: product.settings,
  });
  return createBackingUp({
    rooms,
    ...ground,
    ...product,
    ...machines,
    databasePorts: running.ports,
    liveSpec: running.liveSpec,
    databaseRuntime: running.runtime,
    volumeServices: createVolumeServices({
      stores: ground.stores,
      product,
      machines,
      releasing,
      roomOf: rooms.ofVolumes,
    }),
  });
}

function createRunner(
  ground: Ground,
  product: Product,
  { deployments, previews }: Machines,
  { ports: shared, running, runningComposes }: Releasing,
  { applyRoutes, beginDatabases }: { applyRoutes: Reconciler['applyRoutes']; beginDatabases: BeginDatabases },
): DeploymentRunner {
  const { stores, adapters, log } = ground;
  const { applications, turns } = product;
  const ports = { ...shared, applyRoutes };
  return createDeploymentRunner({
    ports,
    deployers: {
      application: applicationDeployer(ports, applications),
      database: databaseDeployer(running.ports),
      compose: withPreviewDatabases(
        composeDeployer({ ...runningComposes.ports, applyRoutes }),
        beginDatabases,
      ),
      previewDeployment: withPreviewDatabases(
        previewDeployer(ports, previewParts(stores, deployments, applications, previews)),
        beginDatabases,
      ),
    },
    deployments,
    logs: adapters.logs,
    turns,
    slots: slotsOf(ground, product),
    onFault: (error, deploymentId) => log.fault(error, `deployment ${deploymentId}`),
  });
}

function slotsOf({ stores, clock }: Ground, { settings, counters }: Product): BuildSlots {
  const slots = createBuildSlots({
    store: stores.buildSlots,
    clock,
    limitOf: buildsConcurrency(stores.servers, settings),
  });
  const measured = measuredSlots(slots, clock, (seconds) => {
    counters.add('berth_builds_total', 1);
    counters.add('berth_build_seconds_total', seconds);
  });
  const quotas = quotasOf(stores);
  return withinOrganizations(measured, {
    limitOf: quotas.builds,
    organizationOf: organizationOfJobs({ ...stores, payer: quotas.payer }),
  });
}

function createJobs(
  ground: Ground,
  product: Product,
  {
    runner,
    backingUp,
    previewing,
    scheduling,
    serverSetup,
  }: Pick<Working, 'backingUp' | 'previewing' | 'scheduling' | 'serverSetup'> & { runner: DeploymentRunner },
): Worker {
  const { stores, clock, log } = ground;
  const { settings, alarm } = product;
  return createWorker({
    store: stores.jobs,
    clock,
    alarm,
    handlers: {
      deployment: runner.run,
      backup: backingUp.run,
      [scheduleJob]: scheduling.run,
      [pullRequestJob]: previewing.pullRequests.run,
      [serverSetupJob]: serverSetup.run,
      [commitStatusJob]: commitStatusJobOf(ground, product),
    },
    limits: async () => {
      const { buildsConcurrency: backups } = await settings.get();
      return { perServer: jobsPerServer, backups, fills: Math.max(backups, leastFills) };
    },
    onFault: (error, job) => void log.fault(error, `job ${job?.jobId ?? 'queue'}`),
  });
}
