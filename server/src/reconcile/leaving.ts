/**
 * The end of containers that outlive their time: whatever grace period a service has, what was told to end
 * (stopped, deleted, replaced) is ended by SIGKILL after a limit of Berth's. Otherwise an organization could
 * keep containers that no quota counts and no record knows. Since when each goes on is stored, so that its
 * time does not begin anew with Berth.
 */
import { ownerOfLabels } from '../domain/names/service-ref.ts';
import type { Clock } from '../ports/clock.ts';
import type { Engine } from '../ports/engine/engine.ts';

/** A database's grace (45 s) is far below it. */
export const leavingLimitMs = 10 * 60_000;

export interface LeavingWatch {
  /**
   * Ends what has been leaving for too long, and says what it ended; on the node of a cluster that manages
   * nothing, of these tasks, which its head tells.
   */
  look(
    engine: Pick<Engine, 'leavingContainers' | 'killContainer'>,
    tasks?: ReadonlySet<string>,
  ): Promise<string[]>;
}

export interface LeavingParts {
  clock: Clock;
  /** Of the machine. */
  serverKey: string;
  /** Keeps when each container was first seen leaving (ms). */
  store: {
    read(serverKey: string): Promise<ReadonlyMap<string, number>>;
    keep(serverKey: string, since: ReadonlyMap<string, number>): Promise<void>;
  };
}

export function createLeavingWatch({ clock, serverKey, store }: LeavingParts): LeavingWatch {
  /** As it is stored; undefined before the first look. */
  let since: ReadonlyMap<string, number> | undefined;
  return {
    async look(engine, tasks) {
      const now = clock.now();
      const leaving = (await engine.leavingContainers(tasks)).filter(
        ({ labels }) => ownerOfLabels(labels) !== undefined,
      );
      const known = since ?? (await store.read(serverKey));
      const present = new Map(leaving.map(({ id }) => [id, known.get(id) ?? now]));
      const isSame = known.size === present.size && leaving.every(({ id }) => known.has(id));
      if (!isSame) await store.keep(serverKey, present);
      since = present;
      const overdue = leaving.filter(({ id }) => now - (present.get(id) ?? now) >= leavingLimitMs);
      await Promise.all(overdue.map(({ id }) => engine.killContainer(id)));
      return overdue.map(
        ({ name }) =>
          `${name}: did not end within ${leavingLimitMs / 60_000} minutes of being told; killed it`,
      );
    },
  };
}
