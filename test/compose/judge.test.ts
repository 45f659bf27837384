/**
 * What real docker compose and Berth make of the files of the corpus: the same, or the person is told. The
 * ordinary run judges a tenth of them.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ofThisRun } from '../run/mode.ts';
import { judge, type Verdict } from './judge/compare.ts';
import { corpus, type CorpusFile } from './judge/corpus.ts';
import { dockerCompose } from './judge/program.ts';

const limitMs = 600_000;
let folder: string;
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-compose-'));
  program = await dockerCompose(AbortSignal.timeout(limitMs));
}, limitMs);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function verdictOf(file: CorpusFile, index: number): Promise<Verdict> {
  const place = join(folder, String(index));
  await mkdir(place);
  for (const [path, text] of Object.entries(file.files)) {
    await mkdir(dirname(join(place, path)), { recursive: true });
    await writeFile(join(place, path), text);
  }
  return judge(program, place, file);
}

it('has at least two hundred files', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(200);
  expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length);
});

it(
  'is understood as docker compose understands it, or the person is told',
  async () => {
    const counts: Record<Verdict['outcome'], number> = { equal: 0, refused: 0, told: 0, different: 0 };
    const different: string[] = [];
    const told: string[] = [];
    for (const [index, file] of ofThisRun(corpus, 10).entries()) {
      const { outcome, silent, words } = await verdictOf(file, index);
      if (outcome === 'told') told.push(`${file.name}: ${words.join(' ')}`);
      counts[outcome] += 1;
      if (outcome === 'different') different.push(`${file.name}: ${silent.join('; ')}`);
    }
    console.log(
      `${counts.equal} equal, ${counts.refused} refused by both, ${counts.told} told, ` +
        `${counts.different} different\n${told.join('\n')}`,
    );
    expect(different).toEqual([]);
  },
  limitMs,
);
