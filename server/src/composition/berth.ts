/** The whole program from its parts; nothing else creates anything. */
import type { FastifyInstance } from 'fastify';
import { readdir, rm } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { DeploymentRecord } from '../db/tables.ts';
import { applicationDeployer } from '../deploy/application-deployer.ts';
import { composeDeployer } from '../deploy/compose/compose-deployer.ts';
import { databaseDeployer } from '../deploy/database/database-deployer.ts';
import { previewDeployer } from '../deploy/preview-deployer.ts';
import { releaseNow } from '../deploy/release-now.ts';
import { createDeploymentRunner } from '../deploy/run.ts';
import { readSnapshot } from '../deploy/snapshot.ts';
import { createQueue } from '../jobs/queue.ts';
import { createWorker, type Worker } from '../jobs/worker.ts';
import { createApplications } from '../modules/application/application.ts';
import { rememberReleases } from '../modules/application/pending-changes.ts';
import { createApplicationRuntime } from '../modules/application/runtime.ts';
import { createComposes } from '../modules/compose/compose.ts';
import { createTurns } from '../modules/service/turns.ts';
import { createDatabases } from '../modules/database/database.ts';
import { createDomains } from '../modules/domain/domain.ts';
import { createEnvironments } from '../modules/environment/environment.ts';
import { createGitProviders } from '../modules/git-provider/git-provider.ts';
import { createPublishedPorts } from '../modules/port/port.ts';
import { pullRequestJob } from '../modules/preview-deployment/pull-request.ts';
import { createRegistries } from '../modules/registry/registry.ts';
import { createServiceNames } from '../modules/service-name/service-name.ts';
import { createSettings } from '../modules/settings/settings.ts';
import { systemClock, randomId } from '../ports/clock.ts';
import { instanceLabel } from '../ports/engine.ts';
import { createReconciler, type Reconciler } from '../reconcile/reconciler.ts';
import { createAccounts } from './accounts.ts';
import { createAdapters, type Adapters } from './adapters.ts';
import { createBackingUp } from './backing-up.ts';
import { createRunningComposes } from './composes.ts';
import { createRunningDatabases } from './databases.ts';
import { desiredRoutes } from './desired-routes.ts';
import { createDeployPorts, createLiveReleases, type DeployingParts } from './deploying.ts';
import { createServiceKeeper } from './kept-services.ts';
import type { Log } from './log.ts';
import { createPlatform } from './platform.ts';
import { createDeployed, createPreviewing, previewParts, type Previewing } from './previewing.ts';
import { createProxyWatch } from './proxy-watch.ts';
import { createApp } from './routers.ts';
import { openStorage } from './storage.ts';
import { createStores } from './stores.ts';
import { startTimers } from './timers.ts';
import { version } from './version.ts';

export interface Berth {
  app: FastifyInstance;
  worker: Worker;
  reconciler: Reconciler;
  close(): Promise<void>;
}

const stopLimitMs = 8000;

