/**
 * `npm run check`: everything that can be known without an engine. One line a check, faults below, exit
 * code 1 when there is any.
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryFolder } from '../test/bed/layout.ts';
import { modeVariables, quickProjects } from '../test/run/mode.ts';
import { arrowFaults } from './arrows/arrows.ts';
import { readGraph } from './arrows/graph.ts';
import { programFaults, runCheck, type Check, type Outcome } from './check/run-check.ts';
import { staleFiles } from './generate/freshness.ts';
import { compositionFaults } from './house/composition.ts';
import { commentsBelow, dialectFaults } from './house/dialect.ts';
import { folderFaults } from './house/folders.ts';
import { formatFaults } from './house/format.ts';
import { mapFaults } from './house/map.ts';
import { nameFaults } from './house/names.ts';
import { oneMachineFaults } from './house/one-machine.ts';
import { linesOf, widthFaults } from './house/width.ts';
import { sourceFiles } from './source-files.ts';

const root = join(import.meta.dirname, '..');
const program = (name: string): string => join(root, 'node_modules/.bin', name);

const typesKept = join(root, 'node_modules/.cache/types.tsbuildinfo');

/** The dashboard's own packages are there for those alone who work on it. */
const hasDashboard = existsSync(join(root, 'web/node_modules'));

const checks: readonly Check[] = [
  ...(hasDashboard
    ? [
        {
          name: 'web types',
          faults: () => programFaults([program('tsc'), '--noEmit', '-p', 'web/tsconfig.json'], root),
        },
      ]
    : []),
  {
    name: 'types',
    // What the compiler learned is kept between checks: the next one reads only what changed since.
    faults: () =>
      programFaults(
        [program('tsc'), '--noEmit', '-p', 'tsconfig.json', '--incremental', '--tsBuildInfoFile', typesKept],
        root,
      ),
  },
  {
    name: 'lint',
    faults: () =>
      programFaults(
        [
          program('oxlint'),
          '--type-aware',
          '--deny-warnings',
          '--format=unix',
          ...(hasDashboard ? [] : ['--ignore-pattern=web/**']),
        ],
        root,
      ),
  },
  { name: 'unit tests', faults: unitFaults },
  { name: 'format', faults: () => formatFaults(root) },
  { name: 'width', faults: async () => widthFaults(await linesOf(root)) },
  { name: 'hosts', faults: async () => oneMachineFaults(await linesOf(root)) },
  {
    name: 'arrows',
    faults: async () => [...arrowFaults(await readGraph(root)), ...compositionFaults(await linesOf(root))],
  },
  { name: 'names', faults: async () => nameFaults(await sourceFiles(root)) },
  {
    name: 'map',
    faults: async () => {
      const sources = await sourceFiles(root);
      return [
        ...mapFaults(await readFile(join(root, 'ARCHITECTURE.md'), 'utf8'), sources),
        ...folderFaults(sources),
      ];
    },
  },
  { name: 'wording', faults: async () => dialectFaults(await commentsBelow(root)) },
  { name: 'generated', faults: generatedFaults },
];

/** Store tests run on SQLite alone; in memory, what they write costs half. */
async function unitFaults(): Promise<string[]> {
  const scratch = await mkdtemp(join(memoryFolder ?? tmpdir(), 'berth-check-'));
  const argv = ['run', ...quickProjects.flatMap((name) => ['--project', name]), '--reporter=dot'];
  try {
    return await programFaults([program('vitest'), ...argv, '--maxWorkers=2'], root, {
      [modeVariables.quick]: '1',
      TMPDIR: scratch,
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Loaded late, so that a contract that does not load fails this check and no other. */
async function generatedFaults(): Promise<string[]> {
  const { generatedFiles, generatedFolder } = await import('./generate/generated-files.ts');
  const stale = await staleFiles(root, { files: generatedFiles(root), folder: generatedFolder });
  return stale.map((what) => `${what}. Run npm run generate and commit the result.`);
}

function report({ name, faults, took }: Outcome): void {
  process.stdout.write(
    `${faults.length === 0 ? 'ok  ' : 'FAIL'}  ${name.padEnd(11)} ` +
      `${(took / 1000).toFixed(1).padStart(5)} s\n`,
  );
  for (const fault of faults) process.stdout.write(`${fault.replaceAll(/^/gm, '      ')}\n`);
}

/** Used by this process and its ended children (proc(5), /proc/pid/stat, fields 14 to 17, in 1/100 s). */
function processorSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ').slice(11, 15) ?? [];
  return fields.reduce((sum, ticks) => sum + Number(ticks) / 100, 0);
}

const start = performance.now();
const outcomes = await Promise.all(
  checks.map(async (check) => {
    const outcome = await runCheck(check);
    report(outcome);
    return outcome;
  }),
);
const failed = outcomes.filter(({ faults }) => faults.length > 0).map(({ name }) => name);
process.stdout.write(
  `${failed.length === 0 ? `All ${outcomes.length} checks passed` : `Failed: ${failed.join(', ')}`} ` +
    `(${((performance.now() - start) / 1000).toFixed(1)} s, ` +
    `${processorSeconds().toFixed(0)} s of processor time)\n`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
