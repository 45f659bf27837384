import type { LogLine } from '../../../ports/engine/engine.ts';

export interface LogWindow {
  /** Begins a reading of the log; gives what takes its lines. */
  begin(): (line: LogLine) => void;
  /** Where a further reading must begin. */
  since(): { since?: string };
}

const overlapMs = 1_000;
const mostRemarks = 100;

/**
 * Lets each line through once, however often the log is read: a second reading begins a second before the end
 * of the first. The lines of one stream of the one task are in the order of their times, so that what was let
 * through is known by the last of these times, and by how many lines had it.
 */
export function createLogWindow(onLine: (line: LogLine) => void): LogWindow {
  const passed = new Map<LogLine['stream'], { at: string; count: number }>();
  /** What the engine said of the log itself, which has no time. */
  const remarks = new Set<string>();
  let lastAt = '';

  return {
    begin(): (line: LogLine) => void {
      const before = new Map(passed);
      const atTheEdge = { stdout: 0, stderr: 0 };
      return (line) => {
        const { at, stream, text } = line;
        if (at === '') {
          if (!remarks.has(text)) onLine(line);
          if (remarks.size < mostRemarks) remarks.add(text);
          return;
        }
        const edge = before.get(stream);
        if (edge && at < edge.at) return;
        if (edge?.at === at && (atTheEdge[stream] += 1) <= edge.count) return;
        const last = passed.get(stream);
        if (last?.at === at) passed.set(stream, { at, count: last.count + 1 });
        else if (last === undefined || at > last.at) passed.set(stream, { at, count: 1 });
        if (at > lastAt) lastAt = at;
        onLine(line);
      };
    },
    since: (): { since?: string } =>
      lastAt === '' ? {} : { since: new Date(Date.parse(lastAt) - overlapMs).toISOString() },
  };
}
