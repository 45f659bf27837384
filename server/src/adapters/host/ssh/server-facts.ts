/** What a server is at this moment, as its own programs and its kernel tell. */
import { isIPv4 } from 'node:net';
import { AppError } from '../../../domain/errors.ts';
import type { HostFacts } from '../../../ports/host/host.ts';
import type { RunThere } from './remote-files.ts';

/** Addresses as iproute2 lists them, `1: lo    inet 127.0.0.1/8 scope host lo`, else as hostname(1) does. */
const asked = `uname -r
[ -e /proc/net/ip_vs ] && echo mesh || echo none
[ -x "$1" ] && echo probe || echo none
uname -n
ip -o addr show 2>/dev/null || hostname -I`;

export async function factsThere(
  run: RunThere,
  { probe, address }: { probe: string; address(): Promise<string> },
): Promise<HostFacts> {
  const { stdout } = await run(['sh', '-c', asked, 'sh', probe]);
  const [kernel = '', mesh, hasProbe, hostName = '', ...lines] = stdout.split('\n');
  const reached = await address();
  return {
    kernel,
    hasRoutingMesh: mesh === 'mesh',
    hasProbe: hasProbe === 'probe',
    address: isIPv4(reached) ? reached : undefined,
    addresses: [...new Set(['127.0.0.1', '::1', reached, ...lines.flatMap(addressesIn)])],
    hostName,
  };
}

function addressesIn(line: string): string[] {
  const listed = /\sinet6? ([0-9a-f.:]+)/.exec(line)?.[1];
  if (listed !== undefined) return [listed];
  return line.split(/\s+/).filter((word) => /^[0-9a-f]*[.:][0-9a-f.:]+$/.test(word));
}

/** By df(1), in the form of POSIX: name, blocks, used, available, share, mount point. */
export async function freeBytesThere(run: RunThere, folder: string): Promise<number> {
  const { code, stdout, stderr } = await run(['df', '-P', '-k', '--', folder]);
  const available = stdout.trim().split('\n').at(-1)?.split(/\s+/)[3] ?? '';
  if (code === 0 && /^\d+$/.test(available)) return Number(available) * 1024;
  throw new AppError(
    'PRECONDITION_FAILED',
    `The room on the disk of ${folder} could not be measured: ${stderr.trim() || stdout.trim()}`,
  );
}

/** By what the kernel lists: local address and port in hexadecimal, and state 0A, listening (proc(5)). */
export async function isPortFree(run: RunThere, port: number): Promise<boolean> {
  const { stdout } = await run(['cat', '/proc/net/tcp', '/proc/net/tcp6']);
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return !stdout.split('\n').some((line) => {
    const [, local, , state] = line.trim().split(/\s+/);
    return state === '0A' && local?.endsWith(wanted) === true;
  });
}
