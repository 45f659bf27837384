/**
 * Every way of deploying × every danger of a compose file and of a mount × whoever brings it in, against
 * Berth's own composition on an engine in memory: no danger reaches the engine that nobody approved who may.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { walls } from '../../server/src/composition/hosts/walls.ts';
import { dangerKinds } from '../../server/src/domain/access/danger.ts';
import { ofThisRun } from '../run/mode.ts';
import { installVirtualTime } from '../virtual-time/virtual-time.ts';
import { tryCell } from './cell.ts';
import type { Cell } from './scene.ts';
import { createStage, type Stage } from './stage.ts';
import {
  authors,
  composeDangers,
  expected,
  mountDanger,
  paths,
  volumeOfOthers,
  type Author,
  type DangerRow,
  type Deployable,
  type Outcome,
  type Path,
} from './table.ts';

const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
let uninstall: () => void;

beforeAll(() => {
  uninstall = installVirtualTime();
});
afterAll(() => uninstall());

const pathNames = Object.keys(paths).filter((name): name is Path => name in paths);

/** A sixth of them in the ordinary run, by its seed. */
const cells: readonly Cell[] = ofThisRun(
  pathNames.flatMap((path) =>
    paths[path].flatMap((deployable: Deployable) =>
      authors.flatMap((author) =>
        dangersOf(deployable, author).map((danger): Cell => ({ path, deployable, author, danger })),
      ),
    ),
  ),
  6,
);

function dangersOf(deployable: Deployable, author: Author): readonly DangerRow[] {
  if (deployable === 'compose') return composeDangers;
  // No repository says what is mounted into its application.
  return author === 'a stranger who pushes' ? [] : [mountDanger];
}

async function onStage<T>(
  work: (stage: Stage) => Promise<T>,
  without?: Parameters<typeof createStage>[1],
): Promise<T> {
  const folder = mkdtempSync(join(inMemory, 'berth-dangers-'));
  const stage = await createStage(folder, without);
  stage.machine.memory.state.volumes.set(volumeOfOthers, { name: volumeOfOthers, labels: {} });
  try {
    return await work(stage);
  } finally {
    await stage[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  }
}

const titleOf = ({ deployable, path, danger, author }: Cell): string =>
  `${deployable}, ${path}, ${danger.what}, ${author}`;

describe('a danger', () => {
  const counts: Record<Outcome, number> = { 'reaches the machine': 0, held: 0 };
  let atTheDoor = 0;

  it.each(pathNames)('by way of: %s', async (path) => {
    const faults = await onStage(async (stage) => {
      const found: string[] = [];
      for (const cell of cells.filter((one) => one.path === path)) {
        const came = await tryCell(stage, cell);
        counts[came.outcome] += 1;
        if (came.atTheDoor) atTheDoor += 1;
        const wanted = expected(path, cell.author);
        const isExplained =
          came.outcome === 'reaches the machine' ||
          /would reach the server itself|^done$|^reconciled$/.test(came.said);
        if (came.outcome !== wanted || !isExplained || came.said.startsWith('It did not'))
          found.push(`${titleOf(cell)}: ${came.outcome} instead of ${wanted}: ${came.said}`);
      }
      return [...found, ...stage.world.faults];
    });
    expect(faults).toEqual([]);
  });

  it('of every kind was tried, and most were held', () => {
    expect(new Set(composeDangers.map(({ what }) => what))).toEqual(new Set(dangerKinds));
    console.log(
      `dangers: ${pathNames.length} ways of deploying, ${dangerKinds.length} dangers, ${authors.length} ` +
        `authors: ${cells.length} cells; ${counts.held} held, of which ${atTheDoor} at the interface and ` +
        `behind it; ${counts['reaches the machine']} approved by who may`,
    );
  });
});

it('reaches the machine from everybody where the walls are left out', async () => {
  const open = { ...walls, judge: () => async () => undefined, judgeFile: () => async () => undefined };
  const faults = await onStage(async (stage) => {
    const found: string[] = [];
    for (const cell of cells.filter(({ path }) => path === 'manual' || path === 'upgrade')) {
      const came = await tryCell(stage, cell);
      if (came.outcome === 'held') found.push(`${titleOf(cell)}: ${came.said}`);
    }
    return found;
  }, open);
  expect(faults).toEqual([]);
});
