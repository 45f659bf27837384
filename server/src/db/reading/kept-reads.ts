/**
 * Rows that were read from PostgreSQL, kept while nobody writes. Whoever has the same snapshot sees the same
 * rows, and each transaction that writes changes the snapshot before it is answered, whichever process it
 * belongs to (PostgreSQL documentation, pg_current_snapshot): one small question, shared by all who ask at
 * once, takes the place of their reads.
 */

export interface KeptReads {
  /** What `read` gives, or gave for this key under the snapshot of now. The rows are the caller's own. */
  rows(key: string, read: () => Promise<Row[]>): Promise<{ rows: Row[]; wasKept: boolean }>;
  /** The snapshot of now; undefined while something is written, or where it could not be asked for. */
  snapshot(): Promise<string | undefined>;
  /**
   * To be called once this process has written: its own writes need no look, not even on a server whose
   * snapshots tell nothing.
   */
  written(): void;
}

export type Row = Record<string, unknown>;

export interface KeptReadsOptions {
  /** The snapshot of the server as it is when this is called, or later; undefined where it tells nothing. */
  askSnapshot: () => Promise<string | undefined>;
  /** Milliseconds of a clock that only goes forwards. */
  now: () => number;
}

/** How long reads go straight to the server after a write was seen: each look would be in vain. */
const lookAgainAfterMs = 20;
const mostAnswers = 1000;
const mostRowsOfAnswer = 100;
/** Of all answers and what they were asked by, two bytes a character at most. */
const mostCharacters = 4_000_000;
/** Ids are far shorter; what is longer was made up by whoever asks. */
const mostCharactersOfKey = 2000;
/** A connection that is cut off may never answer: reads then go straight to those that do. */
const lookLimitMs = 2000;
/** SQLSTATE of PostgreSQL before 13, which has no such function. */
const undefinedFunction = '42883';

export function createKeptReads({ askSnapshot, now }: KeptReadsOptions): KeptReads {
  let kept = new Map<string, Row[]>();
  let characters = 0;
  let known: string | undefined;
  let isQuiet = false;
  let lookedAt = -Infinity;

  function forget(): void {
    kept = new Map();
    characters = 0;
  }

  const look = sharedAmongAll(async () => {
    // A server that cannot be asked reports it at the read itself.
    const present = await inTime(askSnapshot().catch(whyNot));
    lookedAt = Math.max(lookedAt, now());
    isQuiet = present !== undefined && present === known;
    if (!isQuiet) forget();
    known = present;
  });

  function whyNot(error: unknown): undefined {
    if (error instanceof Error && 'code' in error && error.code === undefinedFunction) lookedAt = Infinity;
    return undefined;
  }

  /** Whether what is kept may be asked for; else it is found out beside the read. */
  function mayAsk(): boolean {
    if (!isQuiet && now() - lookedAt >= lookAgainAfterMs) {
      lookedAt = now();
      void look();
    }
    return isQuiet;
  }

  function keep(key: string, rows: Row[]): void {
    if (rows.length > mostRowsOfAnswer || key.length > mostCharactersOfKey) return;
    characters += rows.reduce((sum, row) => sum + charactersOf(row), key.length);
    if (kept.size >= mostAnswers || characters > mostCharacters) forget();
    else kept.set(key, copyOf(rows));
  }

  return {
    async rows(key, read) {
      if (!mayAsk()) return { rows: await read(), wasKept: false };
      const former = kept.get(key);
      if (former) {
        await look();
        if (kept.get(key) === former) return { rows: copyOf(former), wasKept: true };
      }
      const of = kept;
      const rows = await read();
      // Forgotten in between: this may be older than what is kept now. Otherwise the next look tells.
      if (of === kept && isQuiet) keep(key, rows);
      return { rows, wasKept: false };
    },
    async snapshot() {
      if (!mayAsk()) return undefined;
      await look();
      return known;
    },
    written() {
      isQuiet = false;
      forget();
    },
  };
}

/** Whoever reads rows decodes them in place. */
const copyOf = (rows: Row[]): Row[] => rows.map((row) => ({ ...row }));

/** Undefined when it takes too long. */
async function inTime<T>(answer: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, lookLimitMs, undefined);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

function charactersOf(row: Row): number {
  return Object.values(row).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 8),
    0,
  );
}

/**
 * Work that all share who ask for it before it begins. One is under way at a time: whoever asks meanwhile
 * gets the next one, since the present one may have seen what was true before they asked.
 */
function sharedAmongAll(work: () => Promise<void>): () => Promise<void> {
  let present: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  function start(): Promise<void> {
    next = undefined;
    present = work().finally(() => (present = undefined));
    return present;
  }
  return () => {
    if (!present) return start();
    return (next ??= present.then(start));
  };
}
