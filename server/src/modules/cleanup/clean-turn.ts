/**
 * When clean-ups run by themselves: by their schedule, and when the disk of Berth's machine is nearly full.
 */
import { localServer } from '../../domain/names/server-key.ts';
import { nextTime } from '../../domain/time/cron.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cleaning } from './cleanup.ts';
import type { FormerVolumes } from './former-volumes.ts';

export interface CleanTurnParts {
  cleaning: Pick<Cleaning, 'run'>;
  formerVolumes: Pick<FormerVolumes, 'turn'>;
  hosts: { all(): Promise<{ key: string }[]> };
  settings: { get(): Promise<{ cleanupSchedule: string | null; minFreeDisk: number }> };
  /** Bytes of the disk that Berth's data is on. */
  freeBytes(): Promise<number>;
  clock: Clock;
  log: { info(message: string, fields?: object): void; fault(error: unknown, where: string): unknown };
}

const urgentEveryMs = 3_600_000;

/** What is to be called each minute. */
export function createCleanTurn(parts: CleanTurnParts): () => Promise<void> {
  const { formerVolumes, hosts, settings, freeBytes, clock, log } = parts;
  let lastLook = clock.now();
  let lastUrgent = 0;
  return async () => {
    const { cleanupSchedule, minFreeDisk } = await settings.get();
    const now = clock.now();
    const due = cleanupSchedule === null ? undefined : nextTime(cleanupSchedule, 'UTC', lastLook);
    const isDue = due != null && due <= now;
    const isFull = (await freeBytes()) < 2 * minFreeDisk;
    lastLook = now;
    if (isFull && now - lastUrgent >= urgentEveryMs) {
      lastUrgent = now;
      await clean(parts, localServer, true);
    }
    if (!isDue) return;
    // One that cannot be reached is no reason to leave the others alone.
    for (const { key } of await hosts.all())
      await clean(parts, key, false).catch((error: unknown) => void log.fault(error, `clean-up of ${key}`));
    await formerVolumes.turn();
  };
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
