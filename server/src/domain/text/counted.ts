/** `1 server`, `3 servers`; the noun takes a plain s. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The counts that are not zero, as a sentence reads them: `1 application, 2 servers`. */
export function countedAll(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([noun, count]) => counted(count, noun))
    .join(', ');
}
