/**
 * One-off commands that run now, with what they take. They are kept in memory, for a command lasts no longer
 * than the process that waits for it. What another process began or left is counted by its labels
 * (`left-running.ts`).
 */
import type { Taken } from './quota.ts';

export interface OneOffRuns {
  of(organizationId: string): readonly Taken[];
  /** Whether the command of this name runs, of whichever organization. */
  has(name: string): boolean;
  /** Counts the command until the returned function is called. */
  begin(organizationId: string, taken: Taken): () => void;
}

export function createOneOffRuns(): OneOffRuns {
  const running = new Map<string, Set<Taken>>();
  return {
    of: (organizationId) => [...(running.get(organizationId) ?? [])],
    has: (name) => [...running.values()].some((each) => [...each].some(({ serviceId }) => serviceId === name)),
    begin(organizationId, taken) {
      const present = running.get(organizationId) ?? new Set();
      running.set(organizationId, present.add(taken));
      return () => {
        present.delete(taken);
        if (present.size === 0 && running.get(organizationId) === present) running.delete(organizationId);
      };
    },
  };
}
