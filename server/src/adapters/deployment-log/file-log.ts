/** Deployment logs as one file each: `<ISO time> <text>` lines; a line's position is the byte after its end, so resuming is a seek. */
import { EventEmitter } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../ports/clock.ts';
import { isoTime } from '../../ports/clock.ts';
import type { DeploymentLogs, LoggedLine, LogWriter } from '../../ports/deployment-log.ts';

const chunkBytes = 256 * 1024;
/** Another process may write the log (a second control plane); then only this tells. */
const pollMs = 1000;
const lineLimit = 64 * 1024;

export function createFileLogs(directory: string, clock: Clock): DeploymentLogs {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const written = new EventEmitter().setMaxListeners(0);
  const pathOf = (deploymentId: string): string =>
    join(directory, `${deploymentId.replace(/[^A-Za-z0-9_-]/g, '_')}.log`);

  return {
    writer: (deploymentId, redact) =>
      openWriter(
        pathOf(deploymentId),
        (text) => `${isoTime(clock)} ${redact(text)}\n`,
        () => void written.emit(deploymentId),
      ),
    async read(deploymentId, { from = 0, tail } = {}) {
      const lines = await readLines(pathOf(deploymentId), from);
      return tail === undefined ? lines : lines.slice(-tail);
    },
    async *follow(deploymentId, { from, signal, isFinished }) {
      let position = from;
      while (!signal.aborted) {
        const finished = await isFinished();
        const lines = await readLines(pathOf(deploymentId), position);
        for (const line of lines) {
          yield line;
          ({ position } = line);
        }
        if (finished && lines.length === 0) return;
        if (lines.length === 0) await nextWrite(written, deploymentId, signal);
      }
    },
    remove: (deploymentId) => rm(pathOf(deploymentId), { force: true }),
  };
}

function openWriter(path: string, format: (text: string) => string, onWritten: () => void): LogWriter {
  const stream = createWriteStream(path, { flags: 'a', mode: 0o600 });
  // A full disk must not end the deployment itself; the deployment's own record tells its outcome.
  stream.on('error', () => undefined);
  return {
    line(text) {
      for (const part of text.split(/\r?\n/)) stream.write(format(part.slice(0, lineLimit)), onWritten);
    },
    close: () =>
      new Promise((resolve) => {
        stream.once('error', () => resolve());
        stream.end(() => {
          onWritten();
          resolve();
        });
      }),
  };
}

/** Whole lines from a position on; a last line without its end is left for the next time. */
async function readLines(path: string, from: number): Promise<LoggedLine[]> {
  const file = await open(path, 'r').catch(absent);
  if (!file) return [];
  try {
    const { size } = await file.stat();
    const lines: LoggedLine[] = [];
    let position = from;
    let rest = Buffer.alloc(0);
    for (let at = from; at < size; ) {
      const { bytesRead, buffer } = await file.read(
        Buffer.alloc(Math.min(chunkBytes, size - at)),
        0,
        undefined,
        at,
      );
      if (bytesRead === 0) break;
      at += bytesRead;
      rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
        position += end + 1;
        lines.push({ position, text: rest.toString('utf8', 0, end) });
        rest = rest.subarray(end + 1);
      }
    }
    return lines;
  } finally {
    await file.close();
  }
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

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
