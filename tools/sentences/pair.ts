/** Which sentence of today was which sentence of before. */
import type { Sentence } from './collect.ts';

export interface Pair {
  before: Sentence;
  /** Null: nothing today resembles it. */
  after: Sentence | null;
}

/** Below this likeness two sentences are two sentences. */
const least = 0.3;

/**
 * The same text, else the most alike of those that are new today; those of a file of the same name count
 * for more, for files move less than sentences change.
 */
export function pairsOf(
  chosen: readonly Sentence[],
  before: readonly Sentence[],
  today: readonly Sentence[],
): Pair[] {
  const former = new Set(before.map(({ text }) => text));
  const present = new Map(today.map((sentence) => [sentence.text, sentence]));
  const added = today.filter(({ text }) => !former.has(text));
  return chosen.map((sentence) => ({
    before: sentence,
    after: present.get(sentence.text) ?? mostAlike(sentence, added),
  }));
}

function mostAlike(sentence: Sentence, among: readonly Sentence[]): Sentence | null {
  const rated = among
    .map((one) => ({ one, likeness: likeness(sentence.text, one.text) + bonus(sentence.file, one.file) }))
    .toSorted((a, b) => b.likeness - a.likeness);
  const [best] = rated;
  return best && best.likeness >= least ? best.one : null;
}

function bonus(former: string, present: string): number {
  if (former === present) return 0.2;
  return former.split('/').at(-1) === present.split('/').at(-1) ? 0.1 : 0;
}

/** Dice's coefficient of their words, 0 to 1. */
export function likeness(a: string, b: string): number {
  const [left, right] = [wordsOf(a), wordsOf(b)];
  const both = [...left].filter((word) => right.has(word)).length;
  return left.size + right.size === 0 ? 0 : (2 * both) / (left.size + right.size);
}

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\d]+|…/gu));
