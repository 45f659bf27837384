/** Reports why the health check of a starting version fails, before the release itself has failed. */
import type { Clock } from '../../ports/clock.ts';
import type { Engine, TaskState } from '../../ports/engine/engine.ts';
import { checkWords } from './failure-reason.ts';

/** How long a program may take to listen before the log mentions it. */
const patienceMs = 10_000;
const everyMs = 1000;

export interface CheckWatch {
  /** Looks at the newest task when it is time to. */
  look(task: TaskState | undefined): Promise<void>;
  /** The last reported reason. */
  words(): string | undefined;
}

/**
 * A listener on the loopback address alone is reported at once, since waiting does not help; any other reason
 * only after the task has been starting for 10 s. Each reason is reported once.
 */
export function createCheckWatch({
  engine,
  clock,
  onEvent,
}: {
  engine: Pick<Engine, 'failedCheck'>;
  clock: Clock;
  onEvent(event: { kind: 'check'; words: string }): void;
}): CheckWatch {
  const told = new Set<string>();
  let startedAt: { id: string; at: number } | undefined;
  let lookedAt = 0;
  let last: string | undefined;
  return {
    words: () => last,
    async look(task) {
      const now = clock.now();
      if (task?.state !== 'starting' || task.containerId === undefined || now - lookedAt < everyMs) return;
      if (startedAt?.id !== task.id) startedAt = { id: task.id, at: now };
      lookedAt = now;
      // The output is only additional, and a container on another node cannot be asked.
      const output = await engine.failedCheck(task.containerId).catch(() => undefined);
      if (output === undefined) return;
      const words = checkWords(output);
      if (words === '') return;
      last = words;
      if (now - startedAt.at < patienceMs && !isFinal(words)) return;
      const reason = words.replaceAll(/ after \d+ ms/g, '');
      if (told.has(reason)) return;
      told.add(reason);
      onEvent({ kind: 'check', words });
    },
  };
}

const isFinal = (words: string): boolean => words.includes('make it listen on 0.0.0.0');
