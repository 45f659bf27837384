/**
 * One-off commands that run now, with what they take. They are kept in memory, for a command lasts no longer
 * than the process that waits for it. What another process began or left is counted by its labels
 * (`left-running.ts`).
 */

/** Undefined where the command has no limit. */
export interface OneOffRun {
  /** Name of its task. */
  serviceId: string;
  name: string;
  nanoCpus: number | undefined;
  memoryBytes: number | undefined;
}

export interface OneOffRuns {
  of(organizationId: string): readonly OneOffRun[];
  /** Whether the command of this name runs, of whichever organization. */
  has(name: string): boolean;
  /** Counts the command until the returned function is called. */
  begin(organizationId: string, run: OneOffRun): () => void;
}

export function createOneOffRuns(): OneOffRuns {
  const running = new Map<string, Set<OneOffRun>>();
  return {
    of: (organizationId) => [...(running.get(organizationId) ?? [])],
    has: (name) =>
      [...running.values()].flatMap((each) => [...each]).some(({ serviceId }) => serviceId === name),
    begin(organizationId, run) {
      const present = running.get(organizationId) ?? new Set();
      running.set(organizationId, present.add(run));
      return () => {
        present.delete(run);
        if (present.size === 0 && running.get(organizationId) === present) running.delete(organizationId);
      };
    },
  };
}
