/** The lines of a log as they come: kept up to a limit, told to the page at most four times a second. */
import { rewritten } from './ansi.ts';

export interface Line {
  text: string;
  at?: string | undefined;
  stream?: 'stdout' | 'stderr' | undefined;
  stage?: string | undefined;
}

/** So many lines stay; the oldest go in pieces of a tenth. */
const limit = 1_000_000;
const pauseMs = 250;

export interface LogStore {
  add(line: Line): void;
  clear(): void;
  readonly lines: readonly Line[];
  /** Number of the first line that is kept, from 1. */
  readonly first: number;
  subscribe(listener: () => void): () => void;
  version(): number;
}

export function createLogStore(): LogStore {
  const listeners = new Set<() => void>();
  let lines: Line[] = [];
  let first = 1;
  let version = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tell = (): void => {
    timer = undefined;
    version += 1;
    for (const listener of listeners) listener();
  };
  return {
    add(line) {
      lines.push({ ...line, text: rewritten(line.text) });
      if (lines.length > limit) {
        lines = lines.slice(limit / 10);
        first += limit / 10;
      }
      timer ??= setTimeout(tell, lines.length < 50 ? 16 : pauseMs);
    },
    clear() {
      lines = [];
      first = 1;
      timer ??= setTimeout(tell, 0);
    },
    get lines() {
      return lines;
    },
    get first() {
      return first;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    version: () => version,
  };
}

/** How loud a line is, by the words that programs use. */
export function levelOf({ text, stream }: Line): 'error' | 'warn' | 'info' {
  if (/\b(error|fatal|panic|exception|failed)\b|"level":\s*"?(error|fatal|50|60)/i.test(text)) return 'error';
  if (/\bwarn(ing)?\b|"level":\s*"?(warn|40)/i.test(text)) return 'warn';
  return stream === 'stderr' ? 'info' : 'info';
}

/** The indexes of the lines that a search and a level leave; undefined when all do. */
export function matching(
  lines: readonly Line[],
  search: RegExp | undefined,
  level: string | undefined,
): number[] | undefined {
  if (search === undefined && level === undefined) return undefined;
  const found: number[] = [];
  lines.forEach((line, at) => {
    if (level !== undefined && levelOf(line) !== level && !(level === 'warn' && levelOf(line) === 'error'))
      return;
    if (search !== undefined && !search.test(line.text)) return;
    found.push(at);
  });
  return found;
}

/** `/…/` is a regular expression, everything else is text; undefined while it is none. */
export function searchOf(text: string): RegExp | undefined {
  if (text === '') return undefined;
  const [, expression] = /^\/(.+)\/$/.exec(text) ?? [];
  try {
    return new RegExp(expression ?? text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), 'i');
  } catch {
    // An expression that is still being typed: nothing is searched for yet.
    return undefined;
  }
}
