/**
 * Lines of a file, from a position on or from its end, in pieces of bounded size whatever the file holds. A
 * last line without its line break is left for later: it is still being written.
 */

/** Reads into the whole buffer, or less at the end of the file; gives the number of bytes. */
export type ReadAt = (buffer: Buffer, position: number) => Promise<number>;

export interface FileLine {
  /** Byte after the line and its line break. */
  end: number;
  text: string;
}

/** Bytes of a line that are shown; the rest of a longer one is only counted. */
export const longestLine = 64 * 1024;
const blockBytes = 128 * 1024;
const newline = 0x0a;

/** The lines between two positions, of which `start` is the beginning of a line; oldest first. */
export async function* linesFrom(read: ReadAt, start: number, end: number): AsyncGenerator<FileLine> {
  const block = Buffer.allocUnsafe(Math.min(blockBytes, Math.max(0, end - start)));
  for (let position = start; position < end; ) {
    const length = await read(block.subarray(0, end - position), position);
    if (length === 0) return;
    const bytes = block.subarray(0, length);
    let from = 0;
    for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, from)) {
      yield { end: position + at + 1, text: textOf(bytes.subarray(from, at)) };
      from = at + 1;
    }
    if (from > 0) position += from;
    else {
      const head = Buffer.from(bytes.subarray(0, longestLine + 1));
      const after = await nextLine(read, position + length, { end, block });
      if (after === undefined) return;
      yield { end: after, text: textOf(head, after - 1 - position) };
      position = after;
    }
  }
}

/** The lines before a position, newest first; `start` is the beginning of the first. */
export async function* linesFromEnd(read: ReadAt, end: number, start = 0): AsyncGenerator<FileLine> {
  const block = Buffer.allocUnsafe(Math.min(blockBytes, Math.max(0, end - start)));
  let lineEnd: number | undefined;
  for (let top = end; top > start; ) {
    const position = Math.max(start, top - block.length);
    const bytes = block.subarray(0, await read(block.subarray(0, top - position), position));
    let stop = bytes.length;
    for (let at = bytes.lastIndexOf(newline); at !== -1; at = lastBefore(bytes, at)) {
      if (lineEnd !== undefined) {
        const isWhole = lineEnd <= position + bytes.length;
        const text = isWhole
          ? textOf(bytes.subarray(at + 1, stop - 1))
          : await textAt(read, position + at + 1, lineEnd - 1);
        yield { end: lineEnd, text };
      }
      lineEnd = position + at + 1;
      stop = at + 1;
    }
    top = position;
  }
  if (lineEnd !== undefined) yield { end: lineEnd, text: await textAt(read, start, lineEnd - 1) };
}

/** Position after the next line break; undefined when none comes. */
async function nextLine(
  read: ReadAt,
  start: number,
  { end, block }: { end: number; block: Buffer },
): Promise<number | undefined> {
  for (let position = start; position < end; ) {
    const length = await read(block.subarray(0, end - position), position);
    if (length === 0) return undefined;
    const at = block.subarray(0, length).indexOf(newline);
    if (at !== -1) return position + at + 1;
    position += length;
  }
  return undefined;
}

async function textAt(read: ReadAt, start: number, end: number): Promise<string> {
  const bytes = Buffer.allocUnsafe(Math.min(end - start, longestLine + 1));
  const length = bytes.length === 0 ? 0 : await read(bytes, start);
  return textOf(bytes.subarray(0, length), end - start);
}

function lastBefore(bytes: Buffer, at: number): number {
  return at === 0 ? -1 : bytes.lastIndexOf(newline, at - 1);
}

/** The text of a line of `length` bytes that begins with these. */
function textOf(bytes: Buffer, length = bytes.length): string {
  if (length <= longestLine) return bytes.toString('utf8');
  return cutText(bytes, length);
}

/** The beginning of a line that is longer than it may be; it says how much is left out. */
export function cutText(bytes: Buffer, length: number, most = longestLine): string {
  let end = most;
  // Not within a character: a byte that goes on with one begins with the bits 10.
  while (end > most - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.toString('utf8', 0, end)} … (${length - end} more bytes of this line are left out)`;
}
