/** 200 open streams of events: their memory, and the processor time of a change that all of them hear. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { amount, type Figure } from '../figure.ts';
import { cpuMicroseconds, residentBytes } from '../process-figures.ts';
import type { ServerProcess } from '../server-process.ts';

const streams = 200;
const changes = 100;
const memoryBudgetMb = 20;
const changeBudgetMs = 5;
/** Changes that are further apart are told each by itself. */
const apartMs = 40;
const hearLimitMs = 60_000;

export interface Listening {
  berth: ServerProcess;
  headers: Record<string, string>;
  applicationId: string;
}

export async function eventStreams({ berth, headers, applicationId }: Listening): Promise<Figure[]> {
  const post = (path: string, body: object): Promise<void> => change(berth, headers, path, body);
  const rename = async (ms: number): Promise<number> => {
    const before = cpuMicroseconds(berth.pid);
    for (let count = 0; count < changes; count += 1) {
      await post('application.update', { applicationId, description: `change ${count}` });
      if (ms > 0) await pause(ms);
    }
    return before;
  };
  await post('settings.update', { streamLimit: streams + 10 });
  // The first rounds make it warm.
  for (let round = 0; round < 3; round += 1) await rename(0);
  const alone: number[] = [];
  for (const { ms } of paces) alone.push(cpuPerChange(berth, await rename(ms)));

  const memoryBefore = residentBytes(berth.pid);
  const readers = await Promise.all(Array.from({ length: streams }, () => openReader(berth, headers)));
  const megabytes = (residentBytes(berth.pid) - memoryBefore) / 1_000_000;
  try {
    // Likewise once to make it warm.
    let heard = 0;
    const heardAll = async (): Promise<void> => {
      heard += changes;
      await Promise.all(readers.map((reader) => reader.heard(heard)));
    };
    await rename(0);
    await heardAll();
    const figures: Figure[] = [];
    for (const [at, { ms, what }] of paces.entries()) {
      const before = await rename(ms);
      await heardAll();
      const own = alone[at] ?? 0;
      figures.push(changeFigure(what, Math.max(0, cpuPerChange(berth, before) - own), own));
    }
    return [
      {
        name: `${streams} open streams of events: memory (RSS) above what it was before`,
        measured: amount(megabytes, 'MB'),
        baseline: `${amount(memoryBefore / 1_000_000, 'MB')} before`,
        budget: `≤ ${memoryBudgetMb} MB`,
        isKept: megabytes <= memoryBudgetMb,
        kind: 'absolute',
      },
      ...figures,
    ];
  } finally {
    for (const reader of readers) reader.close();
  }
}

const paces = [
  { ms: apartMs, what: 'a change by itself' },
  { ms: 0, what: 'a change of many in a row' },
];

function changeFigure(what: string, ms: number, alone: number): Figure {
  return {
    name: `${what} that ${streams} streams hear: processor time above that of a change nobody hears`,
    measured: amount(ms, 'ms'),
    baseline: `${amount(alone, 'ms')} (without streams)`,
    budget: `≤ ${changeBudgetMs} ms`,
    isKept: ms <= changeBudgetMs,
    kind: 'absolute',
  };
}

const cpuPerChange = (berth: ServerProcess, before: number): number =>
  (cpuMicroseconds(berth.pid) - before) / 1000 / changes;

async function change(
  { url }: ServerProcess,
  headers: Record<string, string>,
  path: string,
  body: object,
): Promise<void> {
  const answer = await fetch(`${url}/api/${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text.slice(0, 300)}`);
}

interface Reader {
  /** Resolves when so many events that tell of an update have come. */
  heard(count: number): Promise<void>;
  close(): void;
}

/** Gives a stream that has told its position. */
async function openReader({ url }: ServerProcess, headers: Record<string, string>): Promise<Reader> {
  const request = get(`${url}/api/event.stream`, { headers: { ...headers, accept: 'text/event-stream' } });
  const [response]: IncomingMessage[] = await once(request, 'response');
  if (response?.statusCode !== 200)
    throw new Error(`event.stream was answered ${response?.statusCode ?? 'nothing'}.`);
  let updates = 0;
  let rest = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    updates += lines.filter((line) => line.startsWith('data: ') && line.includes('"updated"')).length;
  });
  await once(response, 'data');
  return {
    async heard(count) {
      const signal = AbortSignal.timeout(hearLimitMs);
      while (updates < count) await once(response, 'data', { signal });
    },
    close: () => void request.destroy(),
  };
}
