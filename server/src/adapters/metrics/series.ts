/**
 * Samples of one length of time, as lines of a file: the newest at its end. A line is
 * `{"m":<machine's sample>,"s":{"<service>":<its sample>}}`, each sample as the list of its numbers.
 */
import { createReadStream } from 'node:fs';
import { appendFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { MachineSample, ServiceSample } from '../../domain/resources/metrics.ts';
import { oneAtATime } from '../../domain/time/one-at-a-time.ts';

export interface Moment {
  machine: MachineSample;
  services: ReadonlyMap<string, ServiceSample>;
}

export interface Series {
  append(moment: Moment): Promise<void>;
  /** Of `since` and later, in order; with `only` the samples of that service alone. */
  read(since: number, only?: string): AsyncIterable<Moment>;
  /** Forgets what is older. */
  trim(since: number): Promise<void>;
}

const machineFields = [
  'at',
  'cpu',
  'memoryUsed',
  'memoryTotal',
  'diskUsed',
  'diskTotal',
  'networkIn',
  'networkOut',
  'load',
] as const satisfies readonly (keyof MachineSample)[];

const serviceFields = [
  'at',
  'containers',
  'cpu',
  'memoryUsed',
  'memoryLimit',
  'networkIn',
  'networkOut',
  'diskRead',
  'diskWritten',
] as const satisfies readonly (keyof ServiceSample)[];

export function createSeries(path: string): Series {
  /** One change of the file after another. */
  const inTurn = oneAtATime();
  return {
    append: (moment) =>
      inTurn(async () => {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await appendFile(path, lineOf(moment), { mode: 0o600 });
      }),
    async *read(since, only) {
      await inTurn(async () => undefined);
      for await (const text of linesOf(path)) {
        const moment = momentOf(text, only);
        if (moment !== undefined && moment.machine.at >= since) yield moment;
      }
    },
    trim: (since) =>
      inTurn(async () => {
        const kept: string[] = [];
        for await (const text of linesOf(path))
          if ((momentOf(text, '')?.machine.at ?? 0) >= since) kept.push(`${text}\n`);
        const part = `${path}.part`;
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await writeFile(part, kept.join(''), { mode: 0o600 });
        await rename(part, path).catch(() => rm(part, { force: true }));
      }),
  };
}

async function* linesOf(path: string): AsyncIterable<string> {
  const stream = createReadStream(path, 'utf8');
  try {
    yield* createInterface({ input: stream, crlfDelay: Infinity });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  } finally {
    stream.destroy();
  }
}

function lineOf({ machine, services }: Moment): string {
  const samples = Object.fromEntries(
    [...services].map(([key, sample]) => [key, serviceFields.map((field) => sample[field])]),
  );
  return `${JSON.stringify({ m: machineFields.map((field) => machine[field]), s: samples })}\n`;
}

/** Undefined for a line that a full disk or an end in the middle cut off. */
function momentOf(text: string, only: string | undefined): Moment | undefined {
  const line = parsed(text);
  if (line === undefined) return undefined;
  const wanted = Object.entries(line.s).filter(([key]) => only === undefined || key === only);
  return {
    machine: machineOf(line.m),
    services: new Map(wanted.map(([key, numbers]) => [key, serviceOf(numbers)])),
  };
}

interface Line {
  m: number[];
  s: Record<string, number[]>;
}

function parsed(text: string): Line | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function machineOf(numbers: readonly number[]): MachineSample {
  const [at = 0, cpu = 0, memoryUsed = 0, memoryTotal = 0, diskUsed = 0, diskTotal = 0, ...rest] = numbers;
  const [networkIn = 0, networkOut = 0, load = 0] = rest;
  return { at, cpu, memoryUsed, memoryTotal, diskUsed, diskTotal, networkIn, networkOut, load };
}

function serviceOf(numbers: readonly number[]): ServiceSample {
  const [at = 0, containers = 0, cpu = 0, memoryUsed = 0, memoryLimit = 0, ...rest] = numbers;
  const [networkIn = 0, networkOut = 0, diskRead = 0, diskWritten = 0] = rest;
  return {
    at,
    containers,
    cpu,
    memoryUsed,
    memoryLimit,
    networkIn,
    networkOut,
    diskRead,
    diskWritten,
  };
}
