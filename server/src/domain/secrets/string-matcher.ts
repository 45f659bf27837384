/**
 * Finds many literals in a text in one pass (Aho–Corasick), in time linear in the text whatever the literals
 * are.
 */

/** Start (inclusive) and end (exclusive). */
export type Span = [start: number, end: number];

export interface StringMatcher {
  /** The parts of the text that some literal covers, in order, overlapping ones merged. */
  find(text: string): Span[];
}

/** Takes about 40 bytes for each character of the literals. */
export function createStringMatcher(literals: Iterable<string>): StringMatcher {
  const words = [...literals].filter((literal) => literal !== '');
  if (words.length === 0) return { find: () => [] };
  const tree = new Tree(words.reduce((sum, word) => sum + word.length, 1));
  for (const word of words) tree.add(word);
  tree.link();
  return { find: (text) => scan(tree, text) };
}

function scan(tree: Tree, text: string): Span[] {
  const spans: Span[] = [];
  let node = 0;
  for (let index = 0; index < text.length; index += 1) {
    node = tree.step(node, text.charCodeAt(index));
    const length = tree.lengthAt(node);
    if (length === 0) continue;
    let start = index + 1 - length;
    // A longer literal may cover several found before it.
    for (let last = spans.at(-1); last !== undefined && last[1] > start; last = spans.at(-1)) {
      start = Math.min(start, last[0]);
      spans.pop();
    }
    spans.push([start, index + 1]);
  }
  return spans;
}

/**
 * The tree of all literals in flat arrays; node 0 is its root, and children are found through one hash table.
 */
class Tree {
  readonly #parent: Int32Array;
  readonly #code: Uint16Array;
  /** Node of the longest proper suffix that is in the tree too. */
  readonly #suffix: Int32Array;
  /** Length of the longest literal that ends here; 0 without one. */
  readonly #length: Int32Array;
  readonly #slots: Int32Array;
  readonly #shift: number;
  #count = 1;

  constructor(nodes: number) {
    const bits = Math.max(4, Math.ceil(Math.log2(nodes * 2)));
    this.#parent = new Int32Array(nodes);
    this.#code = new Uint16Array(nodes);
    this.#suffix = new Int32Array(nodes);
    this.#length = new Int32Array(nodes);
    this.#slots = new Int32Array(2 ** bits);
    this.#shift = 32 - bits;
  }

  add(literal: string): void {
    let node = 0;
    for (let index = 0; index < literal.length; index += 1) {
      const code = literal.charCodeAt(index);
      const slot = this.#slot(node, code);
      if (this.#slots[slot] === 0) {
        this.#slots[slot] = this.#count;
        this.#parent[this.#count] = node;
        this.#code[this.#count] = code;
        this.#count += 1;
      }
      node = this.#slots[slot] ?? 0;
    }
    this.#length[node] = literal.length;
  }

  /** Finds the suffix of each node, shallow ones first, since a deeper one builds on them. */
  link(): void {
    for (const node of this.#byDepth()) {
      const parent = this.#parent[node] ?? 0;
      const suffix = parent === 0 ? 0 : this.step(this.#suffix[parent] ?? 0, this.#code[node] ?? 0);
      this.#suffix[node] = suffix;
      this.#length[node] = Math.max(this.lengthAt(node), this.lengthAt(suffix));
    }
  }

  step(from: number, code: number): number {
    for (let node = from; ; node = this.#suffix[node] ?? 0) {
      const next = this.#slots[this.#slot(node, code)] ?? 0;
      if (next !== 0 || node === 0) return next;
    }
  }

  lengthAt(node: number): number {
    return this.#length[node] ?? 0;
  }

  /** The slot of a node's child, or the empty one where it would stand. */
  #slot(node: number, code: number): number {
    const mask = this.#slots.length - 1;
    let slot = Math.imul(Math.imul(node, 0x85ebca6b) ^ code, 0x9e3779b1) >>> this.#shift;
    for (;;) {
      const child = this.#slots[slot] ?? 0;
      if (child === 0 || (this.#parent[child] === node && this.#code[child] === code)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #byDepth(): Int32Array {
    const depth = new Int32Array(this.#count);
    // A node is always made after its parent.
    for (let node = 1; node < this.#count; node += 1) depth[node] = (depth[this.#parent[node] ?? 0] ?? 0) + 1;
    const nodes = Int32Array.from({ length: this.#count - 1 }, (_, index) => index + 1);
    return nodes.sort((a, b) => (depth[a] ?? 0) - (depth[b] ?? 0));
  }
}
