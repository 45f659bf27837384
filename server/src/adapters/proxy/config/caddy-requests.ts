/** Follows Caddy's log of requests, over its rotations and over ends of this process. */
import { open, readFile, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { routeMatcher } from '../../../domain/routing/route-match.ts';
import type { SeenRequest } from '../../../ports/access-log.ts';
import type { Route } from '../../../ports/proxy.ts';

/** File name of the log in the bound folder. */
export const requestLogName = 'requests.log';

const positionName = 'requests.position';
const pollMs = 500;
const chunkBytes = 256 * 1024;

export interface RequestWatch {
  /** By which requests are given to domains from now on. */
  use(routes: readonly Route[]): void;
  /** Reads what there is; done by itself twice a second. */
  read(): Promise<void>;
  /** When the last request was read (ms, by performance.now); undefined before the first. */
  lastAt(): number | undefined;
}

type Matcher = (host: string, address: string) => Route | undefined;

/** Gives requests in batches, each once; those of no domain are left out. */
export function watchRequests(
  folder: string,
  onRequests: (requests: readonly SeenRequest[]) => Promise<void>,
): RequestWatch {
  const path = join(folder, requestLogName);
  let match: Matcher | undefined;
  let file: { handle: FileHandle; inode: number; position: number } | undefined;
  let reading: Promise<void> | undefined;
  let lastAt: number | undefined;

  async function openLog(): Promise<typeof file> {
    const handle = await open(path, 'r').catch(absent);
    if (!handle) return undefined;
    const inode = (await handle.stat()).ino;
    const former = await readPosition(join(folder, positionName));
    return { handle, inode, position: former?.inode === inode ? former.position : 0 };
  }

  /** Whole lines only; gives whether there was anything. */
  async function readOn(at: NonNullable<typeof file>, matcher: Matcher): Promise<boolean> {
    const { bytesRead, buffer } = await at.handle.read(Buffer.alloc(chunkBytes), 0, chunkBytes, at.position);
    const end = buffer.subarray(0, bytesRead).lastIndexOf(10) + 1;
    // A line longer than the chunk is nothing that Caddy writes.
    if (end === 0 && bytesRead < chunkBytes) return false;
    at.position += end === 0 ? bytesRead : end;
    lastAt = performance.now();
    const requests = buffer
      .toString('utf8', 0, end)
      .split('\n')
      .flatMap((text) => seen(text, matcher) ?? []);
    if (requests.length > 0) await onRequests(requests);
    await writeFile(join(folder, positionName), JSON.stringify({ inode: at.inode, position: at.position }), {
      mode: 0o600,
    });
    return true;
  }

  async function readAll(): Promise<void> {
    if (!match) return;
    file ??= await openLog();
    if (!file) return;
    while (await readOn(file, match));
    const present = await stat(path).catch(absent);
    if (present?.ino === file.inode) return;
    // Renamed when it had grown: what was written to it since is read once more, then the new one.
    while (await readOn(file, match));
    await file.handle.close();
    file = undefined;
  }

  const read = (): Promise<void> => {
    reading ??= readAll().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  // A log that cannot be read now is read the next time.
  setInterval(() => void read().catch(() => undefined), pollMs).unref();
  return {
    use(routes) {
      match = routeMatcher(routes);
    },
    read,
    lastAt: () => lastAt,
  };
}

const entry = z.object({
  ts: z.number(),
  request: z.object({ method: z.string(), host: z.string(), uri: z.string() }),
  status: z.number(),
  duration: z.number(),
  size: z.number(),
});

function seen(text: string, match: Matcher): SeenRequest | undefined {
  const parsed = entry.safeParse(fromJson(text));
  if (!parsed.success) return undefined;
  const {
    ts,
    request: { method, host, uri },
    status,
    duration,
    size,
  } = parsed.data;
  const route = match(host, uri);
  if (!route) return undefined;
  // Caddy says 0 when the client went before there was an answer; 499 is what that is called elsewhere.
  return {
    at: Math.round(ts * 1000),
    domainId: route.id,
    serviceId: route.serviceId,
    method: method.slice(0, 20),
    host: host.slice(0, 300),
    path: uri.replace(/[?#].*$/s, '').slice(0, 1000),
    status: status === 0 ? 499 : status,
    durationMs: Math.round(duration * 1_000_000) / 1000,
    bytes: size,
  };
}

const savedPosition = z.object({ inode: z.number(), position: z.number() });

async function readPosition(path: string): Promise<z.output<typeof savedPosition> | undefined> {
  const text = await readFile(path, 'utf8').catch(absent);
  return text === undefined ? undefined : savedPosition.safeParse(fromJson(text)).data;
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
