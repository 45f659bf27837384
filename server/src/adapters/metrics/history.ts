/**
 * What was measured: the newest samples in memory, minutes of a day and quarter hours of as many days as
 * asked in two files (decisions 15).
 */
import { join } from 'node:path';
import { merged, type MachineSample, type ServiceSample } from '../../domain/resources/metrics.ts';
import { createSeries, type Moment, type Series } from './series.ts';

export interface History {
  add(moment: Moment): Promise<void>;
  /** Samples of the machine since then, in order: the older, the coarser. */
  machine(since: number): Promise<MachineSample[]>;
  service(key: string, since: number): Promise<ServiceSample[]>;
  /** Of every service by its key: quarter hours, then the samples that are in memory. */
  services(since: number): Promise<ReadonlyMap<string, ServiceSample[]>>;
  /** The newest so many of the machine. */
  newest(count: number): Promise<MachineSample[]>;
  /** Forgets quarter hours that are older than asked. */
  clean(now: number): Promise<void>;
  /** Writes what no file has yet: the present minute and quarter hour, as far as they were measured. */
  flush(): Promise<void>;
}

const keptInMemory = 180;
const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
const dayMs = 24 * 60 * minuteMs;
const trimEveryMs = 60 * minuteMs;

export function createHistory(folder: string, { retentionDays }: { retentionDays: number }): History {
  const recent: Moment[] = [];
  const minutes = createSeries(join(folder, 'minutes.jsonl'));
  const quarters = createSeries(join(folder, 'quarters.jsonl'));
  const intoMinutes = createMerging(minuteMs, minutes);
  const intoQuarters = createMerging(quarterMs, quarters);
  let trimmedAt = 0;

  /** Whatever is older than the oldest of the finer ones is taken from the coarser. */
  async function since(from: number, only?: string): Promise<Moment[]> {
    const fromMemory = recent.filter(({ machine }) => machine.at >= from);
    const memoryBegins = recent[0]?.machine.at ?? Infinity;
    if (from >= memoryBegins) return fromMemory;
    const fromMinutes = await before(minutes.read(from, only), memoryBegins);
    const minutesBegin = fromMinutes[0]?.machine.at ?? memoryBegins;
    const fromQuarters = await before(quarters.read(from, only), minutesBegin - minuteMs);
    return [...fromQuarters, ...fromMinutes, ...fromMemory];
  }
  return {
    async add(moment) {
      recent.push(moment);
      if (recent.length > keptInMemory) recent.shift();
      await intoMinutes.add(moment);
      await intoQuarters.add(moment);
      const { at } = moment.machine;
      if (at - trimmedAt < trimEveryMs) return;
      trimmedAt = at;
      await minutes.trim(at - dayMs);
    },
    machine: async (from) => (await since(from)).map(({ machine }) => machine),
    service: async (key, from) => (await since(from, key)).flatMap(({ services }) => services.get(key) ?? []),
    async services(from) {
      const memoryBegins = recent[0]?.machine.at ?? Infinity;
      return byService([...(await before(quarters.read(from), memoryBegins)), ...recent]);
    },
    async newest(count) {
      const all = count <= recent.length ? recent : await since(0, '');
      return all.slice(-count).map(({ machine }) => machine);
    },
    clean: (now) => quarters.trim(now - retentionDays * dayMs),
    async flush() {
      await intoMinutes.flush();
      await intoQuarters.flush();
    },
  };
}

function byService(moments: readonly Moment[]): ReadonlyMap<string, ServiceSample[]> {
  const found = new Map<string, ServiceSample[]>();
  for (const { services } of moments)
    for (const [key, sample] of services) {
      const samples = found.get(key);
      if (samples) samples.push(sample);
      else found.set(key, [sample]);
    }
  return found;
}

async function before(moments: AsyncIterable<Moment>, end: number): Promise<Moment[]> {
  const found: Moment[] = [];
  for await (const moment of moments) if (moment.machine.at < end) found.push(moment);
  return found;
}

interface Merging {
  add(moment: Moment): Promise<void>;
  flush(): Promise<void>;
}

/** Writes one moment for each length of time, when the first sample of the next one comes. */
function createMerging(lengthMs: number, series: Series): Merging {
  let collected: Moment[] = [];
  const placeOf = ({ machine }: Moment): number => Math.floor(machine.at / lengthMs);
  async function flush(): Promise<void> {
    const [first, ...others] = collected;
    collected = [];
    if (first) await series.append(mergedMoment([first, ...others]));
  }
  return {
    async add(moment) {
      const [first] = collected;
      if (first !== undefined && placeOf(first) !== placeOf(moment)) await flush();
      collected.push(moment);
    },
    flush,
  };
}

function mergedMoment(moments: readonly [Moment, ...Moment[]]): Moment {
  const [first, ...others] = moments;
  const services = new Map<string, ServiceSample>();
  for (const key of new Set(moments.flatMap((moment) => [...moment.services.keys()]))) {
    const [one, ...more] = moments.flatMap((moment) => moment.services.get(key) ?? []);
    if (one) services.set(key, merged([one, ...more]));
  }
  return { machine: merged([first.machine, ...others.map(({ machine }) => machine)]), services };
}
