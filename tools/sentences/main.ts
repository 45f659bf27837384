/**
 * `node tools/sentences/main.ts`: every sentence that people read. `--sample 100 --seed 15` takes a hundred
 * of them, and `--before FOLDER`, the checked-out tree of an earlier commit, takes them there and puts
 * today's beside each, as a table in Markdown.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sourceFiles } from '../source-files.ts';
import { sentencesOf, type Sentence } from './collect.ts';
import { pairsOf } from './pair.ts';
import { sample } from './sample.ts';
import { tableOf } from './table.ts';

const root = join(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: { before: { type: 'string' }, sample: { type: 'string' }, seed: { type: 'string' } },
});
const seed = Number(values.seed ?? '15');
const today = await allSentences(root);
if (values.before === undefined) {
  const chosen = values.sample === undefined ? today : sample(today, Number(values.sample), seed);
  process.stdout.write(chosen.map(({ file, text }) => `${file}\t${text}\n`).join(''));
} else {
  const before = await allSentences(values.before);
  const chosen = sample(before, Number(values.sample ?? '100'), seed);
  process.stdout.write(tableOf(pairsOf(chosen, before, today)));
}

/** Of server, set-up, command line and dashboard; each text once, tests left out. */
async function allSentences(folder: string): Promise<Sentence[]> {
  const read = /^(server\/src|setup|cli|web\/src)\/.*\.tsx?$/u;
  const unread = /\.test\.tsx?$|^web\/src\/(generated|design)\/|^server\/src\/db\/migrations\.ts$/u;
  const files = (await sourceFiles(folder)).filter((file) => read.test(file) && !unread.test(file));
  const found = new Map<string, Sentence>();
  for (const file of files) {
    const source = await readFile(join(folder, file), 'utf8');
    for (const sentence of sentencesOf(file, source))
      if (!found.has(sentence.text)) found.set(sentence.text, sentence);
  }
  return [...found.values()];
}
