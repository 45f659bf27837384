/**
 * The end of containers that outlive their time: whatever grace period a service has, what was told to end
 * (stopped, deleted, replaced) is ended by SIGKILL after a limit of Berth's. Otherwise an organization could
 * keep containers that no quota counts and no record knows.
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

export function createLeavingWatch(clock: Clock): LeavingWatch {
  /** When each container was first seen leaving; forgotten with the container. */
  let since = new Map<string, number>();
  return {
    async look(engine, tasks) {
      const now = clock.now();
      const leaving = (await engine.leavingContainers(tasks)).filter(
        ({ labels }) => ownerOfLabels(labels) !== undefined,
      );
      since = new Map(leaving.map(({ id }) => [id, since.get(id) ?? now]));
      const overdue = leaving.filter(({ id }) => now - (since.get(id) ?? now) >= leavingLimitMs);
      await Promise.all(overdue.map(({ id }) => engine.killContainer(id)));
      return overdue.map(
        ({ name }) =>
          `${name}: did not end within ${leavingLimitMs / 60_000} minutes of being told; killed it`,
      );
    },
  };
}
