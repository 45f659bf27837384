/**
 * `npm run bench [-- GROUP…]`: the figures we promise, each beside its baseline in the same run. Prints the
 * table; a run of all groups writes bench/results.md. `npm run bench -- --help` lists the groups.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundlePrograms, packageProgram } from '../tools/package/program.ts';
import type { Bench } from './bench.ts';
import type { Figure } from './figure.ts';
import { groupNames, groups, type GroupName } from './groups.ts';
import { hasWrk } from './load/wrk.ts';
import { broken, report } from './report.ts';

const root = join(import.meta.dirname, '..');
const say = (text: string): void => void process.stderr.write(`${text}\n`);
const isRoot = process.getuid?.() === 0;

const help = [
  'npm run bench [-- GROUP…]: measures the groups that are named, or all, and prints their table.',
  '',
  ...groupNames.map(
    (name) => `  ${name.padEnd(12)} ${groups[name].summary}${groups[name].needs === 'bed' ? ' (root)' : ''}`,
  ),
  '',
  'Needs the packages of development (npm ci; bin/up alone does not install them). Groups marked "root" make',
  'engines of their own in namespaces on Debian 12, as bin/test does. wrk is used where it is installed.',
  'The exit code is 1 when a figure misses its budget; absolute times count on a quiet machine alone.',
  '',
].join('\n');

const baselineProgram = 'bench/baseline/server';

/** The groups that the command line names, or all. */
function chosenGroups(words: readonly string[]): GroupName[] {
  const unknown = words.filter((word) => !groupNames.some((name) => name === word));
  if (unknown.length > 0)
    throw new Error(`The bench has no group "${unknown.join('", "')}". It has: ${groupNames.join(', ')}.`);
  return words.length === 0 ? [...groupNames] : groupNames.filter((name) => words.includes(name));
}

async function measure(names: readonly GroupName[], bench: Bench): Promise<Figure[]> {
  if (names.some((name) => groups[name].needs === 'built')) {
    say('Building …');
    await packageProgram();
    await bundlePrograms({ [baselineProgram]: baselineProgram }, join(root, 'bench/dist'));
  }
  const figures: Figure[] = [];
  for (const name of names)
    if (groups[name].needs === 'bed' && !isRoot) say(`${name} is left out: it needs root for the test bed.`);
    else figures.push(...(await groups[name].figures(bench)));
  return figures;
}

async function main(words: readonly string[]): Promise<number> {
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(help);
    return 0;
  }
  const names = chosenGroups(words);
  const circumstances = {
    load: loadavg()[0] ?? 0,
    generator: hasWrk() ? 'wrk' : 'our own generator (wrk is not installed)',
  };
  const folder = await mkdtemp(join(tmpdir(), 'berth-bench-'));
  try {
    const figures = await measure(names, { root, folder, say });
    const text = report(figures, circumstances);
    process.stdout.write(text);
    if (names.length === groupNames.length && isRoot)
      await writeFile(
        join(root, 'bench/results.md'),
        `# Figures\n\nWritten by \`npm run bench\`.\n\n${text}`,
      );
    const missed = broken(figures, circumstances);
    if (missed.length > 0) say(`Missed: ${missed.map(({ name }) => name).join('; ')}`);
    return missed.length === 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
