/** Lists: plain array without `limit`, `{items, nextCursor}` with it (decisions 1, Lists). */
import { z } from 'zod';
import { badField, type AppError } from '../../domain/errors.ts';

export const pageInput = {
  limit: z
    .number()
    .int()
    .min(1)
    .max(500)
    .optional()
    .describe('Most items of one page; with it the answer is a page: {items, nextCursor}'),
  cursor: z.string().max(200).optional().describe('nextCursor of the page before'),
};

const nextCursor = z.string().nullable();

/** The two answers of a list: whole without `limit`, a page with it. Undefined for another output. */
export function listAnswers(output: z.ZodType): { whole: z.ZodType; page: z.ZodType } | undefined {
  if (!(output instanceof z.ZodUnion)) return undefined;
  const [whole, page] = output.options;
  return whole instanceof z.ZodArray && page instanceof z.ZodObject && 'nextCursor' in page.shape
    ? { whole, page }
    : undefined;
}

/** Items of a page when the caller names no number. */
export const usualPage = 100;

/** Output of a list of these items. */
export function listOf<T extends z.ZodType>(
  item: T,
): z.ZodUnion<
  [z.ZodArray<T>, z.ZodObject<{ items: z.ZodArray<T>; nextCursor: z.ZodNullable<z.ZodString> }>]
> {
  const items = z.array(item);
  return z.union([items, z.object({ items, nextCursor })]);
}

export function unknownCursor(): AppError {
  return badField('cursor', 'is not known, or its item was removed; leave it out to begin with the newest');
}

/**
 * Cuts one page out of a newest-first list; the cursor is the id of the last item shown, BAD_REQUEST when it
 * is no longer there.
 */
export function paginate<T>(
  items: T[],
  input: { limit?: number | undefined; cursor?: string | undefined },
  idOf: (item: T) => string,
): T[] | { items: T[]; nextCursor: string | null } {
  if (input.limit === undefined) return items;
  const start = input.cursor === undefined ? 0 : items.findIndex((item) => idOf(item) === input.cursor) + 1;
  if (input.cursor !== undefined && start === 0) throw unknownCursor();
  const page = items.slice(start, start + input.limit);
  const last = page.at(-1);
  return {
    items: page,
    nextCursor: last !== undefined && start + input.limit < items.length ? idOf(last) : null,
  };
}

/** The page of a query that was asked for one item more than `limit`. */
export function cutPage<T>(
  items: T[],
  limit: number,
  idOf: (item: T) => string,
): { items: T[]; nextCursor: string | null } {
  const page = items.slice(0, limit);
  const last = page.at(-1);
  return { items: page, nextCursor: last !== undefined && items.length > limit ? idOf(last) : null };
}
