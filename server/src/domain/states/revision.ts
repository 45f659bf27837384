/** Revisions of what people change: a change that names an old one is refused. */
import { AppError } from '../errors.ts';

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
      'then repeat the change.',
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
