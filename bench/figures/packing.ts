/** How long a folder of many files takes to be packed, beside `tar` on the same folder in the same run. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packFolder } from '../../cli/folder/pack.ts';
import { amount, median, type Figure } from '../figure.ts';

const run = promisify(execFile);
const files = 20_000;
const filesOfAFolder = 100;
const rounds = 5;
/** Times of tar that packing may take. */
const budget = 2;

/** An upload is compressed, so it stands beside `tar -cz`; what plain `tar -c` takes is told with it. */
export async function packingFigures(): Promise<Figure[]> {
  const place = await mkdtemp(join(tmpdir(), 'berth-packing-'));
  try {
    const folder = join(place, 'source');
    await fill(folder);
    const { signal } = new AbortController();
    const pack = async (): Promise<number> => {
      await using packed = await packFolder(folder, signal);
      return packed.files;
    };
    const tar = (how: string) => () => run('tar', [how, join(place, 'tar'), '-C', folder, '.']);
    // Once each, so that all find the files in memory.
    if ((await pack()) !== files) throw new Error('Not every file was packed.');
    await tar('-czf')();
    const [own, zipped, plain]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < rounds; round += 1) {
      own.push(await taken(pack));
      zipped.push(await taken(tar('-czf')));
      plain.push(await taken(tar('-cf')));
    }
    const ratio = median(own) / median(zipped);
    return [
      {
        name: `packing ${files.toLocaleString('en')} files`,
        kind: 'ratio',
        measured: `${amount(median(own), 'ms')}; ${ratio.toFixed(2)} ×`,
        baseline: `${amount(median(zipped), 'ms')} (tar -cz); ${amount(median(plain), 'ms')} (tar -c)`,
        budget: `≤ ${budget} ×`,
        isKept: ratio <= budget,
      },
    ];
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** Sources as they are: a few kilobytes of text each, no two the same. */
async function fill(folder: string): Promise<void> {
  for (let first = 0; first < files; first += filesOfAFolder) {
    const own = join(folder, `folder-${first / filesOfAFolder}`);
    await mkdir(own, { recursive: true });
    const writes = Array.from({ length: filesOfAFolder }, (_, at) => {
      const line = `export const value${first + at} = ${(first + at) * 7919}; // of file ${first + at}\n`;
      return writeFile(join(own, `file-${at}.ts`), line.repeat(1 + ((first + at) % 80)));
    });
    await Promise.all(writes);
  }
}

async function taken(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
