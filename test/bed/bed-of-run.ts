import { inject } from 'vitest';
import { findBed, type Bed } from './bed.ts';

/** The bed that the project's set-up opened (global-setup.ts); all its test files share it. */
export async function bedOfRun(): Promise<Bed> {
  const bed = await findBed(inject('bed').name, new AbortController().signal);
  if (bed === null) throw new Error('The bed of this run is gone.');
  return bed;
}
