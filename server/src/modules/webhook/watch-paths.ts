/** Whether a push touches what a service is built of (decisions 5, watchPaths). Pure. */

/**
 * True when a changed path matches one of the patterns and none of those that begin with `!`. `*` stands for
 * any characters but "/", `?` for one of them, `**` as a whole part for any number of parts; a pattern
 * matches what lies below it too. Time grows with the product of the lengths, whatever the pattern.
 */
export function touches(patterns: readonly string[], paths: readonly string[]): boolean {
  const wanted = patterns.filter((pattern) => !pattern.startsWith('!')).map(partsOf);
  const unwanted = patterns
    .filter((pattern) => pattern.startsWith('!'))
    .map((pattern) => partsOf(pattern.slice(1)));
  return paths.some((path) => {
    const parts = partsOf(path);
    return (
      (wanted.length === 0 || wanted.some((pattern) => matches(pattern, parts))) &&
      !unwanted.some((pattern) => matches(pattern, parts))
    );
  });
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.');

/** Which ends of the path can be reached, part of the pattern by part. */
function matches(pattern: readonly string[], path: readonly string[]): boolean {
  let reached = new Set([0]);
  for (const part of pattern) {
    const next = new Set<number>();
    // From the first end on, any.
    if (part === '**') for (let end = Math.min(...reached); end <= path.length; end += 1) next.add(end);
    else
      for (const at of reached) {
        const name = path[at];
        if (name !== undefined && matchesPart(part, name)) next.add(at + 1);
      }
    reached = next;
  }
  // Whatever is left of the path lies below.
  return reached.size > 0;
}

/** Goes back to the last `*` only, so that it is never slow. */
function matchesPart(pattern: string, name: string): boolean {
  let [p, n, star, mark] = [0, 0, -1, 0];
  while (n < name.length) {
    if (pattern[p] === '*') [star, mark, p] = [p, n, p + 1];
    else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === name[n])) [p, n] = [p + 1, n + 1];
    else if (star >= 0) [mark, p, n] = [mark + 1, star + 1, mark + 1];
    else return false;
  }
  while (pattern[p] === '*') p += 1;
  return p === pattern.length;
}
