/**
 * Deployment logs as files: `<ISO time> <text>` lines; a line's position is the byte after its end, so
 * resuming is a seek, and the last lines are read from the end.
 */
import { EventEmitter } from 'node:events';
import { mkdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../ports/clock.ts';
import { isoTime } from '../../ports/clock.ts';
import type { DeploymentLogs, LoggedLine } from '../../ports/deployment-log.ts';
import { pathsOf, removeParts, type LogPaths } from './log-parts.ts';
import { linesAfter, linesBefore } from './log-reader.ts';
import { openWriter } from './log-writer.ts';

/** Another process may write the log (a second control plane); then only this tells. */
const pollMs = 1000;

export interface FileLogLimits {
  /** Bytes of one log on the disk. */
  logBytes: number;
  /** Bytes of a log in one answer. */
  answerBytes: number;
}

export const defaultLogLimits: FileLogLimits = {
  logBytes: 64 * 1024 ** 2,
  answerBytes: 8 * 1024 ** 2,
};

export function createFileLogs(
  directory: string,
  clock: Clock,
  limits: () => Promise<FileLogLimits> = async () => defaultLogLimits,
): DeploymentLogs {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const written = new EventEmitter().setMaxListeners(0);
  const paths = (deploymentId: string): LogPaths => pathsOf(directory, deploymentId);

  return {
    writer: (deploymentId, redact) =>
      openWriter({
        paths: paths(deploymentId),
        prefix: () => `${isoTime(clock)} `,
        redact,
        limit: async () => (await limits()).logBytes,
        onWritten: () => void written.emit(deploymentId),
      }),
    readEnd: async (deploymentId, { tail = Number.POSITIVE_INFINITY } = {}) =>
      lastLines(linesBefore(paths(deploymentId)), tail, (await limits()).answerBytes),
    async *follow(deploymentId, { from, signal, isFinished }) {
      let position = Math.max(0, Math.floor(from));
      while (!signal.aborted) {
        const finished = await isFinished();
        const before = position;
        for await (const line of linesAfter(paths(deploymentId), position)) {
          if (signal.aborted) return;
          yield line;
          ({ position } = line);
        }
        if (position > before) continue;
        if (finished) return;
        await nextWrite(written, deploymentId, signal);
      }
    },
    lines: (deploymentId, place) =>
      'from' in place
        ? linesAfter(paths(deploymentId), Math.max(0, place.from))
        : linesBefore(paths(deploymentId), place.before),
    remove: (deploymentId) => removeParts(paths(deploymentId)),
  };
}

async function lastLines(
  newestFirst: AsyncIterable<LoggedLine>,
  tail: number,
  limit: number,
): Promise<LoggedLine[]> {
  const lines: LoggedLine[] = [];
  let bytes = 0;
  for await (const line of newestFirst) {
    bytes += Buffer.byteLength(line.text);
    if (bytes > limit) {
      lines.push({
        position: line.position,
        text:
          `[Earlier lines are left out: one answer shows at most ${limit.toLocaleString('en')} bytes of a ` +
          'log (setting logAnswerLimit). deployment.logs gives all of them.]',
      });
      break;
    }
    lines.push(line);
    if (lines.length === tail) break;
  }
  return lines.toReversed();
}

/** Resolves at the next line of this process, or after the poll interval, or when the reader leaves. */
async function nextWrite(written: EventEmitter, deploymentId: string, signal: AbortSignal): Promise<void> {
  const stop = new AbortController();
  const onWrite = (): void => stop.abort();
  written.once(deploymentId, onWrite);
  try {
    await wait(pollMs, undefined, { signal: AbortSignal.any([signal, stop.signal]) });
  } catch {
    // Woken early by a line or by the reader leaving; the caller looks which.
  } finally {
    written.off(deploymentId, onWrite);
  }
}
