/**
 * A process that can be recognised later, by shell/process-identity.ts: a recycled pid has another start
 * time. `startTime` is opaque: field 22 of /proc/pid/stat, the machine's boot and the mark of the run, with
 * slashes between.
 */
export interface ProcessIdentity {
  pid: number;
  startTime: string;
}

/** As it was stored; undefined for what is none. */
export function asProcessIdentity(value: unknown): ProcessIdentity | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const pid: unknown = Reflect.get(value, 'pid');
  const startTime: unknown = Reflect.get(value, 'startTime');
  return typeof pid === 'number' && typeof startTime === 'string' ? { pid, startTime } : undefined;
}
