/** Free space on the disks of all machines: now on Berth's own, on servers when they last answered. */
import { AppError } from '../../domain/errors.ts';
import { localServer } from '../../domain/names/server-key.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Engine } from '../../ports/engine/engine.ts';
import type { Host } from '../../ports/host/host.ts';
import type { MeasuredDisk, SourcePorts } from './sources.ts';

interface DiskHost extends Pick<Host, 'key' | 'whySilent' | 'freeBytes'> {
  engine: Pick<Engine, 'info'>;
}

export interface DisksParts {
  hosts: { all(): Promise<readonly DiskHost[]> };
  servers: {
    list(where: object): Promise<readonly { serverId: string; organizationId: string; name: string }[]>;
  };
  installation: SourcePorts['installation'];
  /** Free bytes on the disk with Berth's data. */
  freeBytes(): Promise<number>;
  clock: Clock;
  onFault(error: unknown, where: string): void;
}

/** Between two questions to a server, because each uses its connection. */
const askEveryMs = 5 * 60_000;

interface Known {
  askedAt: number;
  /** Its last answer, kept while it cannot be reached; undefined before the first. */
  free: number | undefined;
}

export function machineDisks(parts: DisksParts): SourcePorts['disks'] {
  const known = new Map<string, Known>();
  return async () => {
    const hosts = (await parts.hosts.all()).filter(({ key }) => key !== localServer);
    const present = new Set(hosts.map(({ key }) => key));
    for (const key of known.keys()) if (!present.has(key)) known.delete(key);
    for (const host of hosts) askIfDue(parts, known, host);
    return [...(await ownDisk(parts)), ...(await disksOfServers(parts, known))];
  };
}

/** Does not wait for the answer, so that a slow server does not delay other alarms. */
function askIfDue({ clock, onFault }: DisksParts, known: Map<string, Known>, host: DiskHost): void {
  const { key, engine, freeBytes, whySilent } = host;
  const now = clock.now();
  const last = known.get(key);
  if (freeBytes === undefined || whySilent?.() !== undefined) return;
  if (last && now - last.askedAt < askEveryMs) return;
  const asked: Known = { askedAt: now, free: last?.free };
  known.set(key, asked);
  engine
    .info()
    .then(({ rootDirectory }) => freeBytes(rootDirectory))
    .then(
      (free) => void (asked.free = free),
      (error: unknown) => {
        // A server that cannot be reached has an alarm of its own.
        if (!(error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE'))
          onFault(error, `disk of ${key}`);
      },
    );
}

async function ownDisk({ installation, freeBytes }: DisksParts): Promise<MeasuredDisk[]> {
  const [organizationId, free] = [await installation(), await freeBytes()];
  return organizationId === undefined
    ? []
    : [{ id: localServer, name: 'Berth’s machine', organizationId, free }];
}

/** Reads all servers in one query; one without a record has no organization that could be told. */
async function disksOfServers(
  { servers }: DisksParts,
  known: ReadonlyMap<string, Known>,
): Promise<MeasuredDisk[]> {
  if (known.size === 0) return [];
  return (await servers.list({})).flatMap(({ serverId: id, name, organizationId }) => {
    const free = known.get(id)?.free;
    return free === undefined ? [] : [{ id, name, organizationId, free }];
  });
}
