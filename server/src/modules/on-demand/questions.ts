/** Questions to services about hosts: few at once for each domain, and not more in a minute than it bears. */
import { AppError, sentenceOf } from '../../domain/errors.ts';
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

const unasked = (said: string): Answer => ({ isYes: undefined, said });

export interface QuestionsParts {
  clock: Clock;
  ask(domain: DomainRecord, host: string): Promise<Answer>;
}

/** What a service says of a host. */
export interface Answer {
  /** Undefined: not asked, since too many are, or without an answer. */
  isYes: boolean | undefined;
  /** Why not, in words. */
  said: string;
}

export interface Questions {
  ask(domain: DomainRecord, host: string): Promise<Answer>;
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
      if (state.times.length >= questionsAMinute)
        return unasked(
          `the service was asked ${questionsAMinute} times within a minute, the most that it is`,
        );
      state.times.push(clock.now());
      if (state.running < questionsAtOnce) state.running += 1;
      // A question that ends hands its place on.
      else if (!(await turn(state.waiting)))
        return unasked(`the service was busy with ${questionsAtOnce} such questions for ${waitMs / 1000} s`);
      try {
        return await ask(domain, host);
      } catch (error) {
        if (error instanceof AppError) return unasked(sentenceOf(error));
        throw error;
      } finally {
        const next = state.waiting.shift();
        if (next) next();
        else state.running -= 1;
      }
    },
  };
}
