/**
 * Two Berths on one engine, as a mistyped data folder or a restore beside the original makes them: whatever
 * the second one does, and wherever it is killed, the first loses nothing and is not interrupted.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCipher } from '../../../server/src/db/values/cipher.ts';
import type { Database } from '../../../server/src/db/database.ts';
import { migrate } from '../../../server/src/db/migrations.ts';
import { openSqlite } from '../../../server/src/db/sqlite.ts';
import { applicationRef } from '../../../server/src/domain/names/service-ref.ts';
import { giveUpIncarnation } from '../../../server/src/modules/installation/installation.ts';
import { isoTime, systemClock } from '../../../server/src/ports/clock.ts';
import type { Ground } from '../../../server/src/composition/ground.ts';
import { ofThisRun } from '../../run/mode.ts';
import { webImage } from '../images.ts';
import { inFolder, useVirtualTime } from '../matrix.ts';
import type { Machine } from '../neighbours.ts';
import { createReaper, type Reaper } from '../reaper.ts';
import { createMachine, placeOf, untilEnded } from '../trial.ts';
import { worldInstallation } from '../../installation.ts';
import { createWorld, type World, type WorldOptions } from '../world.ts';

useVirtualTime();

const kills = 20;
const cipher = createCipher(randomBytes(32));
const refusal = { code: 'CONFLICT', message: expect.stringContaining('Nothing was changed') };

interface Life {
  world: World;
  reaper: Reaper;
}

async function begin(
  machine: Machine,
  database: Database,
  folder: string,
  options: Pick<WorldOptions, 'installation' | 'adopts'>,
): Promise<Life> {
  mkdirSync(folder, { recursive: true });
  const reaper = createReaper(folder, [machine.memory.state]);
  const world = await reaper.run(() => createWorld(machine, database, folder, reaper, options));
  return { reaper, world };
}

async function sqliteIn(folder: string): Promise<Database> {
  mkdirSync(folder, { recursive: true });
  const database = openSqlite({ path: join(folder, 'berth.sqlite'), synchronous: 'NORMAL', cipher });
  await migrate(database, isoTime(systemClock));
  return database;
}

/** An application that is made and deployed; how its deployment ended. */
async function deploy(world: World, name: string): Promise<string> {
  const place = await placeOf(world);
  const { applicationId } = await world.applications.create({ ...place, name, appName: name });
  await world.applications.update(applicationId, place.organizationId, {
    sourceType: 'container',
    containerImage: webImage,
  });
  const { deploymentId } = await world.deployments.accept(applicationRef(applicationId), {
    kind: 'deploy',
    title: 'One',
    description: '',
  });
  world.wake();
  const { status, errorMessage } = await untilEnded(world, deploymentId);
  return status === 'done' ? status : `${status}: ${errorMessage ?? ''}`;
}

/** Everything of an engine that whoever is served by the first Berth would notice. */
function standing({ memory, routes }: Machine): unknown {
  const { services, tasks, networks, volumes, containers } = memory.state;
  return {
    services: [...services.values()].map(({ spec }) => structuredClone(spec)),
    tasks: [...tasks.values()].map(({ id }) => id).toSorted(),
    networks: [...networks.keys()].toSorted(),
    volumes: [...volumes.keys()].toSorted(),
    containers: [...containers.keys()].toSorted(),
    routes: routes.digest,
  };
}

let made = 0;

/** What the second one tries, in an order that the number decides. */
const tries: readonly ((life: Life, machine: Machine) => Promise<unknown>)[] = [
  ({ world }) => expect(world.start()).rejects.toMatchObject(refusal),
  ({ world }) => world.reconciler.run(),
  async ({ world }, { memory }) => {
    // The engine does not answer while it starts, and does later: it works then, and may change nothing.
    memory.setAway(true);
    const starting = world.start();
    await starting;
    memory.setAway(false);
    await world.reconciler.run();
    expect(await deploy(world, `theirs-${(made += 1)}`)).toMatch(/^error: .*Nothing was changed/);
  },
  async ({ world }) => {
    await world.reconciler.run();
    await world.reconciler.stop();
  },
];

