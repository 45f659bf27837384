/** So many checks run at once. */
export const atOnce = 4;

/** Runs the checks, a few at once; gives the faults in the order of the items. */
export async function inOrder<T>(
  items: readonly T[],
  check: (item: T, index: number) => Promise<string | undefined>,
): Promise<string[]> {
  const faults: (string | undefined)[] = [];
  const queue = items.entries();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const [index, item] of queue) faults[index] = await check(item, index);
    }),
  );
  return faults.filter((fault) => fault !== undefined);
}
