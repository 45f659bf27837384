/** Reports why the health check of a starting version fails, before the release itself has failed. */
import type { Clock } from '../../ports/clock.ts';
import type { Engine, TaskState } from '../../ports/engine/engine.ts';
import { checkWords } from './failure-reason.ts';

/** How long a program may take to listen before the log mentions it, or listen elsewhere before it failed. */
const patienceMs = 10_000;
const everyMs = 1000;

export interface CheckWatch {
  /** Looks at the newest task when it is time to. */
  look(task: TaskState | undefined): Promise<void>;
  /** The last reported reason. */
  words(): string | undefined;
  /**
   * The reason why waiting longer is of no use: for 10 s the program has listened on another port, or only on
   * the loopback address. Undefined while there is none.
   */
  elsewhere(): string | undefined;
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
  let elsewhere: { id: string; at: number; words: string } | undefined;
  return {
    words: () => last,
    elsewhere: () =>
      elsewhere !== undefined && clock.now() - elsewhere.at >= patienceMs ? elsewhere.words : undefined,
    async look(task) {
      const now = clock.now();
      if (task?.state !== 'starting' || task.containerId === undefined || now - lookedAt < everyMs) return;
      if (startedAt?.id !== task.id) startedAt = { id: task.id, at: now };
      if (elsewhere?.id !== task.id) elsewhere = undefined;
      lookedAt = now;
      // The output is only additional, and a container on another node cannot be asked.
      const output = await engine.failedCheck(task.containerId).catch(() => undefined);
      if (output === undefined) return;
      const words = checkWords(output);
      if (words === '') return;
      last = words;
      elsewhere = listensElsewhere.test(words) ? { id: task.id, at: elsewhere?.at ?? now, words } : undefined;
      if (now - startedAt.at < patienceMs && !isFinal(words)) return;
      const reason = words.replaceAll(/ after \d+ ms/g, '');
      if (told.has(reason)) return;
      told.add(reason);
      onEvent({ kind: 'check', words });
    },
  };
}

/** The sentences of our probe (`listens` in health-check.ts). */
const listensElsewhere =
  /^(?:nothing listens on port \d+; the program listens on \d|the service listens on port \d+ only on)/;

const isFinal = (words: string): boolean => words.includes('make it listen on 0.0.0.0');
