/** The containers of a machine as its engine counts them (engine API, "Get container stats"). */
import { taskServiceLabel } from '../../domain/names/labels.ts';
import { ownerOfLabels, serviceKey } from '../../domain/names/service-ref.ts';
import { isMeasured, type NamePatterns, type ServiceSample } from '../../domain/resources/metrics.ts';
import { provenLabels } from '../engine/client/labels.ts';
import { wholeAnswer } from '../engine/client/engine-http.ts';

export interface Listed {
  Id: string;
  Names: string[];
  Labels: Record<string, string>;
}

/** As far as it is read; a container that just ended has nothing of it. */
export interface Stats {
  cpu_stats?: { cpu_usage?: { total_usage?: number }; system_cpu_usage?: number; online_cpus?: number };
  memory_stats?: { usage?: number; limit?: number; stats?: Record<string, number> };
  networks?: Record<string, { rx_bytes: number; tx_bytes: number }>;
  blkio_stats?: { io_service_bytes_recursive?: { op: string; value: number }[] | null };
}

interface Counted {
  cpu: number;
  system: number;
  networkIn: number;
  networkOut: number;
  diskRead: number;
  diskWritten: number;
}

/** By the service (`serviceKey`), or by the name of a container that is of none. */
export type ServiceSamples = Map<string, ServiceSample>;

const answerLimitMs = 30_000;
const atOnce = 4;

/** Gives a sample each time, over the time since the one before. */
export function createContainerSampler(
  socketPath: string,
  patterns: NamePatterns,
): (at: number) => Promise<ServiceSamples> {
  let former = new Map<string, Counted>();
  const ask = (path: string, query: Record<string, boolean>): Promise<unknown> =>
    wholeAnswer(
      socketPath,
      { method: 'GET', path, query, doing: 'measuring containers' },
      { signal: AbortSignal.timeout(answerLimitMs) },
    );
  return async (at) => {
    const listed = asList(await ask('/containers/json', {})).filter((one) =>
      isMeasured(nameOf(one), patterns),
    );
    const counted = new Map<string, Counted>();
    const samples: ServiceSamples = new Map();
    const waiting = [...listed];
    const work = async (): Promise<void> => {
      for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
        const path = `/containers/${one.Id}/stats`;
        // One that ended meanwhile is counted no more.
        const answer = await ask(path, { stream: false, 'one-shot': true }).catch(() => undefined);
        const stats = asStats(answer);
        if (!stats?.cpu_stats?.system_cpu_usage) continue;
        const now = countsOf(stats);
        counted.set(one.Id, now);
        add(samples, keyOf(one), sampleOf(at, stats, { now, before: former.get(one.Id) }));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    former = counted;
    return samples;
  };
}

function asList(answer: unknown): Listed[] {
  const listed: Listed[] = Array.isArray(answer) ? answer : [];
  return listed.map((one) => ({ ...one, Labels: provenLabels(one.Names, one.Labels) }));
}

function asStats(answer: unknown): Stats | undefined {
  return typeof answer === 'object' && answer !== null ? answer : undefined;
}

/** Of a task of a swarm's service, the service's name. */
const nameOf = ({ Names, Labels }: Listed): string =>
  Labels[taskServiceLabel] ?? (Names[0] ?? '').replace(/^\//, '');

function keyOf(container: Listed): string {
  const owner = ownerOfLabels(container.Labels);
  return owner === undefined ? nameOf(container) : serviceKey(owner);
}

function countsOf({ cpu_stats: cpu, networks = {}, blkio_stats: disk }: Stats): Counted {
  const all = Object.values(networks);
  const moved = (op: string): number =>
    (disk?.io_service_bytes_recursive ?? [])
      .filter((one) => one.op.toLowerCase() === op)
      .reduce((total, { value }) => total + value, 0);
  return {
    cpu: cpu?.cpu_usage?.total_usage ?? 0,
    system: cpu?.system_cpu_usage ?? 0,
    networkIn: all.reduce((total, { rx_bytes: bytes }) => total + bytes, 0),
    networkOut: all.reduce((total, { tx_bytes: bytes }) => total + bytes, 0),
    diskRead: moved('read'),
    diskWritten: moved('write'),
  };
}

/** As "docker stats" counts: memory without what the kernel can drop at once. */
export function sampleOf(
  at: number,
  { cpu_stats: cpu, memory_stats: memory }: Stats,
  { now, before = now }: { now: Counted; before: Counted | undefined },
): ServiceSample {
  const system = now.system - before.system;
  const inactive = memory?.stats?.['total_inactive_file'] ?? memory?.stats?.['inactive_file'] ?? 0;
  const share = system <= 0 ? 0 : Math.max(0, now.cpu - before.cpu) / system;
  return {
    at,
    containers: 1,
    cpu: Math.round(share * (cpu?.online_cpus ?? 1) * 10_000) / 100,
    memoryUsed: Math.max(0, (memory?.usage ?? 0) - inactive),
    memoryLimit: memory?.limit ?? 0,
    networkIn: Math.max(0, now.networkIn - before.networkIn),
    networkOut: Math.max(0, now.networkOut - before.networkOut),
    diskRead: Math.max(0, now.diskRead - before.diskRead),
    diskWritten: Math.max(0, now.diskWritten - before.diskWritten),
  };
}

function add(samples: ServiceSamples, key: string, sample: ServiceSample): void {
  const present = samples.get(key);
  if (!present) return void samples.set(key, sample);
  const total = (field: Exclude<keyof ServiceSample, 'at'>): number => present[field] + sample[field];
  samples.set(key, {
    at: sample.at,
    containers: total('containers'),
    cpu: total('cpu'),
    memoryUsed: total('memoryUsed'),
    memoryLimit: total('memoryLimit'),
    networkIn: total('networkIn'),
    networkOut: total('networkOut'),
    diskRead: total('diskRead'),
    diskWritten: total('diskWritten'),
  });
}
