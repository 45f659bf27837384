import type { Graph } from './graph.ts';

/** Files that import each other in a ring, written as the way round; of every knot at least one ring. */
export function cycles({ files, edges }: Graph): string[][] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of edges)
    if (to !== undefined) targets.set(from, [...(targets.get(from) ?? []), to]);
  const done = new Set<string>();
  const path: string[] = [];
  const rings: string[][] = [];
  const visit = (file: string): void => {
    const start = path.indexOf(file);
    if (start !== -1) rings.push([...path.slice(start), file]);
    if (start !== -1 || done.has(file)) return;
    path.push(file);
    for (const next of targets.get(file) ?? []) visit(next);
    path.pop();
    done.add(file);
  };
  for (const file of files) visit(file);
  return rings;
}
