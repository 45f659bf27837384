/** Reads a log of several files as one, forwards from a position or backwards from its end. */
import type { LoggedLine } from '../../ports/deployment-log.ts';
import { linesFrom, linesFromEnd, type FileLine, type ReadAt } from '../files/lines.ts';
import { openPart, partsOf, type LogPart, type LogPaths } from './log-parts.ts';

/** The lines after a position, oldest first. */
export async function* linesAfter(paths: LogPaths, from: number): AsyncGenerator<LoggedLine> {
  let position = from;
  let reached = 0;
  for (const part of await partsOf(paths)) {
    if (position < part.start) {
      if (reached < part.start) yield leftOut(part.start, part.start - Math.max(reached, position));
      position = part.start;
    }
    for await (const line of linesOf(part, (read, size) => linesFrom(read, position - part.start, size))) {
      if ('size' in line) reached = part.start + line.size;
      else {
        position = part.start + line.end;
        yield { position, text: line.text };
      }
    }
  }
}

/** The lines before a position, or before the end, newest first; without the line that ends there. */
export async function* linesBefore(
  paths: LogPaths,
  before = Number.POSITIVE_INFINITY,
): AsyncGenerator<LoggedLine> {
  let above: number | undefined;
  for (const part of (await partsOf(paths)).toReversed()) {
    // Without its line break the line at `before` is none, so that it is not given again.
    const top = (size: number): number => Math.max(0, Math.min(size, before - part.start - 1));
    for await (const line of linesOf(part, (read, size) => linesFromEnd(read, top(size)))) {
      if (!('size' in line)) yield { position: part.start + line.end, text: line.text };
      else if (above !== undefined && above < before && part.start + line.size < above)
        yield leftOut(above, above - part.start - line.size);
    }
    above = part.start;
  }
}

/** First the size of the file, then its lines. */
async function* linesOf(
  part: LogPart,
  lines: (read: ReadAt, size: number) => AsyncIterable<FileLine>,
): AsyncGenerator<{ size: number } | FileLine> {
  const file = await openPart(part);
  if (!file) return;
  try {
    const { size } = await file.stat();
    yield { size };
    yield* lines(async (buffer, at) => (await file.read(buffer, 0, buffer.length, at)).bytesRead, size);
  } finally {
    await file.close();
  }
}

function leftOut(position: number, bytes: number): LoggedLine {
  return {
    position,
    text:
      `[${bytes.toLocaleString('en')} bytes are left out here: this log has reached its limit (setting ` +
      'logLimit), so only its beginning and its end are kept.]',
  };
}
