/** Services of an environment as a picture: who refers to whom, and where each card stands. */
import { referencesIn } from '../variables/preview.ts';

export interface Node {
  id: string;
  name: string;
  /** Its host name among its neighbours. */
  appName: string;
  /** Its variables as text; values are dots for people who may not read them. */
  env: string;
}

export interface Edge {
  from: string;
  to: string;
}

/** A reference, or a value that holds the other's host name, leads from the service that has it. */
export function edgesOf(nodes: readonly Node[]): Edge[] {
  return nodes.flatMap(({ id, env }) => {
    const named = new Set(
      referencesIn(env).map((inner) => inner.slice(0, Math.max(inner.lastIndexOf('.'), 0))),
    );
    return nodes
      .filter((other) => other.id !== id && (named.has(other.name) || hasWord(env, other.appName)))
      .map((other) => ({ from: id, to: other.id }));
  });
}

const hasWord = (text: string, word: string): boolean =>
  word !== '' && new RegExp(`(?<![\\w.-])${RegExp.escape(word)}(?![\\w-])`).test(text);

/**
 * The ids in layers from above: a service stands below all that refer to it. Of services that refer to each
 * other in a circle, the first one stands above.
 */
export function layersOf(ids: readonly string[], edges: readonly Edge[]): string[][] {
  const depths = new Map<string, number>();
  const users = Map.groupBy(edges, ({ to }) => to);
  const depthOf = (id: string, above: ReadonlySet<string>): number => {
    const known = depths.get(id);
    if (known !== undefined) return known;
    const next = new Set([...above, id]);
    const depth = Math.max(
      0,
      ...(users.get(id) ?? []).map(({ from }) => (next.has(from) ? 0 : depthOf(from, next) + 1)),
    );
    // Within a circle the answer depends on where it was entered.
    if (above.size === 0) depths.set(id, depth);
    return depth;
  };
  for (const id of ids) depthOf(id, new Set());
  const layers: string[][] = [];
  for (const id of ids) (layers[depths.get(id) ?? 0] ??= []).push(id);
  return [...layers].map((layer) => layer ?? []).filter((layer) => layer.length > 0);
}

export interface Place {
  x: number;
  y: number;
}

export interface Sizes {
  /** Of the whole picture. */
  width: number;
  card: { width: number; height: number };
  /** Between cards, between layers, and between the rows of one layer. */
  gap: { x: number; y: number; row: number };
}

/** Where the cards stand, in px; a layer that is wider than the picture continues below. */
export function placesOf(
  layers: readonly (readonly string[])[],
  { width, card, gap }: Sizes,
): { places: Map<string, Place>; height: number } {
  const columns = Math.max(1, Math.floor((width + gap.x) / (card.width + gap.x)));
  const places = new Map<string, Place>();
  let [y, height] = [0, 0];
  for (const layer of layers) {
    for (let at = 0; at < layer.length; at += columns) {
      const row = layer.slice(at, at + columns);
      const wide = row.length * (card.width + gap.x) - gap.x;
      const left = Math.max(0, (width - wide) / 2);
      for (const [index, id] of row.entries()) places.set(id, { x: left + index * (card.width + gap.x), y });
      height = y + card.height;
      y = height + gap.row;
    }
    y = height + gap.y;
  }
  return { places, height };
}
