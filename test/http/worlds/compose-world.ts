/** Compose services through the HTTP interface, without an engine. */
import { anyHost } from '../any-host.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileLogs } from '../../../server/src/adapters/deployment-log/file-log.ts';
import { createStores, type Stores } from '../../../server/src/composition/stores.ts';
import type { Database } from '../../../server/src/db/database.ts';
import { AppError, badField } from '../../../server/src/domain/errors.ts';
import { createQueue } from '../../../server/src/jobs/queue.ts';
import type { Queue } from '../../../server/src/ports/queue.ts';
import { createSchedules } from '../../../server/src/modules/schedule/schedule.ts';
import { approveSavedFile, createComposeApprovals } from '../../../server/src/modules/compose/approvals.ts';
import { createComposes, type RepositoryFile } from '../../../server/src/modules/compose/compose.ts';
import { composeContract } from '../../../server/src/modules/compose/contract.ts';
import { deployedComposes } from '../../../server/src/modules/compose/deployed.ts';
import { composeHandlers, type ComposeDesk } from '../../../server/src/modules/compose/handlers.ts';
import { placeCompose, requireComposeMovable } from '../../../server/src/modules/compose/moving.ts';
import { createComposeRuntime } from '../../../server/src/modules/compose/runtime.ts';
import { deploymentContract } from '../../../server/src/modules/deployment/contract.ts';
import { createDeployments } from '../../../server/src/modules/deployment/deployment.ts';
import { deploymentHandlers, type DeploymentDesk } from '../../../server/src/modules/deployment/handlers.ts';
import { createDomains } from '../../../server/src/modules/domain/domain.ts';
import { createMounts } from '../../../server/src/modules/mount/mount.ts';
import { createMembers } from '../../../server/src/modules/organization/member.ts';
import { createPublishedPorts } from '../../../server/src/modules/port/port.ts';
import { createServiceNames } from '../../../server/src/modules/service-name/service-name.ts';
import { environmentOf } from '../../../server/src/modules/service/service.ts';
import { templateCatalogueContract } from '../../../server/src/modules/template-catalogue/contract.ts';
import { templateCatalogueHandlers } from '../../../server/src/modules/template-catalogue/handlers.ts';
import type { ReadCatalogue } from '../../../server/src/modules/template-catalogue/read-catalogue.ts';
import {
  createTemplateCatalogues,
  type TemplateCatalogues,
} from '../../../server/src/modules/template-catalogue/template-catalogue.ts';
import { createKnownTemplates } from '../../../server/src/modules/template/known-templates.ts';
import { templateContract } from '../../../server/src/modules/template/contract.ts';
import { templateHandlers } from '../../../server/src/modules/template/handlers.ts';
import { createServiceReads } from '../../../server/src/modules/service/store.ts';
import { createTemplates, type Templates } from '../../../server/src/modules/template/template.ts';
import { templatesFolder } from '../../../server/src/composition/product-files.ts';
import { createTurns } from '../../../server/src/modules/service/turns.ts';
import { systemClock } from '../../../server/src/ports/clock.ts';
import { router } from '../../../server/src/procedure/registry.ts';
import type { Router } from '../../../server/src/procedure/registry.ts';
import type { TestDatabase } from '../../store/each-database.ts';
import { ownHost } from '../../hosts.ts';
import { textOf } from '../interface-client.ts';
import { hostReachOn } from '../host-reach.ts';
import { idleInterruption } from '../../store/interruption.ts';
import { unfinishedOf } from '../unfinished.ts';
import { worlds, type World } from './world.ts';
import { requirePlaceOn } from '../../../server/src/modules/server/placing.ts';

export const harmless = 'services:\n  web:\n    image: nginx\n  db:\n    image: postgres\n';

/** Worlds with the procedures of compose services, and services in them. */
export function composeWorlds(test: TestDatabase) {
  const createWorld = worlds(test);
  return {
    begin: (cloud = false): Promise<World> => createWorld((database) => composeRouters(database, cloud)),
    create: async ({ owner, place }: World, input: object = {}): Promise<string> =>
      textOf(
        await owner.mutate('compose.create', {
          name: 'Stack',
          environmentId: place.environmentId,
          ...input,
        }),
        'composeId',
      ),
  };
}

export const composeLogs = createFileLogs(join(tmpdir(), 'berth-no-logs'), systemClock);

const envBlocks = async () => ({ project: 'TEAM=blue', environment: '' });

async function repositoryFile({ composePath }: { composePath: string }): Promise<RepositoryFile> {
  if (composePath === 'none.yml')
    throw new AppError('PRECONDITION_FAILED', 'There is no file none.yml in the repository.');
  return {
    text: 'include: [more.yml]\nservices:\n  from: {image: repository}\n',
    folder: '',
    files: new Map([['more.yml', 'services: {included: {image: too}}']]),
  };
}

function leavingOf({ schedules: store }: Stores, queue: Queue): ComposeDesk['leaveSchedules'] {
  const schedules = createSchedules({
    store,
    queue,
    logs: composeLogs,
    clock: systemClock,
    tell: async () => undefined,
    serverKeyOf: async () => 'local',
    onFault: (error) => {
      throw error;
    },
  });
  return (composeId) => schedules.leaving({ composeId });
}

/** Nothing is released here, so no two releases differ. */
const deploymentDesk = (queue: DeploymentDesk['queue']): DeploymentDesk => ({
  logs: composeLogs,
  queue,
  changed: async () => null,
});

