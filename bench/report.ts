import { cpus, release, totalmem } from 'node:os';
import type { Figure } from './figure.ts';

export interface Circumstances {
  /** One-minute load average before the first figure. */
  load: number;
  generator: string;
}

/**
 * Below this load average, a core is free for each of server and generator, so absolute figures mean
 * something.
 */
const quietLoad = 1;

export function isQuiet({ load }: Circumstances): boolean {
  return load < quietLoad;
}

/** What fails the run: broken ratios always, absolute figures on a quiet machine. */
export function broken(figures: readonly Figure[], circumstances: Circumstances): Figure[] {
  return figures.filter(({ isKept, kind }) => !isKept && (kind === 'ratio' || isQuiet(circumstances)));
}

/** The table as Markdown, for the terminal and the file alike. */
export function report(figures: readonly Figure[], circumstances: Circumstances): string {
  const rows = figures.map(
    ({ name, measured, baseline, budget, isKept }) =>
      `| ${name} | ${measured} | ${baseline} | ${budget} | ${isKept ? 'kept' : 'MISSED'} |`,
  );
  return [
    '| figure | Berth | baseline | budget | |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    `Machine: ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'CPU'}, ` +
      `${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Node ${process.version}; load average ` +
      `at the start ${circumstances.load.toFixed(2)}` +
      (`${isQuiet(circumstances) ? '' : ' (not quiet: absolute figures are printed, not judged)'}; load ` +
        `by ${circumstances.generator}. SQLite, \`synchronous=FULL\`, medians of interleaved rounds.`),
    'The baseline is a node:http server written by hand for these paths (`bench/baseline/`): same ' +
      'look-ups, same database settings, same number of commits, no validation.',
    '',
  ].join('\n');
}
