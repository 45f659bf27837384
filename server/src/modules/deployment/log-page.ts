/** A part of a log: so many lines from a place on, one way or the other. */
import type { DeploymentLogs, LoggedLine, LogPlace } from '../../ports/deployment-log.ts';

export interface LogPage {
  /** In the order of the log. */
  lines: LoggedLine[];
  /** Where to go on the same way; null at the end. */
  next: number | null;
}

export interface LogPageLimits {
  lines: number;
  /** Bytes of the log that are looked through. */
  bytes: number;
}

/** What one answer looks through, whatever it finds. */
export const lookedThrough = 8 * 1024 ** 2;

export async function readPage(
  logs: Pick<DeploymentLogs, 'lines'>,
  deploymentId: string,
  place: LogPlace,
  search: string | undefined,
  limits: LogPageLimits,
): Promise<LogPage> {
  const wanted = search?.toLowerCase();
  const lines: LoggedLine[] = [];
  let bytes = 0;
  let last: number | null = null;
  let next: number | null = null;
  for await (const line of logs.lines(deploymentId, place)) {
    if (lines.length === limits.lines || bytes >= limits.bytes) {
      next = last;
      break;
    }
    if (wanted === undefined || line.text.toLowerCase().includes(wanted)) lines.push(line);
    bytes += Buffer.byteLength(line.text) + 1;
    last = line.position;
  }
  return { lines: 'from' in place ? lines : lines.toReversed(), next };
}
