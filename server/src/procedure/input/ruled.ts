/** A rule of the domain as a zod check, with the rule's own sentence. */
import type { z } from 'zod';
import { AppError } from '../../domain/errors.ts';

/** The text must pass `rule`, which throws an AppError when it does not; the text itself stays as it came. */
export function ruled(schema: z.ZodString, rule: (text: string, field: string) => unknown): z.ZodString {
  return schema.superRefine((text, context) => {
    try {
      rule(text, 'value');
    } catch (error) {
      context.addIssue({
        code: 'custom',
        message: error instanceof AppError ? (error.issues?.[0]?.message ?? error.message) : 'is not valid',
      });
    }
  });
}