const inOrder = <T>(values: readonly T[], seed: number): T[] =>
  values
    .map((value, index) => ({ value, rank: ((index + 1) * 7919 * (seed + 1)) % 97 }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ value }) => value);

const life = (
  incarnationId: string,
  cause: 'created' | 'restored',
): Ground['installation']['incarnation'] => ({
  incarnationId,
  cause,
  startedAt: isoTime(systemClock),
  endedAt: null,
});

interface Pair {
  machine: Machine;
  first: Life;
  theirs: Database;
  /** A start of the second one on its own data folder. */
  second(installation: Ground['installation'], adopts?: boolean): Promise<Life>;
}

/** An installation that runs, and the database of a second one. */
async function withPair(work: (pair: Pair) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const machine = await createMachine();
    const [mine, theirs] = [await sqliteIn(join(folder, 'first')), await sqliteIn(join(folder, 'second'))];
    const first = await begin(machine, mine, join(folder, 'first'), { installation: worldInstallation });
    await first.reaper.run(async () => {
      await first.world.start();
      expect(await deploy(first.world, 'mine')).toBe('done');
      await first.world.reconciler.run();
    });
    first.world.drift.length = 0;
    await work({
      machine,
      first,
      theirs,
      second: (installation, adopts = false) =>
        begin(machine, theirs, join(folder, 'second'), { installation, adopts }),
    });
    first.reaper.kill();
    await mine.close();
    await theirs.close();
  });
}

const empty = { installationId: 'secondone', incarnation: life('one', 'created') };
const restored = {
  installationId: worldInstallation.installationId,
  incarnation: life('second', 'restored'),
};

describe('a second Berth on an engine', () => {
  it.each([
    ['with an empty database', empty],
    ['restored from a backup of the first', restored],
  ])('%s changes nothing, wherever it is killed', (_name, installation) =>
    withPair(async ({ machine, first, theirs, second }) => {
      const before = standing(machine);
      const points = Array.from({ length: kills }, (_, index) => (index + 1) * 3);
      for (const kill of ofThisRun(points, 8)) {
        const other = await second(installation);
        other.reaper.arm(kill);
        const work = async (): Promise<void> => {
          for (const attempt of inOrder(tries, kill)) await attempt(other, machine);
        };
        await Promise.race([other.reaper.run(work), other.reaper.killed]);
        machine.memory.setAway(false);
        other.reaper.kill();
        await theirs.attempt(async () => undefined);
        expect(standing(machine), `killed at ${kill}`).toEqual(before);
      }
      await first.reaper.run(() => first.world.reconciler.run());
      expect(first.world.drift).toEqual([]);
    }),
  );

  it('that adopts takes the proxy and leaves everything else, and the first changes nothing of its', () =>
    withPair(async ({ machine, first, second }) => {
      const { memory } = machine;
      const others = (): unknown =>
        [...memory.state.services.values()].flatMap(({ spec }) =>
          spec.Name === 'berth-proxy' ? [] : [structuredClone(spec)],
        );
      const before = others();
      const other = await second(empty, true);
      await other.reaper.run(async () => {
        await other.world.start();
        await other.world.reconciler.run();
      });
      expect(others()).toEqual(before);
      const markOf = async (): Promise<unknown> => (await memory.engine.markOf('berth-proxy'))?.labels;
      expect(await markOf()).toMatchObject({ 'berth.installation': 'secondone' });
      await first.reaper.run(() => first.world.reconciler.run());
      expect(first.world.drift).toEqual([expect.stringContaining('belongs to the installation secondone')]);
      expect(await markOf()).toMatchObject({ 'berth.installation': 'secondone' });
      other.reaper.kill();
    }));

  it('that was restored goes on once the first is given up by its name', () =>
    withPair(async ({ first, second }) => {
      first.reaper.kill();
      const other = await second(restored);
      await other.reaper.run(async () => {
        await expect(other.world.start()).rejects.toMatchObject(refusal);
        const { incarnationId } = worldInstallation.incarnation;
        await giveUpIncarnation(other.world.stores.installation, incarnationId, isoTime(systemClock));
        await other.world.start();
        expect(await deploy(other.world, 'again')).toBe('done');
      });
      other.reaper.kill();
    }));
});
