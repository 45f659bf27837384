/** Keeps of many lines as much as an answer may hold, in bounded memory, and says what it left out. */

export interface OutputLine {
  /** A time whose order as text is that of time; empty where there is none. */
  at: string;
  stream: 'stdout' | 'stderr';
  text: string;
}

/** What a line costs besides its text. */
const perLine = 64;
const sizeOf = ({ text }: OutputLine): number => Buffer.byteLength(text) + perLine;

export interface Kept<L> {
  add(line: L): void;
  /** The lines that are kept, and how many more there were that should have been. */
  result(): { lines: L[]; leftOut: number };
}

/** The newest lines by their time, whatever order they come in: at most so many, and so many bytes. */
export function newestLines<L extends OutputLine>(limit: { lines: number; bytes: number }): Kept<L> {
  let kept: L[] = [];
  let bytes = 0;
  let seen = 0;

  function shrink(): void {
    kept.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
    const least = Math.max(0, kept.length - limit.lines);
    let from = kept.length;
    bytes = 0;
    for (const line of kept.slice(least).toReversed()) {
      if (bytes + sizeOf(line) > limit.bytes) break;
      bytes += sizeOf(line);
      from -= 1;
    }
    kept = kept.slice(from);
  }

  return {
    add(line) {
      seen += 1;
      bytes += sizeOf(line);
      kept.push(line);
      if (kept.length > 2 * limit.lines + 1000 || bytes > 2 * limit.bytes) shrink();
    },
    result() {
      shrink();
      return { lines: kept, leftOut: Math.min(seen, limit.lines) - kept.length };
    },
  };
}

/** Stands before the newest lines when there should have been more. */
export function earlierLeftOut(lines: number, limitBytes: number): string {
  return (
    `[${lines.toLocaleString('en')} earlier line${lines === 1 ? ' is' : 's are'} left out: one answer ` +
    `shows at most ${limitBytes.toLocaleString('en')} bytes of output (setting logAnswerLimit).]`
  );
}

/**
 * The first lines and the last ones, each half of the bytes; between them a line that says what is missing.
 */
export function bothEnds(
  limitBytes: number,
  setting: string,
): { add(line: OutputLine): void; lines(): OutputLine[] } {
  const half = limitBytes / 2;
  const head: OutputLine[] = [];
  let headBytes = 0;
  let isHeadFull = false;
  let tail: OutputLine[] = [];
  let tailBytes = 0;
  /** Lines of `tail` before it are gone. */
  let first = 0;
  const leftOut = { lines: 0, bytes: 0 };

  function addToTail(line: OutputLine): void {
    tail.push(line);
    tailBytes += sizeOf(line);
    for (let oldest = tail[first]; oldest && tailBytes > half; oldest = tail[first]) {
      tailBytes -= sizeOf(oldest);
      leftOut.lines += 1;
      leftOut.bytes += Buffer.byteLength(oldest.text) + 1;
      first += 1;
    }
    if (first > 1000 && first > tail.length / 2) {
      tail = tail.slice(first);
      first = 0;
    }
  }

  return {
    add(line) {
      isHeadFull ||= headBytes + sizeOf(line) > half;
      if (isHeadFull) {
        addToTail(line);
        return;
      }
      head.push(line);
      headBytes += sizeOf(line);
    },
    lines() {
      const end = tail.slice(first);
      const gap: OutputLine = {
        at: end[0]?.at ?? head.at(-1)?.at ?? '',
        stream: 'stderr',
        text:
          `[${leftOut.lines.toLocaleString('en')} lines with ${leftOut.bytes.toLocaleString('en')} bytes ` +
          `are left out here: the answer holds at most ${limitBytes.toLocaleString('en')} bytes ` +
          `(setting ${setting}).]`,
      };
      return leftOut.lines === 0 ? [...head, ...end] : [...head, gap, ...end];
    },
  };
}
