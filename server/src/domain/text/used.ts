/** What other things use is not removed. */
import { AppError } from '../errors.ts';
import { countedAll } from './counted.ts';

/**
 * PRECONDITION_FAILED while something uses it: `what` as sentences name it, `uses` by kind, `cure` what to do
 * first with the one, or with all of them.
 */
export function refuseWhileUsed(
  what: string,
  uses: Readonly<Record<string, number>>,
  cure: (isOne: boolean) => string,
): void {
  const all = Object.values(uses).reduce((sum, count) => sum + count, 0);
  if (all > 0)
    throw new AppError('PRECONDITION_FAILED', `${what} is used by ${countedAll(uses)}. ${cure(all === 1)}`);
}

export const giveAnother = (isOne: boolean): string => `Give ${isOne ? 'it' : 'them'} another one first.`;
