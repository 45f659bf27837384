/** Runs the steps in order; each says what it does, what came of it and how long it took. */
import { AppError, sentenceOf } from '../server/src/domain/errors.ts';
import type { SetupContext, Step } from './context.ts';

/** Throws the first failing step's error, with the step's title in front. */
export async function runSteps(steps: readonly Step[], context: SetupContext): Promise<void> {
  const planned = plan(steps, context);
  for (const [index, step] of planned.entries()) {
    console.log(`[${index + 1}/${planned.length}] ${step.title}`);
    const start = performance.now();
    try {
      const outcome = await step.run(context);
      console.log(`      ${outcome} (${seconds(start)})`);
    } catch (cause) {
      const sentence = context.signal.aborted
        ? 'interrupted. Run the command again: it goes on where it stopped.'
        : sentenceOf(cause);
      throw new AppError('PRECONDITION_FAILED', `${step.title}: ${sentence} (after ${seconds(start)})`, {
        cause,
      });
    }
  }
}

/** The steps that this run needs. */
export function plan(steps: readonly Step[], context: SetupContext): Step[] {
  return steps.filter((step) => step.applies?.(context) ?? true);
}

function seconds(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}
