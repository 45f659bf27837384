/** Databases through the HTTP interface, without an engine. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileLogs } from '../../../server/src/adapters/deployment-log/file-log.ts';
import { createStores, type Stores } from '../../../server/src/composition/stores.ts';
import type { Database } from '../../../server/src/db/database.ts';
import { type DatabaseKindName } from '../../../server/src/domain/database-kind.ts';
import { AppError, badField } from '../../../server/src/domain/errors.ts';
import { createQueue } from '../../../server/src/jobs/queue.ts';
import { requireFilled } from '../../../server/src/modules/backup/branch/branches.ts';
import { createBackups } from '../../../server/src/modules/backup/backup.ts';
import { createDatabases } from '../../../server/src/modules/database/database.ts';
import { deployedDatabases } from '../../../server/src/modules/database/deployed.ts';
import { requireDatabaseMovable } from '../../../server/src/modules/database/moving.ts';
import { databaseRouters, type DatabaseDesk } from '../../../server/src/modules/database/handlers.ts';
import { createAdmission } from '../../../server/src/modules/database/passwords.ts';
import { createDatabaseRuntime } from '../../../server/src/modules/database/runtime.ts';
import { majorOfImage } from '../../../server/src/modules/database/version.ts';
import { createDeployments } from '../../../server/src/modules/deployment/deployment.ts';
import { createMembers } from '../../../server/src/modules/organization/member.ts';
import { createPublishedPorts } from '../../../server/src/modules/port/port.ts';
import { createServiceNames } from '../../../server/src/modules/service-name/service-name.ts';
import { environmentOf } from '../../../server/src/modules/service/service.ts';
import { createTurns } from '../../../server/src/modules/service/turns.ts';
import { systemClock } from '../../../server/src/ports/clock.ts';
import type { Router } from '../../../server/src/procedure/registry.ts';
import type { TestDatabase } from '../../store/each-database.ts';
import { ownHost } from '../../hosts.ts';
import { idleInterruption } from '../../store/interruption.ts';
import { unfinishedOf } from '../unfinished.ts';
import { worlds, type World } from './world.ts';
import { requirePlaceOn } from '../../../server/src/modules/server/placing.ts';

const deployedOf = (
  stores: Stores,
  databases: Parameters<typeof deployedDatabases>[0],
  hosts: Parameters<typeof deployedDatabases>[1],
): ReturnType<typeof deployedDatabases> =>
  deployedDatabases(databases, hosts, (databaseId) => requireFilled(stores.branches, databaseId));

/** What the document says of each kind, written out beside the table it is held against. */
export const documented: Record<
  DatabaseKindName,
  { image: string; create: string[]; own: object; least: string[]; updateLeast: boolean; empty: string[] }
> = {
  mariadb: {
    image: 'mariadb:11',
    create: [
      'name',
      'appName',
      'databaseName',
      'databaseUser',
      'databasePassword',
      'databaseRootPassword',
      'environmentId',
    ],
    own: { databaseName: 'shop', databaseUser: 'ann', databaseRootPassword: 'Root1' },
    least: ['name', 'appName', 'databaseName', 'databaseUser'],
    updateLeast: true,
    empty: [],
  },
  mysql: {
    image: 'mysql:8',
    create: [
      'name',
      'appName',
      'databaseName',
      'databaseUser',
      'databasePassword',
      'databaseRootPassword',
      'environmentId',
    ],
    own: { databaseName: 'shop', databaseUser: 'ann', databaseRootPassword: 'Root1' },
    least: ['name', 'appName'],
    updateLeast: true,
    empty: ['databaseName', 'databaseUser'],
  },
  postgres: {
    image: 'postgres:18',
    create: ['name', 'appName', 'databaseName', 'databaseUser', 'databasePassword', 'environmentId'],
    own: { databaseName: 'shop', databaseUser: 'ann' },
    least: ['appName'],
    updateLeast: false,
    empty: ['name', 'databaseName', 'databaseUser'],
  },
  mongo: {
    image: 'mongo:15',
    create: ['name', 'appName', 'databaseUser', 'databasePassword', 'environmentId'],
    own: { databaseUser: 'ann' },
    least: ['name', 'appName', 'databaseUser'],
    updateLeast: true,
    empty: [],
  },
  redis: {
    image: 'redis:8',
    create: ['name', 'appName', 'databasePassword', 'environmentId'],
    own: {},
    least: ['name', 'appName'],
    updateLeast: true,
    empty: [],
  },
};

