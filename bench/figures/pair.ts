import type { Installation } from '../data.ts';
import type { ServerProcess } from '../server-process.ts';

/** Berth and the baseline, each on its own copy of the same installation. */
export interface Pair {
  berth: ServerProcess;
  baseline: ServerProcess;
  installation: Installation;
  headers: Record<string, string>;
}

/** Throws unless both answer the same: else they are not measured by the same work. */
export async function requireSameAnswer({ berth, baseline, headers }: Pair, path: string): Promise<void> {
  const [own, other] = await Promise.all(
    [berth, baseline].map(
      async ({ url }): Promise<unknown> => (await fetch(`${url}${path}`, { headers })).json(),
    ),
  );
  const difference = firstDifference(own, other, '');
  if (difference !== undefined)
    throw new Error(
      `${path}: Berth and the baseline differ in ${difference}. Make bench/baseline/answers.ts give ` +
        'what Berth gives.',
    );
}

function firstDifference(left: unknown, right: unknown, path: string): string | undefined {
  if (Object.is(left, right)) return undefined;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null)
    return path || 'the whole answer';
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const found = firstDifference(Reflect.get(left, name), Reflect.get(right, name), `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
