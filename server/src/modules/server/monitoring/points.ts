/** Samples as the interface shows them. */
import { memoryPercent, type MachineSample, type ServiceSample } from '../../../domain/resources/metrics.ts';
import type { MetricsRange } from '../../../ports/metrics.ts';

const hourMs = 3_600_000;

export function rangeOf({ since, points }: { since?: string | undefined; points: number }): MetricsRange {
  return { since: since === undefined ? Date.now() - hourMs : Date.parse(since), points };
}

export function machinePoint(sample: MachineSample) {
  const { at, cpu, load, memoryUsed, memoryTotal, diskUsed, diskTotal, networkIn, networkOut } = sample;
  return {
    timestamp: new Date(at).toISOString(),
    cpu,
    load,
    memory: { used: memoryUsed, total: memoryTotal, percent: rounded(memoryPercent(sample)) },
    disk: { used: diskUsed, total: diskTotal, percent: percentOf(diskUsed, diskTotal) },
    network: { in: networkIn, out: networkOut },
  };
}

export function servicePointOf(sample: ServiceSample) {
  const { at, containers, cpu, memoryUsed, memoryLimit, networkIn, networkOut, diskRead, diskWritten } =
    sample;
  return {
    timestamp: new Date(at).toISOString(),
    containers,
    cpu,
    memory: { used: memoryUsed, limit: memoryLimit, percent: percentOf(memoryUsed, memoryLimit) },
    network: { in: networkIn, out: networkOut },
    disk: { read: diskRead, written: diskWritten },
  };
}

const rounded = (percent: number): number => Math.round(percent * 100) / 100;
const percentOf = (part: number, whole: number): number => (whole === 0 ? 0 : rounded((part / whole) * 100));
