/**
 * What takes more of the machine than a service should without anybody's leave: its turn before others, its
 * memory, its processes, its disk. Pure.
 */
import type { DangerKind } from '../../domain/access/danger.ts';
import { usualPids } from '../../domain/resources/resources.ts';

export interface Extent {
  limits: { memoryBytes?: number | undefined; pids?: number | undefined };
  logging: { driver: string; options: Readonly<Record<string, string>> } | undefined;
  ulimits: readonly { name: string; hard: number }[] | undefined;
  mounts: readonly { type: string; sizeBytes?: number | undefined }[];
}

const gibibyte = 1024 ** 3;
const mebibyte = 1024 ** 2;
/** Of one file; there are several. */
const longestLog = 100 * mebibyte;
const allLogs = gibibyte;
/** nice 0, as the kernel counts: 20 minus the lowest value that may be taken. */
const plainNice = 20;

export function excessesOf({
  limits,
  logging,
  ulimits,
  mounts,
}: Extent): { what: DangerKind; value: string }[] {
  // What stands in memory counts against a limit that there is, and cannot be more.
  const memory = limits.memoryBytes ?? gibibyte;
  const least: Readonly<Record<string, number>> = {
    rtprio: 0,
    nice: plainNice,
    ...(limits.memoryBytes === undefined ? { memlock: gibibyte } : {}),
  };
  return [
    ...(ulimits ?? []).flatMap(({ name, hard }) => {
      const most = least[name];
      const isMore = most !== undefined && (hard < 0 || hard > most);
      return isMore ? [{ what: 'ulimit' as const, value: `${name}=${hard}` }] : [];
    }),
    // 0 and -1 are no limit.
    ...(limits.pids !== undefined && (limits.pids <= 0 || limits.pids > usualPids)
      ? [{ what: 'ulimit' as const, value: `processes=${limits.pids}` }]
      : []),
    ...mounts.flatMap(({ type, sizeBytes = 0 }) =>
      type === 'tmpfs' && sizeBytes > memory
        ? [{ what: 'memory' as const, value: `${sizeBytes} bytes` }]
        : [],
    ),
    ...longLogs(logging).map((value) => ({ what: 'logging' as const, value })),
  ];
}

const toFiles: ReadonlySet<string> = new Set(['json-file', 'local']);

/** Of the drivers that write files here. */
function longLogs(logging: Extent['logging']): string[] {
  if (!logging || !toFiles.has(logging.driver)) return [];
  const { 'max-size': size = '10m', 'max-file': files = '3' } = logging.options;
  const bytes = bytesOf(size);
  const isShort = bytes <= longestLog && /^\d{1,9}$/.test(files) && bytes * Number(files) <= allLogs;
  return isShort ? [] : [`${logging.driver} max-size=${size} max-file=${files}`];
}

/** Whether a size of memory, as the engine reads it, needs no approval. */
export const isSmallMemory = (size: string): boolean => bytesOf(size) <= gibibyte;

const units: Readonly<Record<string, number>> = { '': 1, k: 1024, m: mebibyte, g: gibibyte };

/** As the engine reads it (go-units); what is not understood, and what has no end, is endless. */
function bytesOf(size: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,15}(?:\.\d+)?) ?([kmg]?)i?b?$/i.exec(size) ?? [];
  return digits === '' || Number(digits) === 0
    ? Infinity
    : Number(digits) * (units[unit.toLowerCase()] ?? Infinity);
}
