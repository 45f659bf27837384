/** The check every release carries, since the engine takes a task without one for healthy as soon as it runs (measured: the old task stops 0.5 s later). */
import type { ServiceHealthCheck } from '../db/tables.ts';
import type { HealthCheck } from '../ports/engine.ts';

/** Where the probe's program is bound in every container; it picks its applet by its file name. */
export const probeTarget = '/.berth/busybox';

const defaults = { intervalMs: 2000, timeoutMs: 5000, retries: 3, startPeriodMs: 30_000 };
/** A service with neither domain nor port is healthy when it has run this long. */
const workerRunsMs = 5000;

export interface HealthInputs {
  own: ServiceHealthCheck | null;
  imageHasHealthCheck: boolean;
  /** Ports of the container that domains and published TCP ports lead to. */
  targetPorts: number[];
}

/** The service's own check; else the image's (undefined); else a probe of ours. */
export function healthCheckOf({ own, imageHasHealthCheck, targetPorts }: HealthInputs): HealthCheck | undefined {
  const timing = timingOf(own);
  if (own?.command) return { test: ['CMD', ...own.command], ...timing };
  const [firstPort] = targetPorts;
  const port = own?.port ?? firstPort;
  if (own?.path !== undefined && port !== undefined) {
    return { test: ['CMD', probeTarget, 'wget', '-q', '-T', String(Math.ceil(timing.timeoutMs / 1000)), '-O', '/dev/null', `http://127.0.0.1:${port}${own.path}`], ...timing };
  }
  if (own?.port !== undefined) return { test: listenerProbe([own.port]), ...timing };
  if (imageHasHealthCheck) return undefined;
  if (targetPorts.length > 0) return { test: listenerProbe(targetPorts), ...timing };
  return { test: ['CMD', probeTarget, 'true'], ...timing, intervalMs: workerRunsMs };
}

function timingOf(own: ServiceHealthCheck | null): Omit<HealthCheck, 'test'> {
  const milliseconds = (seconds: number | undefined, initial: number): number => (seconds === undefined ? initial : seconds * 1000);
  return {
    intervalMs: milliseconds(own?.interval, defaults.intervalMs), timeoutMs: milliseconds(own?.timeout, defaults.timeoutMs),
    retries: own?.retries ?? defaults.retries, startPeriodMs: milliseconds(own?.startPeriod, defaults.startPeriodMs),
  };
}

/**
 * Looks for a listener on every port in the kernel's tables (state 0A is LISTEN; addresses are hexadecimal, an IPv4 one with its last byte first, so
 * 127.x ends with 7F). A listener on the loopback alone is unhealthy, and the container's own log says so. The text is fixed; only numbers are put in.
 */
function listenerProbe(ports: number[]): string[] {
  const hex = [...new Set(ports)].map((port) => port.toString(16).toUpperCase().padStart(4, '0')).join(' ');
  const script = `for p in ${hex}; do
l=$(${probeTarget} grep -hE "^ *[0-9]+: [0-9A-F]+:$p [0-9A-F]+:0000 0A" /proc/net/tcp /proc/net/tcp6 2>/dev/null) || exit 1
echo "$l" | ${probeTarget} grep -qvE ": ([0-9A-F]{6}7F|0{24}01000000|0{16}FFFF0000[0-9A-F]{6}7F):$p " && continue
m="berth: the service listens on port $((0x$p)) only on the loopback address; let it listen on 0.0.0.0"
echo "$m"; echo "$m" >/proc/1/fd/1 2>/dev/null
exit 1
done`;
  return ['CMD', probeTarget, 'sh', '-c', script];
}
