/** How soon the command line says something, beside a bare start of Node in the same run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { packageCommandLine, packageFolder } from '../../tools/package/command-line.ts';
import { amount, median, type Figure } from '../figure.ts';

const rounds = 11;
/** Bare starts that the first output may take. */
const budget = 3;

const commands = [
  { name: 'berth --version', words: ['--version'], isPromised: true },
  { name: 'berth help', words: ['help'], isPromised: true },
  { name: 'berth status', words: ['status'], isPromised: true },
  // Builds every schema of the interface.
  { name: 'berth api user.get --help', words: ['api', 'user.get', '--help'], isPromised: false },
] as const;

/** Of a Berth with 1,000 services, which `status` lists. */
export async function commandLineFigures(berth: { url: string; apiKey: string }): Promise<Figure[]> {
  await packageCommandLine();
  const program = join(packageFolder, 'berth.mjs');
  const environment = { ...process.env, BERTH_URL: berth.url, BERTH_API_KEY: berth.apiKey };
  const figures: Figure[] = [];
  for (const { name, words, isPromised } of commands) {
    // The first start writes what Node.js keeps compiled.
    await firstOutput([program, ...words], environment);
    const [bare, own]: [number[], number[]] = [[], []];
    // Turn by turn, so that what else the machine does falls on both.
    for (let round = 0; round < rounds; round += 1) {
      bare.push(await firstOutput(['-e', '0'], environment));
      own.push(await firstOutput([program, ...words], environment));
    }
    figures.push({
      name: `first output of ${name}`,
      kind: 'ratio',
      measured: `${amount(median(own), 'ms')}; ${(median(own) / median(bare)).toFixed(2)} ×`,
      baseline: `${amount(median(bare), 'ms')} (node -e 0)`,
      budget: isPromised ? `≤ ${budget} ×` : '–',
      isKept: !isPromised || median(own) <= budget * median(bare),
    });
  }
  return figures;
}

/** Milliseconds until the first byte, or the end of what says nothing. */
async function firstOutput(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let said: number | undefined;
  child.stdout.on('data', () => {
    said ??= performance.now() - began;
  });
  const [code]: unknown[] = await ended;
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${String(code)}.`);
  return said ?? performance.now() - began;
}