function composeRouters(database: Database, cloud: boolean): Router[] {
  const stores = createStores(database);
  const composes = createComposes(
    stores.composes,
    { names: createServiceNames(stores.serviceNames), localRepositoryPaths: async () => ['/srv/git'] },
    systemClock,
  );
  const queue = createQueue(stores.jobs, systemClock, () => undefined);
  // Nobody listens there: what needs the engine says so.
  const hosts = ownHost();
  const deployments = createDeployments(
    stores.deployments,
    { services: { compose: deployedComposes(composes, hosts) }, queue, logs: composeLogs },
    systemClock,
  );
  const [turns, hostReach] = [createTurns(), hostReachOn(database, ['/var/lib/berth'])];
  const shared: Shared = {
    composes,
    deployments,
    hosts,
    queue,
    members: createMembers(stores.members),
    approvals: createComposeApprovals({ composes, hostReach, envBlocks }),
    changeRoutes: (_serverKey, write, change) => write(change),
    requireServer: requirePlaceOn(stores.servers, async (serverId) => {
      if (cloud && !serverId) throw badField('serverId', 'is required');
    }),
  };
  return [
    router('deployment', deploymentContract, deploymentHandlers(deployments, deploymentDesk(queue))),
    ...templateRouters(database, stores, { ...shared, catalogues: cataloguesOf(stores) }),
    router(
      'compose',
      composeContract,
      composeHandlers({
        ...shared,
        unfinished: unfinishedOf(stores),
        logs: composeLogs,
        leaveSchedules: leavingOf(stores, queue),
        removeDatabases: async () => undefined,
        interruption: idleInterruption(deployments, turns),
        runtime: createComposeRuntime({
          hosts,
          composes,
          turns,
          liveServices: async () => [],
          networksOf: (composeId) => [composeId],
          logAnswerBytes: async () => 1024 * 1024,
          removeCopies: async () => undefined,
        }),
        ...idle,
        envBlocks,
        repositoryFile,
        environment: environmentsOf(stores),
        ...movingOn(stores),
        mounts: async () => [],
      }),
    ),
  ];
}

/** Nothing runs of it, and nobody has previews. */
const idle = {
  liveOf: () => null,
  pendingChanges: async () => [],
  isInstallations: async () => true,
  removePreviews: async () => undefined,
} satisfies Partial<ComposeDesk>;

const environmentsOf =
  ({ applications }: Stores): ComposeDesk['environment'] =>
  async (environmentId) => {
    const placement = await applications.placement(environmentId);
    if (!placement) throw new Error('no such environment');
    return environmentOf(placement);
  };

type Shared = Pick<
  ComposeDesk,
  'approvals' | 'changeRoutes' | 'composes' | 'deployments' | 'hosts' | 'members' | 'queue' | 'requireServer'
>;

/** The templates of Berth; a test may have newer ones in their place. */
export const shownTemplates: { inPlace: Templates; read: ReadCatalogue } = {
  inPlace: createTemplates(templatesFolder),
  read: () => Promise.reject(new AppError('NOT_FOUND', 'There is no such repository.')),
};

const cataloguesOf = ({ templateCatalogues: store }: Stores): TemplateCatalogues =>
  createTemplateCatalogues({
    store,
    clock: systemClock,
    read: (source, signal) => shownTemplates.read(source, signal),
  });

const catalogueRouter = (catalogues: TemplateCatalogues): Router =>
  router('templateCatalogue', templateCatalogueContract, templateCatalogueHandlers(catalogues));

const templateRouters = (...parts: Parameters<typeof templateRouter>): Router[] => [
  templateRouter(...parts),
  catalogueRouter(parts[2].catalogues),
];

const templateRouter = (
  database: Database,
  stores: Stores,
  { approvals, catalogues, ...shared }: Shared & { catalogues: TemplateCatalogues },
): Router => {
  const domains = createDomains(stores.domains, systemClock, anyHost);
  const templates: Templates = {
    all: () => shownTemplates.inPlace.all(),
    one: (name) => shownTemplates.inPlace.one(name),
  };
  return router(
    'template',
    templateContract,
    templateHandlers(createKnownTemplates(templates, catalogues), {
      ...shared,
      clock: systemClock,
      domains,
      domainsOf: domains.byCompose,
      services: createServiceReads(database),
      madeOfTemplates: stores.composes.madeOfTemplates,
      files: (composeId) => stores.mounts.list({ composeId, type: 'file' }),
      mounts: createMounts(stores.mounts, {
        clock: systemClock,
        approve: () => Promise.reject(new Error('a template has no path of the server')),
        released: async () => [],
      }),
      approveSaved: (context, compose) => approveSavedFile(approvals, context, compose),
      serverIp: async () => '192.0.2.1',
      prepareCertificate: async () => undefined,
    }),
  );
};

function movingOn(stores: Stores): Pick<ComposeDesk, 'checking' | 'domains' | 'place' | 'requireMovable'> {
  const domains = createDomains(stores.domains, systemClock, anyHost);
  const neighbours = {
    server: (serverId: string, organizationId: string) => stores.servers.find({ serverId, organizationId }),
    requireServer: requirePlaceOn(stores.servers, async () => undefined),
    mounts: (composeId: string) => stores.mounts.list({ composeId }),
    released: async () => [],
    domains,
  };
  return {
    checking: {
      webPorts: [80, 443, 3000],
      requireFreePort: createPublishedPorts(stores.ports, [3000]).requireFree,
    },
    domains: domains.byCompose,
    place: placeCompose({ composes: stores.composes, domains }),
    requireMovable: (compose, serverId) => requireComposeMovable(neighbours, compose, serverId, () => true),
  };
}
