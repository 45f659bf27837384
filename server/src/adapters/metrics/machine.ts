/** A machine as its kernel tells (proc(5)). */
import { readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { MachineSample } from '../../domain/resources/metrics.ts';

export interface MachinePlaces {
  /** Where the machine's proc file system is. */
  proc: string;
  /** The first of these that is there: its file system is measured. */
  disks: readonly string[];
}

/** Counters that only grow. */
interface Counted {
  busy: number;
  all: number;
  networkIn: number;
  networkOut: number;
}

/** Gives a sample each time, over the time since the one before; the first has no traffic. */
export function createMachineSampler({ proc, disks }: MachinePlaces): (at: number) => Promise<MachineSample> {
  const text = (name: string): Promise<string> => readFile(join(proc, name), 'utf8');
  let former: Counted | undefined;
  return async (at) => {
    // Process 1 has the network of the machine, whichever the reader has.
    const [stat, memory, network, load, disk] = await Promise.all([
      text('stat'),
      text('meminfo'),
      text('1/net/dev'),
      text('loadavg'),
      diskOf(disks),
    ]);
    const counted = { ...processorTime(stat), ...traffic(network) };
    const since = former ?? { ...counted, busy: 0, all: 0 };
    former = counted;
    const all = counted.all - since.all;
    return {
      at,
      cpu: all <= 0 ? 0 : Math.round(((counted.busy - since.busy) / all) * 10_000) / 100,
      ...memoryOf(memory),
      ...disk,
      networkIn: Math.max(0, counted.networkIn - since.networkIn),
      networkOut: Math.max(0, counted.networkOut - since.networkOut),
      load: Number(load.split(' ')[0] ?? 0),
    };
  };
}

/** Ticks of all processors. Time as a guest is counted within that of user already. */
export function processorTime(stat: string): Pick<Counted, 'busy' | 'all'> {
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softIrq = 0, steal = 0] = (
    /^cpu +(.*)$/m.exec(stat)?.[1] ?? ''
  )
    .split(' ')
    .map(Number);
  const busy = user + nice + system + irq + softIrq + steal;
  return { busy, all: busy + idle + wait };
}

/** As free(1) counts: what is not available is used. */
export function memoryOf(meminfo: string): Pick<MachineSample, 'memoryUsed' | 'memoryTotal'> {
  const bytes = (name: string): number =>
    Number(new RegExp(`^${name}: +([0-9]+) kB$`, 'm').exec(meminfo)?.[1] ?? 0) * 1024;
  const memoryTotal = bytes('MemTotal');
  return { memoryTotal, memoryUsed: memoryTotal - bytes('MemAvailable') };
}

/** Interfaces of containers and bridges carry what others carry already. */
const inner = /^(lo|veth.*|docker.*|br-.*|cni.*|vxlan.*)$/;

export function traffic(netDev: string): Pick<Counted, 'networkIn' | 'networkOut'> {
  let networkIn = 0;
  let networkOut = 0;
  for (const line of netDev.split('\n')) {
    const [, name, numbers] = /^ *([^: ]+): *(.*)$/.exec(line) ?? [];
    if (name === undefined || numbers === undefined || inner.test(name)) continue;
    const counts = numbers.split(/ +/).map(Number);
    networkIn += counts[0] ?? 0;
    networkOut += counts[8] ?? 0;
  }
  return { networkIn, networkOut };
}

/** As df(1) counts: what only root may still use is neither used nor free. */
async function diskOf(paths: readonly string[]): Promise<Pick<MachineSample, 'diskUsed' | 'diskTotal'>> {
  for (const path of paths) {
    const found = await statfs(path).catch(() => undefined);
    if (found)
      return {
        diskUsed: (found.blocks - found.bfree) * found.bsize,
        diskTotal: found.blocks * found.bsize,
      };
  }
  return { diskUsed: 0, diskTotal: 0 };
}