export async function createBerth(config: Config, log: Log): Promise<Berth> {
  const clock = systemClock;
  const { database, backup, applied } = await openStorage(config, clock);
  if (applied.length > 0) log.info(`Database migrated to version ${applied.at(-1) ?? 0}`, { backup });
  const stores = createStores(database);
  const adapters = createAdapters(config, clock, () => watch.events);
  const { engine } = adapters;

  const settings = createSettings(stores.settings, { serverIp: ownAddress() });
  const accounts = createAccounts(stores, database, clock);
  const environments = createEnvironments(stores.environments, clock);
  const names = createServiceNames(stores.serviceNames);
  const applications = createApplications(
    stores.applications,
    {
      names,
      hasResolver: stores.domains.hasResolver,
      localRepositoryPaths: async () => (await settings.get()).localRepositoryPaths,
    },
    clock,
  );
  const registries = createRegistries(stores.registries, engine, clock);
  const queue = createQueue(stores.jobs, clock, () => worker.wake());
  const databases = createDatabases(
    stores.databases,
    {
      names,
      published: createPublishedPorts(stores.ports, [config.port, config.httpPort, config.httpsPort]),
    },
    clock,
  );
  const composes = createComposes(
    stores.composes,
    { names, localRepositoryPaths: async () => (await settings.get()).localRepositoryPaths },
    clock,
  );
  const domains = createDomains(stores.domains, clock);
  const { previews, deployments } = createDeployed({
    stores,
    adapters,
    clock,
    settings,
    names,
    domains,
    applications,
    databases,
    composes,
    queue,
    commented: (preview) => previewing.pullRequests.comment(preview),
  });
  const gitProviders = createGitProviders(stores.gitProviders, adapters.gitApis, clock);
  const watch = createProxyWatch({
    stores,
    adapters,
    settings,
    clock,
    log,
    changed: () => void reconciler.run(),
  });
  const releases = rememberReleases(
    async (application) => readSnapshot(await deployments.live(application))?.settings,
  );

  const platform = createPlatform({
    config,
    adapters,
    environments,
    composes,
    networkPool: async () => (await settings.get()).networkPool,
  });
  const turns = createTurns();
  const taskLabels = { [instanceLabel]: randomId() };
  const parts: DeployingParts = {
    config,
    adapters,
    stores,
    applications,
    deployments,
    registries,
    gitProviders,
    settings,
    networks: platform.networks,
    clock,
    applyRoutes: () => reconciler.applyRoutes(),
    taskLabels,
  };
  const deployPorts = createDeployPorts(parts);
  const live = createLiveReleases(parts, deployPorts, releases.forget);

  const running = createRunningDatabases(parts, databases, turns);
  const runningComposes = createRunningComposes(parts, deployPorts, {
    composes,
    turns,
    meshWorks: platform.meshWorks,
  });

  const reconciler: Reconciler = createReconciler({
    proxy: adapters.proxy,
    database,
    ensurePlatform: platform.ensure,
    attachProxy: platform.attachProxy,
    routes: () => desiredRoutes(stores, settings, clock, watch.issuance.withheld),
    services: createServiceKeeper({
      engine,
      applications,
      databases,
      composes,
      previews,
      deployments,
      networks: platform.networks,
      turns,
      liveSpecs: {
        application: live.liveSpec,
        database: running.liveSpec,
        compose: runningComposes.liveSpecs,
        preview: live.previewSpec,
      },
      instance: database.dialect === 'sqlite' ? taskLabels[instanceLabel] : undefined,
    }),
    onDrift: (lines) => log.warn('Reconciled', { found: lines }),
  });
  const deployers = {
    application: applicationDeployer(deployPorts, applications),
    database: databaseDeployer(running.ports),
    compose: composeDeployer(runningComposes.ports),
    previewDeployment: previewDeployer(deployPorts, previewParts(stores, applications, previews)),
  };
  const runner = createDeploymentRunner({
    ports: deployPorts,
    deployers,
    deployments,
    logs: adapters.logs,
    onFault: (error, deploymentId) => log.fault(error, `deployment ${deploymentId}`),
  });
  const backingUp = createBackingUp({
    config,
    database,
    stores,
    adapters,
    engine,
    clock,
    queue,
    log,
    databases,
    deployments,
    databasePorts: running.ports,
    liveSpec: running.liveSpec,
  });
  const previewing: Previewing = createPreviewing({
    database,
    stores,
    adapters,
    clock,
    log,
    accounts,
    applications,
    previews,
    deployments,
    gitProviders,
    queue,
    turns,
    builds: runner,
    changeRoutes: reconciler.changeRoutes,
  });
  const worker: Worker = createWorker({
    store: stores.jobs,
    clock,
    handlers: {
      deployment: runner.run,
      backup: backingUp.run,
      [pullRequestJob]: previewing.pullRequests.run,
    },
    perServer: async () => (await settings.get()).buildsConcurrency,
    onFault: (error, job) => void log.fault(error, `job ${job?.jobId ?? 'queue'}`),
  });
  // On SQLite this is the only process that can hold a lease; on PostgreSQL another control plane may, so leases run out by themselves.
  if (database.dialect === 'sqlite') await stores.jobs.releaseAll();

  await tidyFolders(adapters, await deployments.unfinished());
  const timers = startTimers({
    stores,
    clock,
    log,
    schedules: backingUp.schedules,
    previews: { watch: previewing.watch, everyMs: config.previewWatchMs },
  });

  const runtime = createApplicationRuntime({
    engine,
    applications,
    liveSpec: live.liveSpec,
    currentSpec: live.currentSpec,
    releaseNow: (spec) => releaseNow(deployPorts, spec),
    turns,
    taskLabels,
    taskName: ({ appName }) => `${appName.slice(0, 50)}-run-${randomId(8).toLowerCase()}`,
  });
  const app = createApp({
    config,
    log,
    clock,
    database,
    stores,
    adapters,
    backingUp,
    accounts,
    settings,
    members: accounts.members,
    environments,
    applications,
    databases,
    composes,
    running,
    runningComposes,
    registries,
    gitProviders,
    previews,
    previewing,
    queue,
    deployments,
    domains,
    issuance: watch.issuance,
    requests: watch.requests,
    platform,
    reconciler,
    runner,
    runtime,
    turns,
    released: releases.released,
    version,
  });
  return {
    app,
    worker,
    reconciler,
    async close() {
      await watch.stop();
      await timers.stop();
      await app.close();
      await Promise.all([worker.stop(stopLimitMs), reconciler.stop()]);
      await database.close();
    },
  };
}

/** What a crash left of deployments. */
async function tidyFolders({ folders }: Adapters, unfinished: readonly DeploymentRecord[]): Promise<void> {
  await removeStaleWork(folders.work, new Set(unfinished.map(({ deploymentId }) => deploymentId)));
  // Private files of git runs, a key among them perhaps; a child that still runs needs its own until its deployment's next attempt ends it.
  if (unfinished.every(({ child }) => child === null)) await removeStaleWork(folders.git, new Set());
}

/** Work folders that a crash left behind; those of unfinished deployments are emptied by their next attempt. */
async function removeStaleWork(folder: string, unfinished: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(folder))
    if (!unfinished.has(name)) await rm(join(folder, name), { recursive: true, force: true });
}

/** First outside IPv4 address of this machine: what generated host names point to until somebody sets serverIp. */
function ownAddress(): string | undefined {
  for (const addresses of Object.values(networkInterfaces())) {
    for (const { family, internal, address } of addresses ?? [])
      if (family === 'IPv4' && !internal) return address;
  }
  return undefined;
}
