/** How soon the command line says something, beside a bare start of Node in the same run. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { packageCommandLine, packageFolder } from '../../tools/package/command-line.ts';
import { amount, median, type Figure } from '../figure.ts';

const rounds = 11;
/** Bare starts that the first output may take. */
const budget = 3;

const commands = [
  { name: 'command line: berth help', words: ['help'], isPromised: true },
  // Builds every schema of the interface.
  {
    name: 'command line: berth api user.get --help',
    words: ['api', 'user.get', '--help'],
    isPromised: false,
  },
] as const;

export async function commandLineFigures(): Promise<Figure[]> {
  await packageCommandLine();
  const program = join(packageFolder, 'berth.mjs');
  const took = (...words: string[]): number => {
    const began = performance.now();
    execFileSync(process.execPath, words, { stdio: 'ignore' });
    return performance.now() - began;
  };
  return commands.map(({ name, words, isPromised }) => {
    const [bare, own]: [number[], number[]] = [[], []];
    // Turn by turn, so that what else the machine does falls on both.
    for (let round = 0; round < rounds; round += 1) {
      bare.push(took('-e', 'process.stdout.write("x")'));
      own.push(took(program, ...words));
    }
    return {
      name,
      kind: 'ratio',
      measured: amount(median(own), 'ms'),
      baseline: `${amount(median(bare), 'ms')} (bare Node)`,
      budget: isPromised ? `≤ ${budget} ×` : '–',
      isKept: !isPromised || median(own) <= budget * median(bare),
    };
  });
}
