/** Backup runs that a word waits for. */
import { exitCodes } from '../../exit-codes.ts';
import { printableLine } from '../../output/printable.ts';
import type { Context } from './context.ts';

type RunEvent = { type: 'line'; text: string } | { type: 'end'; outcome: string };

/** Prints the log of a run and resolves with how it ended. */
export async function followRun(
  context: Context,
  events: AsyncIterable<{ data: RunEvent }>,
): Promise<string> {
  let outcome = 'error';
  for await (const { data } of events) {
    if (data.type === 'line') context.terminal.say(`${printableLine(data.text, false)}\n`);
    else outcome = data.outcome;
  }
  return outcome;
}

/** Prints how it ended, and returns the exit code. */
export function answerRun(
  context: Context,
  answer: { service: string; outcome: string } & Record<string, string>,
  { done, failed }: { done: string; failed: string },
): number {
  const isDone = answer.outcome === 'success';
  context.answer(answer, () => `${isDone ? done : failed}\n`);
  return isDone ? exitCodes.done : exitCodes.refused;
}
