/** Revisions of what people change: a change that names the one it was made from is refused when it is old. */
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';

export const revision = z.number().describe('Grows with each change of settings or variables by somebody');

/** Of the input of a change. */
export const givenRevision = z
  .number()
  .int()
  .min(0)
  .optional()
  .describe('The revision that was read before; refused with 409 when somebody changed it since');

/**
 * CONFLICT when the record is another by now. Whoever writes says so in the condition of the write as well,
 * so that of two at once one is refused.
 */
export function requireRevision(
  given: number | undefined,
  { revision: present }: { revision: number },
  what: string,
): void {
  if (given !== undefined && given !== present) throw staleRevision(given, present, what);
}

export function staleRevision(given: number, present: number, what: string): AppError {
  return new AppError(
    'CONFLICT',
    `Somebody else changed ${what} since it was read (revision ${given}, now ${present}). Read it again, ` +
      'then make the change anew.',
  );
}

/**
 * Makes a change of the record that was read, if it is the same still. `change` gives how many records it
 * changed, on condition of the revision that it is given.
 */
export async function revised(
  given: number | undefined,
  what: string,
  { read, change }: { read(): Promise<{ revision: number }>; change(where: object): Promise<number> },
): Promise<void> {
  const changed = await change(given === undefined ? {} : { revision: given });
  if (changed === 0 && given !== undefined) throw staleRevision(given, (await read()).revision, what);
}
