import type { LogLine } from '../../ports/engine.ts';
import type { Frame } from './log-frames.ts';

/** A line of output is cut into pieces of at most this many bytes. */
export const longestLine = 64 * 1024;

const newline = 0x0a;
const space = 0x20;

/**
 * Joins the frames of a service's log to lines. Each frame is `<time> <details> <text>` (query `timestamps` and `details`); the engine cuts output longer
 * than 16 KiB into several frames, of which only the last ends with a line break. Invalid UTF-8 becomes U+FFFD.
 */
export function createLineAssembler(): { push(frame: Frame): LogLine[]; flush(): LogLine[] } {
  const unfinished = new Map<string, { line: Omit<LogLine, 'text'>; parts: Buffer[]; length: number }>();

  function push(frame: Frame): LogLine[] {
    if (frame.kind === 'engine')
      return [{ at: '', stream: 'stderr', taskId: '', text: decode([frame.body]).trim() }];
    const { at, taskId, text } = readPrefix(frame.body);
    const key = `${taskId} ${frame.kind}`;
    const open = unfinished.get(key) ?? { line: { at, stream: frame.kind, taskId }, parts: [], length: 0 };
    const ends = text.at(-1) === newline;
    open.parts.push(ends ? text.subarray(0, -1) : text);
    open.length += text.length;
    if (!ends && open.length < longestLine) {
      unfinished.set(key, open);
      return [];
    }
    unfinished.delete(key);
    return [{ ...open.line, text: decode(open.parts) }];
  }

  return {
    push,
    flush() {
      const lines = [...unfinished.values()].map(({ line, parts }) => ({ ...line, text: decode(parts) }));
      unfinished.clear();
      return lines;
    },
  };
}

function readPrefix(body: Buffer): { at: string; taskId: string; text: Buffer } {
  const first = body.indexOf(space);
  const second = body.indexOf(space, first + 1);
  const details = body.subarray(first + 1, second).toString('latin1');
  const taskId = /(?:^|,)com\.docker\.swarm\.task\.id=([^,]*)/.exec(details)?.[1] ?? '';
  return { at: body.subarray(0, first).toString('latin1'), taskId, text: body.subarray(second + 1) };
}

function decode(parts: readonly Buffer[]): string {
  const text = Buffer.concat(parts).toString('utf8');
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}
