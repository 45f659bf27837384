/** The schema of a release's inputs, as they are stored with the release. */
import { z } from 'zod';
import type { ReleaseInputs } from './inputs.ts';

const unknowns = z.record(z.string(), z.unknown()).optional();

export const storedInputs = {
  settings: unknowns,
  variables: z.record(z.string(), z.record(z.string(), z.string())).optional(),
  parts: unknowns,
} satisfies { [K in keyof ReleaseInputs]: z.ZodType };
