/** One deployment, killed at one call, gone on with by the next start, and looked at. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCipher } from '../../server/src/db/values/cipher.ts';
import type { Database } from '../../server/src/db/database.ts';
import { migrate } from '../../server/src/db/migrations.ts';
import { openSqlite } from '../../server/src/db/sqlite.ts';
import type { DeploymentRecord } from '../../server/src/db/tables.ts';
import { createProjects } from '../../server/src/modules/project/project.ts';
import { isoTime, randomId, systemClock } from '../../server/src/ports/clock.ts';
import { createEngineInMemory } from '../engine-in-memory/engine-in-memory.ts';
import { fillEngine, mountedPrograms, redis, web } from './images.ts';
import { judge, watchServing } from './judge.ts';
import type { Asked, Kind, Place, Stage } from './kinds.ts';
import { serverRecord, type Machine } from './neighbours.ts';
import { createReaper, type Reaper } from './reaper.ts';
import { createWorld, type World } from './world.ts';

export interface Trial {
  /** The call that never happened; undefined when the deployment ended before it. */
  killedAt: string | undefined;
  /** How many calls it made until then. */
  calls: number;
  deployment: DeploymentRecord;
  attempts: number;
  /** What must not be. */
  faults: string[];
}

/** An installation on which deployments of one kind are made and killed, one after another. */
export interface Installation {
  /**
   * Kills the next deployment at the kill point of this number, and the starts after it at those of theirs.
   */
  tryAt(killPoint: number, further?: readonly number[]): Promise<Trial>;
  close(): Promise<void>;
  machine: Machine;
  place: Place;
  /** Work with the Berth that runs now. */
  run<T>(work: (world: World) => Promise<T>): Promise<T>;
}

/** Milliseconds of virtual time that a deployment may take, restarts included. */
const limitMs = 30 * 60_000;
const lookMs = 500;
const databaseName = 'berth.sqlite';
const cipher = createCipher(randomBytes(32));

/** A fresh installation in the folder, with everything that the kind needs before its first deployment. */
export async function createInstallation(kind: Kind, folder: string): Promise<Installation> {
  const database = openSqlite({ path: join(folder, databaseName), synchronous: 'NORMAL', cipher });
  await migrate(database, isoTime(systemClock));
  const machine = await createMachine();
  if (kind.hasServer) machine.others.set('far', { ...(await createMachine()), disk: machine.disk });
  let life = await begin(machine, database, folder);
  const place = await life.reaper.run(async () => {
    await life.world.start();
    const made = await placeOf(life.world);
    if (kind.hasServer) await life.world.stores.servers.insert(serverRecord(made.organizationId, 'far'));
    return made;
  });
  const stands = (kind.standsThere && machine.others.get('far')) || machine;
  const stage = (): Stage => stageOf(machine, stands, life.world, place);
  const next = await life.reaper.run(() => kind.begin(stage()));

  /** What the killed one had begun in the database is taken back when everything before this is over. */
  async function revive(): Promise<void> {
    await database.attempt(async () => undefined);
    life = await begin(machine, database, folder);
  }
  const startAndEnd = async (deploymentId: string): Promise<DeploymentRecord> => {
    await life.world.start();
    return untilEnded(life.world, deploymentId);
  };

  return {
    async tryAt(killPoint, further = []) {
      const asked = await life.reaper.run(() => next(stage()));
      await life.reaper.run(() => life.world.reconciler.run());
      const deploymentId = await life.reaper.run(() => accept(life.world, asked));
      const before = [...stands.memory.state.services.values()].map(({ spec }) => spec.Name);
      const served = kind.isServed ? watchServing(stands, asked.services[0] ?? '') : undefined;
      const { calls, killedAt } = await killed(life, killPoint, () => {
        life.world.wake();
        return untilEnded(life.world, deploymentId);
      });
      for (const point of further) {
        await revive();
        await killed(life, point, () => startAndEnd(deploymentId));
      }
      if (life.reaper.isDead()) {
        await revive();
        await life.reaper.run(() => startAndEnd(deploymentId));
      }
      const { world, reaper } = life;
      const trial = await reaper.run(async () => {
        const deployment = await untilEnded(world, deploymentId);
        const faults = await judge({ machine: stands, world, asked, deployment, before });
        return { deployment, faults, attempts: Math.max(...(await attemptsOf(world))) };
      });
      return { ...trial, killedAt, calls, faults: [...trial.faults, ...(served?.() ?? [])] };
    },
    async close() {
      life.reaper.kill();
      await database.close();
    },
    machine,
    place,
    run: (work) => life.reaper.run(() => work(life.world)),
  };
}

