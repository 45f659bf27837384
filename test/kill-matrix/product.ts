/** The product on an engine in memory, for tests of what its deployments are made of. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { DeploymentRecord, TableRecord } from '../../server/src/db/tables.ts';
import type { DatabaseKindName } from '../../server/src/domain/database-kind.ts';
import { applicationRef, databaseRef, type ServiceRef } from '../../server/src/domain/names/service-ref.ts';
import type { ApplicationInput } from '../../server/src/modules/application/application.ts';
import type { Accepting } from '../../server/src/modules/deployment/deployment.ts';
import { installVirtualTime } from '../virtual-time/virtual-time.ts';
import { oldRedis, webImage } from './images.ts';
import { serverRecord, type Machine } from './neighbours.ts';
import { createInstallation, createMachine, untilEnded, type Installation } from './trial.ts';
import type { World } from './world.ts';

const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const nothing = {
  name: 'nothing',
  isServed: false,
  begin: async () => async () => {
    throw new Error('nothing is killed here');
  },
};

export interface ProductInMemory {
  organizationId: string;
  environmentId: string;
  /** The engine of Berth's own machine. */
  memory: Machine['memory'];
  run<T>(work: (world: World) => Promise<T>): Promise<T>;
  /** How it ended. */
  deploy(service: ServiceRef, accepting?: Partial<Accepting>): Promise<DeploymentRecord>;
  /** The lines of a deployment's log. */
  logOf(deployment: DeploymentRecord): string[];
  /** Variables that the engine gives a service's tasks. */
  envOf(name: string): Record<string, string>;
  /** A set-up server of the organization, with an engine of its own. */
  addServer(change?: Partial<TableRecord<'server'>>): Promise<{ serverId: string; machine: Machine }>;
  /** A web server from an image, with these settings. */
  addApplication(
    name: string,
    settings?: ApplicationInput,
    place?: { environmentId: string; serverId?: string },
  ): Promise<ServiceRef>;
  addDatabase(
    kind: DatabaseKindName,
    name: string,
    change?: Partial<TableRecord<'database'>>,
  ): Promise<ServiceRef>;
}

/** Opens one for all tests of a file; it is there when they run. */
export function productInMemory(): () => ProductInMemory {
  let installation: Installation | undefined;
  let uninstall: () => void = () => undefined;
  const folder = mkdtempSync(join(inMemory, 'berth-product-'));
  beforeAll(async () => {
    uninstall = installVirtualTime();
    installation = await createInstallation(nothing, folder);
  });
  afterAll(async () => {
    await installation?.close();
    rmSync(folder, { recursive: true });
    uninstall();
  });
  return () => {
    if (!installation) throw new Error('It is not open yet.');
    return productOn(installation);
  };
}

function productOn({ machine, place, run }: Installation): ProductInMemory {
  const { organizationId, environmentId } = place;
  return {
    ...place,
    memory: machine.memory,
    run,
    deploy: (service, accepting = {}) =>
      run(async (world) => {
        const { deploymentId } = await world.deployments.accept(service, {
          kind: 'deploy',
          title: 'One',
          description: '',
          ...accepting,
        });
        world.wake();
        return untilEnded(world, deploymentId);
      }),
    logOf: ({ deploymentId }) => machine.logs.get(deploymentId) ?? [],
    envOf(name) {
      const found = [...machine.memory.state.services.values()].find(({ spec }) => spec.Name === name);
      const env = found?.spec.TaskTemplate.ContainerSpec.Env ?? [];
      return Object.fromEntries(
        env.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
      );
    },
    addServer: (change = {}) =>
      run(async ({ stores }) => {
        const added = { ...serverRecord(organizationId), ...change };
        // What is built there comes from Berth's own disk.
        const far = { ...(await createMachine()), disk: machine.disk };
        machine.others.set(added.serverId, far);
        await stores.servers.insert(added);
        return { serverId: added.serverId, machine: far };
      }),
    addApplication: (name, settings = {}, at = { environmentId }) =>
      run(async ({ applications }) => {
        const { applicationId } = await applications.create({ organizationId, ...at, name, appName: name });
        await applications.update(applicationId, organizationId, {
          sourceType: 'container',
          containerImage: webImage,
          ...settings,
        });
        return applicationRef(applicationId);
      }),
    addDatabase: (kind, name, change = {}) =>
      run(async ({ databases }) => {
        const { databaseId } = await databases.create(organizationId, kind, {
          name,
          appName: name,
          databaseName: 'shop',
          databaseUser: 'keeper',
          databasePassword: 'very:secret',
          environmentId,
          containerImage: kind === 'redis' ? oldRedis : null,
        });
        await databases.patch(databaseId, change);
        return databaseRef(databaseId);
      }),
  };
}
