/** Access logs as files, one JSON line a request: `<service>.log`, and before it `<service>.log.1`. */
import { mkdirSync } from 'node:fs';
import { appendFile, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { AccessLog, SeenRequest } from '../../ports/access-log.ts';
import { linesFromEnd, type ReadAt } from '../files/lines.ts';

export interface AccessLogOptions {
  folder: string;
  /** Of a file before it becomes the former one; a service has two at most. */
  maxBytes?: number;
}

const line = z.object({
  at: z.number(),
  domainId: z.string(),
  serviceId: z.string(),
  method: z.string(),
  host: z.string(),
  path: z.string(),
  status: z.number(),
  durationMs: z.number(),
  bytes: z.number(),
});

export function createAccessLog({ folder, maxBytes = 8 * 1024 * 1024 }: AccessLogOptions): AccessLog {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const pathOf = (serviceId: string): string =>
    join(folder, `${serviceId.replace(/[^A-Za-z0-9_-]/g, '_')}.log`);

  return {
    async append(requests) {
      for (const [serviceId, own] of Map.groupBy(requests, (request) => request.serviceId)) {
        const path = pathOf(serviceId);
        await appendFile(path, own.map((request) => `${JSON.stringify(request)}\n`).join(''), {
          mode: 0o600,
        });
        if ((await stat(path)).size > maxBytes) await rename(path, `${path}.1`);
      }
    },
    async tail(serviceId, domainId, count) {
      const found: SeenRequest[] = [];
      for (const path of [pathOf(serviceId), `${pathOf(serviceId)}.1`]) {
        for await (const text of textsFromEnd(path)) {
          if (found.length >= count) break;
          const request = text.includes(domainId) ? read(text) : undefined;
          if (request?.domainId === domainId) found.push(request);
        }
      }
      return found.toReversed();
    },
    async prune(before) {
      for (const name of await readdir(folder))
        if ((await stat(join(folder, name))).mtimeMs < before) await rm(join(folder, name), { force: true });
    },
  };
}

async function* textsFromEnd(path: string): AsyncGenerator<string> {
  const file = await open(path).catch(absent);
  if (!file) return;
  try {
    const { size } = await file.stat();
    const bytes: ReadAt = async (buffer, at) => (await file.read(buffer, 0, buffer.length, at)).bytesRead;
    for await (const { text } of linesFromEnd(bytes, size)) yield text;
  } finally {
    await file.close();
  }
}

/** A line that a full disk cut off is left out. */
function read(text: string): SeenRequest | undefined {
  try {
    return line.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
