import type { LogLine } from '../../../ports/engine/engine.ts';
import type { Frame } from './log-frames.ts';

/** Bytes of a line of output that are kept; the rest of a longer one is only counted. */
export const longestLine = 64 * 1024;

const newline = 0x0a;
const space = 0x20;

/**
 * Joins the frames of a service's log to lines. Each frame is `<time> <details> <text>` (query `timestamps`
 * and `details`); the engine cuts output longer than 16 KiB into several frames, of which only the last ends
 * with a line break. Invalid UTF-8 becomes U+FFFD.
 */
export function createLineAssembler(): { push(frame: Frame): LogLine[]; flush(): LogLine[] } {
  const unfinished = new Map<string, OpenLine>();

  function push(frame: Frame): LogLine[] {
    if (frame.kind === 'engine')
      return [{ at: '', stream: 'stderr', taskId: '', nodeId: '', text: frame.body.toString('utf8').trim() }];
    const { at, taskId, nodeId, text } = readPrefix(frame.body);
    const key = `${taskId} ${frame.kind}`;
    const open = unfinished.get(key) ?? {
      line: { at, stream: frame.kind, taskId, nodeId },
      parts: [],
      length: 0,
    };
    const ends = text.at(-1) === newline;
    const part = ends ? text.subarray(0, -1) : text;
    // A copy: a piece of a chunk would keep the whole chunk.
    if (open.length < longestLine) open.parts.push(Buffer.from(part.subarray(0, longestLine - open.length)));
    open.length += part.length;
    if (!ends) {
      unfinished.set(key, open);
      return [];
    }
    unfinished.delete(key);
    return [finished(open)];
  }

  return {
    push,
    flush() {
      const lines = [...unfinished.values()].map(finished);
      unfinished.clear();
      return lines;
    },
  };
}

interface OpenLine {
  line: Omit<LogLine, 'text'>;
  parts: Buffer[];
  /** Bytes, those that are not kept included. */
  length: number;
}

function finished({ line, parts, length }: OpenLine): LogLine {
  const text = Buffer.concat(parts).toString('utf8');
  if (length > longestLine)
    return { ...line, text: `${text} … (${length - longestLine} more bytes of this line are left out)` };
  return { ...line, text: text.endsWith('\r') ? text.slice(0, -1) : text };
}

function readPrefix(body: Buffer): { at: string; taskId: string; nodeId: string; text: Buffer } {
  const first = body.indexOf(space);
  const second = body.indexOf(space, first + 1);
  const details = body.subarray(first + 1, second).toString('latin1');
  return {
    at: body.subarray(0, first).toString('latin1'),
    taskId: /(?:^|,)com\.docker\.swarm\.task\.id=([^,]*)/.exec(details)?.[1] ?? '',
    nodeId: /(?:^|,)com\.docker\.swarm\.node\.id=([^,]*)/.exec(details)?.[1] ?? '',
    text: body.subarray(second + 1),
  };
}
