/**
 * The health check of every release. The engine takes a task without one for healthy as soon as it runs
 * (measured: the old task stops 0.5 s later).
 */
import type { ServiceHealthCheck } from '../../db/stored-types.ts';
import { leastIntervalMs, type HealthCheck } from '../../ports/engine/health-check.ts';

/** Where the probe's program is bound in every container; it picks its applet by its file name. */
export const probeTarget = '/.berth/busybox';

/** As long as the common platforms wait for the first listener; programs on the JVM need 40 s and more. */
export const defaultStartPeriodMs = 60_000;
const defaults = { intervalMs: 1000, timeoutMs: 5000, retries: 3, startPeriodMs: defaultStartPeriodMs };
/** How long a service without domain and port must run to be healthy. */
const workerRunsMs = 5000;
/** How long the engine watches new tasks once they are healthy, in milliseconds (Swarm's default too). */
export const monitorMs = 5000;
/** The same after tasks that have run for `workerRunsMs`: all are watched for 6 s from their start. */
const workerMonitorMs = 1500;
/**
 * After a container was seen healthy, each run of our probe keeps looking for `watchSeconds`: starting a
 * probe takes 40 ms of processor time, looking again 1 ms. A file in the container's shared memory, which
 * even a read-only container can write, marks that it was seen healthy; without that file the container's age
 * decides.
 */
const watchSeconds = 60;
const seenFile = '/dev/shm/.berth-healthy';
/** Marks that the container's log already has the line about a listener on the loopback address. */
const toldFile = '/dev/shm/.berth-told';
const youngSeconds = 60;
const lookEverySeconds = 2;
const fullLookEvery = 10;

export interface HealthInputs {
  own: ServiceHealthCheck | null;
  imageHasHealthCheck: boolean;
  /** In place of the image's check, which asks too often. */
  calmerHealthCheck?: HealthCheck | undefined;
  /** Ports of the container on which a version has to listen (`portsThatListen`). */
  targetPorts: number[];
}

/**
 * Ports on which a version has to listen: those that domains lead to, and without a domain the first
 * published TCP port. Others may open on demand, such as a debugger's or those of passive FTP.
 */
export function portsThatListen(
  domains: readonly { port: number }[],
  published: readonly { target: number; protocol: 'tcp' | 'udp' }[],
): number[] {
  if (domains.length > 0) return domains.map(({ port }) => port);
  return published
    .filter(({ protocol }) => protocol === 'tcp')
    .slice(0, 1)
    .map(({ target }) => target);
}

/** Whether a version can be asked nothing, so that it is healthy when it goes on running. */
const merelyRuns = ({ own, imageHasHealthCheck, targetPorts }: HealthInputs): boolean =>
  own?.command === undefined && own?.port === undefined && !imageHasHealthCheck && targetPorts.length === 0;

/** How long the engine watches new tasks once they are healthy, in milliseconds. */
export const monitorMsOf = (inputs: HealthInputs): number =>
  merelyRuns(inputs) ? workerMonitorMs : monitorMs;

/** The service's own check, or the image's (undefined), or a probe of ours. */
export function healthCheckOf({
  own,
  imageHasHealthCheck,
  calmerHealthCheck,
  targetPorts,
}: HealthInputs): HealthCheck | undefined {
  const timing = timingOf(own);
  if (own?.command) return { test: ['CMD', ...own.command], ...timing };
  const [firstPort] = targetPorts;
  const port = own?.port ?? firstPort;
  if (own?.path !== undefined && port !== undefined)
    return probe(
      pathLook(port, Math.ceil(timing.timeoutMs / 1000)),
      [`http://127.0.0.1:${port}${own.path}`],
      timing,
    );
  if (own?.port !== undefined) return listenerCheck([own.port], timing);
  if (imageHasHealthCheck) return calmerHealthCheck;
  if (targetPorts.length > 0) return listenerCheck(targetPorts, timing);
  return probe('look() { :; }', [], {
    ...timing,
    intervalMs: workerRunsMs,
    startIntervalMs: workerRunsMs,
  });
}

/** Our probe of a program that listens on all of these ports. */
export function listenerCheck(ports: number[], timing: Timing = defaults): HealthCheck {
  return probe(listenerLook(ports), [], timing);
}

export type Timing = Omit<HealthCheck, 'test'>;

function timingOf(own: ServiceHealthCheck | null): Timing {
  const milliseconds = (seconds: number | undefined, initial: number): number =>
    seconds === undefined ? initial : seconds * 1000;
  return {
    intervalMs: milliseconds(own?.interval, defaults.intervalMs),
    timeoutMs: milliseconds(own?.timeout, defaults.timeoutMs),
    retries: own?.retries ?? defaults.retries,
    startPeriodMs: milliseconds(own?.startPeriod, defaults.startPeriodMs),
  };
}

/**
 * The probe of a kind of database: lines for `sh` that fail while it takes no requests. In an image without
 * the client program they could never pass, so the container says so and ends.
 */
export function watchingProbe(
  { client, look, everySeconds }: { client: string; look: string; everySeconds: number },
  timing: Timing,
): HealthCheck {
  const message =
    `berth: the image has no ${client}, so the health of its server cannot be checked; is it the right ` +
    'image?';
  return probe(
    `command -v ${client} >/dev/null || { echo "${message}" >/proc/1/fd/1; kill 1; exit 1; }\nlook() { ` +
      `${look}\n}`,
    [],
    timing,
    everySeconds,
  );
}

/**
 * Our probe. Its text is fixed; whatever a person chose is passed as an argument. The container's age is that
 * of process 1 (field 22 of its stat, after the name in parentheses). A run looks no more often than the
 * interval says.
 */
