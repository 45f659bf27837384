/** The lines of a log as they come: kept up to a limit, told to the page at most four times a second. */
import { rewritten } from './ansi.ts';

export interface Line {
  text: string;
  at?: string | undefined;
  stream?: 'stdout' | 'stderr' | undefined;
  stage?: string | undefined;
  /** Of a service: the task that wrote it, and of a compose service its name in the file. */
  task?: string | undefined;
  service?: string | undefined;
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
  /** The tasks that wrote, in the order they began to, each with its name for people. */
  readonly tasks: ReadonlyMap<string, string>;
  /** The services that wrote, each with the number of its colour. */
  readonly services: ReadonlyMap<string, number>;
  /** The stages of a deployment that wrote, in their order. */
  readonly stages: ReadonlySet<string>;
  subscribe(listener: () => void): () => void;
  version(): number;
}

interface StoreOptions {
  /**
   * Of several writers, each with a clock of its own stream: what comes late is put where its time
   * belongs.
   */
  isByTime?: boolean;
}

export function createLogStore({ isByTime = false }: StoreOptions = {}): LogStore {
  const listeners = new Set<() => void>();
  let lines: Line[] = [];
  let first = 1;
  const tasks = new Map<string, string>();
  const services = new Map<string, number>();
  const stages = new Set<string>();
  let version = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let newest = '';
  let late: Line[] = [];
  const tell = (): void => {
    timer = undefined;
    if (late.length > 0) lines = mergedByTime(lines, late);
    late = [];
    version += 1;
    for (const listener of listeners) listener();
  };
  return {
    add(line) {
      const kept = { ...line, text: rewritten(line.text) };
      const at = isByTime ? comparable(line.at) : '';
      if (at < newest && at !== '') late.push(kept);
      else lines.push(kept);
      if (at > newest) newest = at;
      if (line.task !== undefined && !tasks.has(line.task)) tasks.set(line.task, taskName(line));
      if (line.service !== undefined && !services.has(line.service))
        services.set(line.service, colourOf(line.service, new Set(services.values())));
      if (line.stage !== undefined) stages.add(line.stage);
      if (lines.length > limit) {
        lines = lines.slice(limit / 10);
        first += limit / 10;
      }
      timer ??= setTimeout(tell, lines.length < 50 ? 16 : pauseMs);
    },
    clear() {
      lines = [];
      late = [];
      newest = '';
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
    tasks,
    services,
    stages,
    version: () => version,
  };
}

/** Without the Z, texts of different precision compare as their times do. */
const comparable = (at: string | undefined): string => at?.replace(/Z$/, '') ?? '';

/** A new list; those of one time, and those without, stay in the order in which they came. */
export function mergedByTime(lines: readonly Line[], late: readonly Line[]): Line[] {
  const sorted = late.toSorted((one, other) => (comparable(one.at) < comparable(other.at) ? -1 : 1));
  const merged: Line[] = [];
  let next = 0;
  for (const line of lines) {
    const at = comparable(line.at);
    while (next < sorted.length && at !== '' && comparable(sorted[next]?.at) < at) {
      const earlier = sorted[next];
      if (earlier) merged.push(earlier);
      next += 1;
    }
    merged.push(line);
  }
  return [...merged, ...sorted.slice(next)];
}

export const colourCount = 8;

/** The same of a name wherever it can be; another's while there are others. */
export function colourOf(name: string, taken: ReadonlySet<number>): number {
  let own = 0;
  for (const letter of name) own = (own * 31 + (letter.codePointAt(0) ?? 0)) % 65_521;
  for (let step = 0; step < colourCount; step += 1) {
    const colour = (own + step) % colourCount;
    if (!taken.has(colour)) return colour;
  }
  return own % colourCount;
}

const taskName = ({ task = '', service }: Line): string =>
  service === undefined ? task.slice(0, 8) : `${service} ${task.slice(0, 6)}`;

/** How loud a line is, by the words that programs use. */
export function levelOf({ text }: Line): 'error' | 'warn' | 'info' {
  if (/\b(error|fatal|panic|exception|failed)\b|"level":\s*"?(error|fatal|50|60)/i.test(text)) return 'error';
  if (/\bwarn(ing)?\b|"level":\s*"?(warn|40)/i.test(text)) return 'warn';
  return 'info';
}

export interface Wanted {
  search?: RegExp | undefined;
  level?: string | undefined;
  task?: string | undefined;
  service?: string | undefined;
  /** Not before, and not after: ISO times. A line without a time is in no range. */
  from?: string | undefined;
  to?: string | undefined;
  /** Stages of which one line is enough. */
  folded?: ReadonlySet<string>;
}

/** The indexes of the lines that are left; undefined when all are. */
export function matching(
  lines: readonly Line[],
  { search, level, task, service, from, to, folded = new Set() }: Wanted,
): number[] | undefined {
  if (folded.size === 0 && ![search, level, task, service, from, to].some((one) => one !== undefined))
    return undefined;
  const isInRange = ({ at }: Line): boolean =>
    (from === undefined || (at !== undefined && milliseconds(at) >= milliseconds(from))) &&
    (to === undefined || (at !== undefined && milliseconds(at) <= milliseconds(to)));
  const found: number[] = [];
  lines.forEach((line, at) => {
    if (task !== undefined && line.task !== task) return;
    if (service !== undefined && line.service !== service) return;
    if (!isInRange(line)) return;
    // Of a folded stage its first line stays, which names it.
    if (line.stage !== undefined && folded.has(line.stage) && lines[at - 1]?.stage === line.stage) return;
    if (level !== undefined && !isOfLevel(line, level)) return;
    if (search !== undefined && !search.test(line.text)) return;
    found.push(at);
  });
  return found;
}

function isOfLevel(line: Line, level: string): boolean {
  if (level === 'stderr') return line.stream === 'stderr';
  const own = levelOf(line);
  return own === level || (level === 'warn' && own === 'error');
}

/** Engines tell nanoseconds, the page milliseconds: as texts they compare up to these. */
const milliseconds = (iso: string): string => iso.slice(0, 23);

/** `/…/` is a regular expression, everything else is text; a wrong expression says what is wrong with it. */
export function searchOf(text: string): { expression?: RegExp; fault?: string } {
  if (text === '') return {};
  const [, expression] = /^\/(.+)\/$/.exec(text) ?? [];
  try {
    return {
      expression: new RegExp(expression ?? text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), 'i'),
    };
  } catch (error) {
    const [, reason = 'it is not valid'] = /: ([^:]+)$/.exec(String(error)) ?? [];
    return { fault: `Not a regular expression: ${reason.toLowerCase()}.` };
  }
}
