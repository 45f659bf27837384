/** Deployment logs as one file each: `<ISO time> <text>` lines; a line's position is the byte after its end, so resuming is a seek. */
import { EventEmitter } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../ports/clock.ts';
import { isoTime } from '../../ports/clock.ts';
import type { DeploymentLogs, LoggedLine } from '../../ports/deployment-log.ts';

const chunkBytes = 256 * 1024;
/** Another process may write the log (a second control plane); then only this tells. */
const pollMs = 1000;
const lineLimit = 64 * 1024;

export function createFileLogs(directory: string, clock: Clock): DeploymentLogs {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const written = new EventEmitter().setMaxListeners(0);
  const pathOf = (deploymentId: string): string => join(directory, `${deploymentId.replace(/[^A-Za-z0-9_-]/g, '_')}.log`);

  async function readFrom(deploymentId: string, from: number): Promise<LoggedLine[]> {
    const file = await open(pathOf(deploymentId), 'r').catch(absent);
    if (!file) return [];
    try {
      const { size } = await file.stat();
      const lines: LoggedLine[] = [];
      let position = from;
      let rest = Buffer.alloc(0);
      for (let at = from; at < size; ) {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(chunkBytes, size - at)), 0, undefined, at);
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

  return {
    writer(deploymentId, redact) {
      const stream = createWriteStream(pathOf(deploymentId), { flags: 'a', mode: 0o600 });
      // A full disk must not end the deployment itself; the deployment's own record tells its outcome.
      stream.on('error', () => undefined);
      return {
        line(text) {
          for (const part of text.split(/\r?\n/)) stream.write(`${isoTime(clock)} ${redact(part.slice(0, lineLimit))}\n`, () => written.emit(deploymentId));
        },
        close: () => new Promise((resolve) => {
          stream.end(() => {
            written.emit(deploymentId);
            resolve();
          });
          stream.once('error', () => resolve());
        }),
      };
    },
    async read(deploymentId, { from = 0, tail } = {}) {
      const lines = await readFrom(deploymentId, from);
      return tail === undefined ? lines : lines.slice(-tail);
    },
    async *follow(deploymentId, { from, signal, isFinished }) {
      let position = from;
      while (!signal.aborted) {
        const finished = await isFinished();
        const lines = await readFrom(deploymentId, position);
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