function probe(look: string, values: string[], timing: Timing, everySeconds = lookEverySeconds): HealthCheck {
  const interval = Math.ceil(timing.intervalMs / 1000);
  const every = Math.max(everySeconds, interval);
  const again = interval < watchSeconds ? Math.max(1, Math.floor(watchSeconds / every)) : 0;
  const script = `B=${probeTarget}
${look}
look "$@" || exit 1
if [ ! -e ${seenFile} ]; then
{ true >${seenFile}; } 2>/dev/null && exit 0
read -r up rest </proc/uptime
s=$($B cat /proc/1/stat) && s=\${s##*) } && t=$(echo "$s" | $B cut -d' ' -f20)
[ $((\${up%.*} - t / 100)) -lt ${youngSeconds} ] && exit 0
fi
n=0
while [ $n -lt ${again} ]; do $B sleep ${every}; look "$@" || exit 1; n=$((n + 1)); done`;
  return {
    // An engine from 25.0 on would wait 5 s before it looks the first time, and between two looks.
    startIntervalMs: Math.min(timing.intervalMs, leastIntervalMs),
    ...timing,
    test: ['CMD', probeTarget, 'sh', '-c', script, 'probe', ...values],
    timeoutMs: timing.timeoutMs + (watchSeconds + 10) * 1000,
  };
}

/**
 * Requests the path and says how that ended. Debian 12's busybox (1:1.35.0-4+deb12u1) crashes on `wget -T`,
 * so `timeout` sets the limit. When the port refuses the connection, the open sockets show why.
 */
function pathLook(port: number, timeoutSeconds: number): string {
  return `${listens}
look() {
read -r up rest </proc/uptime
began=\${up%.*}\${up#*.}
answer=$($B timeout ${timeoutSeconds} $B wget -S -q -O /dev/null -- "$1" 2>&1)
read -r up rest </proc/uptime
took=$(((\${up%.*}\${up#*.} - began) * 10))
case $answer in
*HTTP/*)
status=\${answer#*HTTP/} status=\${status#* } status=\${status%%[!0-9]*}
case $status in [23]??) return 0 ;; esac
echo "berth: GET $1 answered $status after $took ms" ;;
*efused*) listens ${hexOf(port)} && echo "berth: GET $1 was refused; let the program listen on 0.0.0.0" ;;
*) echo "berth: GET $1 gave no answer after $took ms" ;;
esac
return 1
}`;
}

/** `::1` and `::ffff:127.x` in the kernel's tables. */
const loopback6 = '00000000000000000000000001000000';
const mapped4 = '0000000000000000FFFF0000??????7F';

const hexOf = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');

/**
 * `listens PORT` (four hexadecimal digits) looks for a listener in the kernel's tables (state 0A is LISTEN;
 * addresses are hexadecimal, an IPv4 one with its last byte first, so 127.x ends with 7F; 127.0.0.11 is the
 * engine's own name server). A listener on the loopback alone does not count. Without one it says what the
 * program listens on instead; a listener on the loopback alone stands in the container's own log, too, once.
 *
 * A read of these tables makes the kernel walk all connections of the machine (3.5 ms of a processor with 24
 * GiB of memory), so the shell reads them by itself, up to the listener.
 */
const listens = `tables='tcp6 tcp'
listens() {
alone= others= inner=
for table in $tables; do
[ -r /proc/net/$table ] || continue
while read -r slot address remote state rest; do
case $state:$address in
0A:0B00007F:*) ;;
0A:??????7F:$1|0A:${loopback6}:$1|0A:${mapped4}:$1) alone=1 ;;
0A:*:$1) [ $table = tcp6 ] || tables='tcp tcp6'; return 0 ;;
0A:??????7F:*|0A:${loopback6}:*|0A:${mapped4}:*) inner="$inner \${address##*:}" ;;
0A:*) others="$others \${address##*:}" ;;
esac
done </proc/net/$table
done
p=$((0x$1))
if [ -n "$alone" ]; then
say="berth: the service listens on port $p only on the loopback address; make it listen on 0.0.0.0"
[ -e ${toldFile} ] || { true >${toldFile}; echo "$say" >/proc/1/fd/1; } 2>/dev/null
elif [ -n "$others" ]; then
numbers $others
say="berth: nothing listens on port $p; the program listens on $list (set the domain's port or PORT)"
elif [ -n "$inner" ]; then
numbers $inner
say="berth: nothing listens on port $p; the program listens on $list, and there only on the loopback address"
else
say="berth: nothing listens on port $p, nor on any other port"
fi
echo "$say"
return 1
}
numbers() {
list=
for hex in "$@"; do
n=$((0x$hex))
case ", $list," in *", $n,"*) ;; *) list="\${list:+$list, }$n" ;; esac
done
}`;

/**
 * Looks for a listener on every port, and reads the kernel's tables again only when the container has another
 * number of sockets than when all was well, or at the `fullLookEvery`-th look: any other look takes 0.2 ms.
 * Only numbers are put into the text.
 */
function listenerLook(ports: number[]): string {
  return `known= looks=0
${listens}
look() {
sockets=
for table in sockstat sockstat6; do
[ -r /proc/net/$table ] || continue
while read -r protocol word count others; do
case $protocol in TCP*) sockets="$sockets $count"; break ;; esac
done </proc/net/$table
done
looks=$((looks + 1))
[ -n "$known" ] && [ "$sockets" = "$known" ] && [ $looks -lt ${fullLookEvery} ] && return 0
for port in ${[...new Set(ports)].map(hexOf).join(' ')}; do listens $port || return 1; done
known=$sockets looks=0
}`;
}
