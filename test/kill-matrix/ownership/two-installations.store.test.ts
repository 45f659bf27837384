/**
 * Two Berths on one engine, as a mistyped data folder or a restore beside the original makes them: whatever
 * the second one does, and wherever it is killed, the first loses nothing and is not interrupted.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../../server/src/db/database.ts';
import { sql } from 'kysely';
import { tables } from '../../../server/src/db/tables.ts';
import { applicationRef } from '../../../server/src/domain/names/service-ref.ts';
import { giveUpIncarnation } from '../../../server/src/modules/installation/installation.ts';
import { isoTime, systemClock } from '../../../server/src/ports/clock.ts';
import type { Ground } from '../../../server/src/composition/ground.ts';
import { ofThisRun } from '../../run/mode.ts';
import { bothDatabases, type TestDatabase } from '../../store/each-database.ts';
import { holdTimeForPostgres } from '../../virtual-time/postgres-time.ts';
import { webImage } from '../images.ts';
import { inFolder, useVirtualTime } from '../matrix.ts';
import type { Machine } from '../neighbours.ts';
import { createReaper, type Reaper } from '../reaper.ts';
import { createMachine, placeOf, untilEnded } from '../trial.ts';
import { worldInstallation } from '../../installation.ts';
import { createWorld, type World, type WorldOptions } from '../world.ts';

useVirtualTime();
let letGo: () => void;
beforeAll(() => {
  letGo = holdTimeForPostgres();
});
afterAll(() => letGo());

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

/** Puts the rows of one database into another one of its kind, as a restore of its backup does. */
async function restore(test: TestDatabase, from: Database): Promise<Database> {
  if (from.dialect === 'sqlite') {
    const path = `${test.locationOf(from)}.restored`;
    rmSync(path, { force: true });
    await from.script(`VACUUM INTO '${path}'`);
    return test.openAt(path, from.cipher);
  }
  const to = await test.open();
  const copies: string[] = [];
  for (const name of Object.keys(tables)) {
    const text = `select json_agg(t)::text as "rows" from "${name}" as t`;
    const [found] = await from.run<{ rows: string | null }>(
      sql.raw<{ rows: string | null }>(text).compile(from.builder),
    );
    if (found?.rows)
      copies.push(
        `delete from "${name}"; insert into "${name}" ` +
          `select * from json_populate_recordset(null::"${name}", $rows$${found.rows}$rows$)`,
      );
  }
  await to.script(
    ['set session_replication_role = replica', ...copies, 'reset session_replication_role'].join('; '),
  );
  return to;
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

/** Every order of the values. */
const ordersOf = <T>(values: readonly T[]): T[][] =>
  values.length === 0
    ? [[]]
    : values.flatMap((first, index) =>
        ordersOf(values.toSpliced(index, 1)).map((others) => [first, ...others]),
      );

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
  second(adopts?: boolean): Promise<Life>;
}

/** What the second installation is, and where its database comes from. */
interface Second {
  installation: Ground['installation'];
  database(test: TestDatabase, first: Database): Promise<Database>;
}

/** An installation that runs, and a second one with a database of its own. */
async function withPair(
  test: TestDatabase,
  { installation, database }: Second,
  work: (pair: Pair) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const machine = await createMachine();
    const mine = await test.open();
    const first = await begin(machine, mine, join(folder, 'first'), { installation: worldInstallation });
    await first.reaper.run(async () => {
      await first.world.start();
      expect(await deploy(first.world, 'mine')).toBe('done');
      await first.world.reconciler.run();
    });
    first.world.drift.length = 0;
    const theirs = await database(test, mine);
    await work({
      machine,
      first,
      theirs,
      second: (adopts = false) => begin(machine, theirs, join(folder, 'second'), { installation, adopts }),
    });
    first.reaper.kill();
  });
}

const empty: Second = {
  installation: { installationId: 'secondone', incarnation: life('one', 'created') },
  database: (test) => test.open(),
};
const restored: Second = {
  installation: {
    installationId: worldInstallation.installationId,
    incarnation: life('second', 'restored'),
  },
  database: restore,
};

bothDatabases('a second Berth on an engine', (test, dialect) => {
  it.each([
    ['with an empty database', empty],
    ['restored from a backup of the first', restored],
  ])('%s changes nothing, wherever it is killed', (_name, which) =>
    withPair(test, which, async ({ machine, first, theirs, second }) => {
      const before = standing(machine);
      // One kill for each order of what it tries, every one later than the one before.
      const points = ordersOf(tries).map((order, index) => ({ order, kill: (index + 1) * 3 }));
      for (const { order, kill } of ofThisRun(points, dialect === 'sqlite' ? 8 : points.length)) {
        const other = await second();
        other.reaper.arm(kill);
        const work = async (): Promise<void> => {
          for (const attempt of order) await attempt(other, machine);
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
    withPair(test, empty, async ({ machine, first, second }) => {
      const { memory } = machine;
      const others = (): unknown =>
        [...memory.state.services.values()].flatMap(({ spec }) =>
          spec.Name === 'berth-proxy' ? [] : [structuredClone(spec)],
        );
      const before = others();
      const other = await second(true);
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
    withPair(test, restored, async ({ first, second }) => {
      first.reaper.kill();
      const other = await second();
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
