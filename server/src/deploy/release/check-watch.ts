/** What the health check of a starting version complains of, told before the end. */
import type { Clock } from '../../ports/clock.ts';
import type { Engine, TaskState } from '../../ports/engine/engine.ts';
import { checkWords } from './failure-reason.ts';

/** So long a program may take to listen before it is worth a word. */
const patienceMs = 10_000;
const everyMs = 1000;

export interface CheckWatch {
  /** Looks at the newest task, if it is time to. */
  look(task: TaskState | undefined): Promise<void>;
  /** The last complaint. */
  words(): string | undefined;
}

/**
 * A listener on the loopback address alone is told at once, since time does not heal it; anything else when
 * the task has been starting for 10 s. Each reason is told once.
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
      // It only adds to what is known; another node's container cannot be asked.
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
