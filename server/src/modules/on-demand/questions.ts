/** Questions to services about hosts: few at once for each domain, and not more in a minute than it bears. */
import { AppError } from '../../domain/errors.ts';
import type { DomainRecord } from '../../db/tables.ts';
import type { Clock } from '../../ports/clock.ts';

export const questionsAtOnce = 4;
export const questionsAMinute = 60;
const minuteMs = 60_000;

interface Asked {
  running: number;
  /** In the order in which they came. */
  waiting: (() => void)[];
  /** Of those within the last minute. */
  times: number[];
}

/** A handshake waits for it, for which the proxy waits 10 s in all. */
const waitMs = 3_000;

/** False: it did not come in time. */
async function turn(waiting: (() => void)[]): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const go = (): void => resolve(true);
  waiting.push(go);
  const timer = setTimeout(() => {
    const index = waiting.indexOf(go);
    if (index >= 0) waiting.splice(index, 1);
    resolve(false);
  }, waitMs);
  const isMine = await promise;
  clearTimeout(timer);
  return isMine;
}

export interface QuestionsParts {
  clock: Clock;
  ask(domain: DomainRecord, host: string): Promise<boolean>;
}

export interface Questions {
  /** Undefined: not asked, since too many are, or without an answer. */
  ask(domain: DomainRecord, host: string): Promise<boolean | undefined>;
}

export function createQuestions({ clock, ask }: QuestionsParts): Questions {
  const asked = new Map<string, Asked>();

  /** What of the past counts no more is forgotten, so that there are as many as domains asked lately. */
  function stateOf(domainId: string): Asked {
    const since = clock.now() - minuteMs;
    for (const [id, state] of asked) {
      state.times = state.times.filter((at) => at > since);
      if (state.running === 0 && state.times.length === 0) asked.delete(id);
    }
    const state = asked.get(domainId) ?? { running: 0, waiting: [], times: [] };
    asked.set(domainId, state);
    return state;
  }

  return {
    async ask(domain, host) {
      const state = stateOf(domain.domainId);
      if (state.times.length >= questionsAMinute) return undefined;
      state.times.push(clock.now());
      if (state.running < questionsAtOnce) state.running += 1;
      // A question that ends hands its place on.
      else if (!(await turn(state.waiting))) return undefined;
      try {
        return await ask(domain, host);
      } catch (error) {
        if (error instanceof AppError) return undefined;
        throw error;
      } finally {
        const next = state.waiting.shift();
        if (next) next();
        else state.running -= 1;
      }
    },
  };
}
