/** Whether a push touches the paths that a service is built from (decisions 5, watchPaths). Pure. */

/** Longest pattern in characters, and most patterns of one service. */
export const patternLimit = 200;
export const patternCount = 200;

/** A file of a checkout has no longer path: PATH_MAX of Linux (limits.h). */
const longestPath = 4096;

/**
 * Comparisons of one call; a push of 3,000 files against 20 ordinary patterns takes about 500,000. They take
 * some 30 ms, during which Berth answers nobody.
 */
export const stepLimit = 2_000_000;

/**
 * True when a changed path matches one of the patterns and none of those that begin with `!`. `*` stands for
 * any characters but "/", `?` for one of them, `**` as a whole part for any number of parts; a pattern
 * matches what lies below it too. A path above 4,096 bytes matches nothing. Also true when the comparisons
 * exceed `stepLimit`: a deployment too many is better than one that is missing.
 */
export function touches(
  patterns: readonly string[],
  paths: readonly string[],
  budget: Budget = { left: stepLimit },
): boolean {
  const wanted = patterns.filter((pattern) => !pattern.startsWith('!')).map(partsOf);
  const unwanted = patterns
    .filter((pattern) => pattern.startsWith('!'))
    .map((pattern) => partsOf(pattern.slice(1)));
  for (const path of paths) {
    if (path.length > longestPath) continue;
    budget.left -= path.length + 1;
    const parts = partsOf(path);
    const matched = (pattern: readonly string[]): boolean => matches(pattern, parts, budget);
    if ((wanted.length === 0 || wanted.some(matched)) && !unwanted.some(matched)) return true;
    if (budget.left < 0) return true;
  }
  return false;
}

/** Comparisons that are left; below 0 whoever compares stops. */
export interface Budget {
  left: number;
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.');

/** Follows which ends of the path can be reached, one part of the pattern after another. */
function matches(pattern: readonly string[], path: readonly string[], budget: Budget): boolean {
  let reached = new Set([0]);
  for (const part of pattern) {
    if (budget.left < 0) return false;
    const next = new Set<number>();
    if (part === '**') {
      const first = Math.min(...reached);
      budget.left -= stepsOfEnd * (path.length - first + 1);
      for (let end = first; end <= path.length; end += 1) next.add(end);
    } else
      for (const at of reached) {
        budget.left -= stepsOfEnd;
        const name = path[at];
        if (name !== undefined && matchesPart(part, name, budget)) next.add(at + 1);
      }
    if (next.size === 0) return false;
    reached = next;
  }
  // The rest of the path lies below the pattern.
  return true;
}

/** An entry of a set costs about as much as so many comparisons of letters. */
const stepsOfEnd = 8;

/** Goes back to the last `*` only. */
function matchesPart(pattern: string, name: string, budget: Budget): boolean {
  let [p, n, star, mark] = [0, 0, -1, 0];
  while (n < name.length) {
    budget.left -= 1;
    if (budget.left < 0) return false;
    if (pattern[p] === '*') {
      star = p;
      mark = n;
      p += 1;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === name[n])) {
      p += 1;
      n += 1;
    } else if (star >= 0) {
      mark += 1;
      p = star + 1;
      n = mark;
    } else return false;
  }
  while (pattern[p] === '*') p += 1;
  return p === pattern.length;
}
