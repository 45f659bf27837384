/** The end of a large log: Berth's answer beside `tail -n` on the same file, in turn. */
import { execFile } from 'node:child_process';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { amount, median, type Figure } from '../figure.ts';
import { peakBytes, residentBytes } from '../process-figures.ts';
import type { ServerProcess } from '../server-process.ts';

const run = promisify(execFile);
const logBytes = 1_000_000_000;
const tail = 100;
const warmUps = 100;
const rounds = 40;
const timeBudget = 3;
const memoryBudgetMb = 2;

export interface LargeLog {
  berth: ServerProcess;
  /** Berth's data folder. */
  data: string;
  headers: Record<string, string>;
  deploymentId: string;
}

export async function endOfLog({ berth, data, headers, deploymentId }: LargeLog): Promise<Figure[]> {
  const path = await writeLog(data, deploymentId);
  const url = `${berth.url}/api/deployment.readLogs?deploymentId=${deploymentId}&tail=${tail}`;
  const byBerth = async (): Promise<string> => {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(30_000) });
    return answer.text();
  };
  const byTail = async (): Promise<string> => (await run('tail', ['-n', String(tail), path])).stdout;
  requireSame(await byBerth(), await byTail());

  for (let count = 0; count < warmUps; count += 1) await byBerth();
  const ms: Record<'berth' | 'tail', number[]> = { berth: [], tail: [] };
  const before = residentBytes(berth.pid);
  await writeFile(`/proc/${berth.pid}/clear_refs`, '5');
  for (let round = 0; round < rounds; round += 1) {
    ms.tail.push(await timed(byTail));
    ms.berth.push(await timed(byBerth));
  }
  const [berthMs, tailMs] = [median(ms.berth), median(ms.tail)];
  const megabytes = (peakBytes(berth.pid) - before) / 1_000_000;
  return [
    {
      name: `the last ${tail} lines of a log of 1 GB (deployment.readLogs), p50`,
      measured: `${amount(berthMs, 'ms')}; ${(berthMs / tailMs).toFixed(2)} ×`,
      baseline: `${amount(tailMs, 'ms')} (tail -n ${tail})`,
      budget: `≤ ${timeBudget} ×`,
      isKept: berthMs <= timeBudget * tailMs,
      kind: 'ratio',
    },
    {
      name: `the same: memory (RSS), the most over ${rounds} readings above what it was before`,
      measured: amount(megabytes, 'MB'),
      baseline: `${amount(before / 1_000_000, 'MB')} before`,
      budget: `≤ ${memoryBudgetMb} MB`,
      isKept: megabytes <= memoryBudgetMb,
      kind: 'ratio',
    },
  ];
}

async function writeLog(data: string, deploymentId: string): Promise<string> {
  await mkdir(join(data, 'logs'), { recursive: true });
  const path = join(data, 'logs', `${deploymentId}.log`);
  const lines = Array.from(
    { length: 10_000 },
    (_, index) => `2026-11-20T11:17:03.404Z #12 ${index} COPY --from=build /app/dist /app/dist\n`,
  );
  const block = Buffer.from(lines.join(''));
  const file = await open(path, 'w');
  for (let size = 0; size < logBytes; size += block.length) await file.write(block);
  await file.close();
  return path;
}

function requireSame(answer: string, text: string): void {
  if (answer !== JSON.stringify(text.trimEnd().split('\n')))
    throw new Error(`Berth and tail differ about the end of the log: ${answer.slice(0, 200)}`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
