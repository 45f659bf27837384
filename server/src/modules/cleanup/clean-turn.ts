/** When clean-ups run by themselves: by their schedule, and where the disk of a machine is nearly full. */
import { AppError } from '../../domain/errors.ts';
import { localServer } from '../../domain/names/server-key.ts';
import { nextTime } from '../../domain/time/cron.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Engine } from '../../ports/engine/engine.ts';
import type { Host } from '../../ports/host/host.ts';
import type { Cleaning } from './cleanup.ts';
import type { FormerVolumes } from './former-volumes.ts';

export interface TurnHost extends Pick<Host, 'key' | 'whySilent' | 'freeBytes'> {
  engine: Pick<Engine, 'info'>;
}

export interface CleanTurnParts {
  cleaning: Pick<Cleaning, 'run'>;
  formerVolumes: Pick<FormerVolumes, 'turn'>;
  hosts: { all(): Promise<readonly TurnHost[]> };
  settings: { get(): Promise<{ cleanupSchedule: string | null; minFreeDisk: number }> };
  /** Bytes of the disk that Berth's data is on. */
  freeBytes(): Promise<number>;
  clock: Clock;
  log: { info(message: string, fields?: object): void; fault(error: unknown, where: string): unknown };
}

const urgentEveryMs = 3_600_000;
/** Between two looks at the disk of a server, each of which goes over its connection. */
const serverLookMs = 5 * 60_000;

/** What is to be called each minute. */
export function createCleanTurn(parts: CleanTurnParts): () => Promise<void> {
  const { formerVolumes, hosts, settings, clock, log } = parts;
  const urgent = createUrgent(parts);
  let lastLook = clock.now();
  return async () => {
    const { cleanupSchedule, minFreeDisk } = await settings.get();
    const now = clock.now();
    const due = cleanupSchedule === null ? undefined : nextTime(cleanupSchedule, 'UTC', lastLook);
    const isDue = due != null && due <= now;
    lastLook = now;
    const all = await hosts.all();
    await urgent(all, 2 * minFreeDisk);
    if (!isDue) return;
    // One that cannot be reached is no reason to leave the others alone.
    for (const { key } of all)
      await clean(parts, key, false).catch((error: unknown) => void log.fault(error, `clean-up of ${key}`));
    await formerVolumes.turn();
  };
}

/** Cleans up, caches too, wherever less is free than that: of each machine once an hour. */
function createUrgent(
  parts: CleanTurnParts,
): (hosts: readonly TurnHost[], wantedBytes: number) => Promise<void> {
  const { clock, log } = parts;
  const looked = new Map<string, number>();
  const cleaned = new Map<string, number>();
  const isOver = (times: ReadonlyMap<string, number>, key: string, ms: number): boolean =>
    clock.now() - (times.get(key) ?? -Infinity) >= ms;
  async function cleanIfFull(host: TurnHost, wantedBytes: number): Promise<void> {
    const { key } = host;
    if (!isOver(cleaned, key, urgentEveryMs)) return;
    if (key !== localServer && !isOver(looked, key, serverLookMs)) return;
    looked.set(key, clock.now());
    if ((await freeOn(parts, host)) >= wantedBytes) return;
    cleaned.set(key, clock.now());
    await clean(parts, key, true);
  }
  return async (hosts, wantedBytes) => {
    await Promise.all(
      hosts.map((host) =>
        cleanIfFull(host, wantedBytes).catch((error: unknown) => {
          // A server that is away is told of elsewhere.
          if (!(error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE'))
            log.fault(error, `disk of ${host.key}`);
        }),
      ),
    );
  };
}

/** Of the disk that Berth's data is on, or that of a server's engine; plenty where nobody can tell. */
async function freeOn({ freeBytes }: CleanTurnParts, host: TurnHost): Promise<number> {
  if (host.key === localServer) return freeBytes();
  if (host.freeBytes === undefined || host.whySilent?.() !== undefined) return Infinity;
  return host.freeBytes((await host.engine.info()).rootDirectory);
}

async function clean(
  { cleaning, log }: Pick<CleanTurnParts, 'cleaning' | 'log'>,
  serverKey: string,
  caches: boolean,
): Promise<void> {
  const { items, bytes, failures } = await cleaning.run(serverKey, { caches });
  if (items.length + failures.length > 0)
    log.info('Cleaned up', { serverKey, removed: items.length, bytes, failures });
}