/** Lets something go on until it is killed or ends. */
async function killed(
  { reaper }: Life,
  killPoint: number,
  work: () => Promise<unknown>,
): Promise<{ calls: number; killedAt: string | undefined }> {
  reaper.arm(killPoint);
  await Promise.race([reaper.run(work), reaper.killed]);
  const calls = [...reaper.calls()];
  const killedAt = reaper.isDead() ? calls.at(-1) : undefined;
  reaper.arm(Infinity);
  return { calls: calls.length, killedAt };
}

interface Life {
  world: World;
  reaper: Reaper;
}

async function begin(machine: Machine, database: Database, folder: string): Promise<Life> {
  const reaper = createReaper(
    folder,
    [machine, ...machine.others.values()].map(({ memory }) => memory.state),
  );
  return { reaper, world: await reaper.run(() => createWorld(machine, database, folder, reaper)) };
}

async function attemptsOf({ stores }: World): Promise<number[]> {
  return (await stores.jobs.list({})).map(({ attempts }) => attempts);
}

/** A machine with nothing on it but images. */
export async function createMachine(): Promise<Machine> {
  const memory = createEngineInMemory({ mountedPrograms });
  await fillEngine(memory);
  return {
    memory,
    disk: new Map(),
    routes: { digest: '' },
    repository: { Dockerfile: 'FROM scratch' },
    built: web,
    buildMs: 0,
    logs: new Map(),
    readied: [],
    others: new Map(),
  };
}

/** An organization of its own, with an environment. */
export async function placeOf({ stores, environments }: World): Promise<Place> {
  const organizationId = randomId();
  await stores.organizations.insert({
    organizationId,
    name: 'One',
    trusted: false,
    parentOrganizationId: null,
    createdAt: isoTime(systemClock),
    requireTwoFactor: false,
  });
  const { environment } = await createProjects(stores.projects, environments, systemClock).create(
    organizationId,
    { name: 'One' },
  );
  return { organizationId, environmentId: environment.environmentId };
}

function stageOf({ others }: Machine, stands: Machine, world: World, place: Place): Stage {
  const { memory } = stands;
  return {
    serverId: stands === others.get('far') ? 'far' : null,
    addRedis: (major) => memory.addImage(`redis:${major}`, redis(`${major}.0.0`)),
    far: others.get('far')?.memory.state,
    world,
    place,
    async deploy(service, accepting) {
      const deploymentId = await accept(world, { service, accepting });
      world.wake();
      const ended = await untilEnded(world, deploymentId);
      if (ended.status !== 'done') throw new Error(`The deployment before failed: ${ended.errorMessage}`);
      return ended.deploymentId;
    },
  };
}

async function accept(
  { deployments }: World,
  { service, accepting }: Pick<Asked, 'service' | 'accepting'>,
): Promise<string> {
  const asked = { kind: 'deploy', title: 'One', description: '', ...accepting } as const;
  return (await deployments.accept(service, asked)).deploymentId;
}

export async function untilEnded({ deployments }: World, deploymentId: string): Promise<DeploymentRecord> {
  const end = Date.now() + limitMs;
  for (;;) {
    const found = await deployments.find(deploymentId);
    if (found && found.status !== 'queued' && found.status !== 'running') return found;
    if (Date.now() > end)
      throw new Error(`The deployment is ${found?.status} for ever, in the stage ${found?.stage}.`);
    await sleep(lookMs);
  }
}