/** Gives a function that makes worlds with the procedures of databases, without an engine. */
export function databaseWorlds(test: TestDatabase): (cloud?: boolean) => Promise<World> {
  const createWorld = worlds(test);
  return (cloud = false) => createWorld((database) => databaseProcedures(database, cloud));
}

function databaseProcedures(database: Database, cloud: boolean): Router[] {
  const stores = createStores(database);
  const names = createServiceNames(stores.serviceNames);
  const databases = createDatabases(
    stores.databases,
    { names, published: createPublishedPorts(stores.ports, [3000]) },
    systemClock,
  );
  const queue = createQueue(stores.jobs, systemClock, () => undefined);
  const logs = createFileLogs(join(tmpdir(), 'berth-no-logs'), systemClock);
  // Nobody listens there: what needs the engine says so.
  const hosts = ownHost();
  const deployments = createDeployments(
    stores.deployments,
    { services: { database: deployedOf(stores, databases, hosts) }, queue, logs },
    systemClock,
  );
  const turns = createTurns();
  const notThere = async (): Promise<never> => {
    throw new Error('nothing is released here');
  };
  return databaseRouters({
    unfinished: unfinishedOf(stores),
    databases,
    queue,
    deployments,
    logs,
    turns,
    interruption: idleInterruption(deployments, turns),
    liveOf: () => null,
    pendingChanges: async () => [],
    admission: createAdmission(hosts),
    isPortFree: async (_database, port) => port !== 17_000,
    requireMovable: movableOn(stores),
    majorOf: async ({ kind }, image) => majorOfImage(kind, image),
    runtime: createDatabaseRuntime({
      hosts,
      databases,
      turns,
      liveSpec: async () => undefined,
      currentSpec: notThere,
      releaseNow: notThere,
      isWorking: async () => false,
    }),
    members: createMembers(stores.members),
    requireServer: requirePlaceOn(stores.servers, async (serverId) => {
      if (cloud && !serverId) throw badField('serverId', 'is required');
    }),
    environment: async (environmentId) => {
      const placement = await stores.applications.placement(environmentId);
      if (!placement) throw new Error('no such environment');
      return environmentOf(placement);
    },
    removeStoredBackups: async () => {
      throw new AppError('PRECONDITION_FAILED', 'The destination is full of water.');
    },
    mounts: async () => [],
    backups: createBackups(stores.backups, systemClock).byDatabase,
    serverAddress: async () => '203.0.113.7',
  });
}

function movableOn(stores: Stores): DatabaseDesk['requireMovable'] {
  const neighbours = {
    server: (serverId: string, organizationId: string) => stores.servers.find({ serverId, organizationId }),
    requireServer: requirePlaceOn(stores.servers, async () => undefined),
    mounts: (databaseId: string) => stores.mounts.list({ databaseId }),
    published: createPublishedPorts(stores.ports, [3000]),
    isPortFree: async (_serverId: string | null, port: number) => port !== 17_000,
  };
  return (present, serverId, { hasHostReach }) =>
    requireDatabaseMovable(neighbours, present, serverId, hasHostReach);
}

/** What makes a database of the kind. */
export function inputOf(kind: DatabaseKindName, { place }: World): Record<string, unknown> {
  return {
    name: 'Main',
    appName: `main-${kind}`,
    ...documented[kind].own,
    databasePassword: 'Secret1',
    environmentId: place.environmentId,
  };
}
