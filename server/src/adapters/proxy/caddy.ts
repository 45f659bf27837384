import { readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import type { Proxy, Route } from '../../ports/proxy.ts';
import { callAdmin } from './caddy-admin.ts';
import { caddyDocument, idOf } from './caddy-config.ts';
import type { CaddySettings } from './caddy-config.ts';
import { proxyFilePrefix, type ProxyFile } from './caddy-tls.ts';
import { adminSocketInContainer } from './proxy-service.ts';

export interface CaddyProxyOptions {
  /** Path of the admin socket as this process sees it. */
  adminSocket: string;
  /** Ports of the proxy as browsers see it, for redirects; 80 and 443 when absent. */
  publicHttpPort?: number;
  publicHttpsPort?: number;
}

const readLimitMs = 5_000;

/** Caddy provisions the whole configuration anew: measured 0.6 s for 1,000 routes, 1.8 s for 5,000, on a loaded machine. */
const loadLimitMs = 60_000;

/** The proxy port over Caddy's admin API. Calls of `apply` are done one after another, so the last one decides. */
export function createCaddyProxy({ adminSocket, publicHttpPort = 80, publicHttpsPort = 443 }: CaddyProxyOptions): Proxy {
  const settings: CaddySettings = { adminSocket: adminSocketInContainer, publicHttpPort, publicHttpsPort };
  let last: Promise<unknown> = Promise.resolve();

  async function applyNow(routes: readonly Route[]): Promise<{ changed: boolean }> {
    const { digest, document, files } = caddyDocument(routes, settings);
    if ((await readId(adminSocket)) === idOf(digest)) return { changed: false };
    await writeFiles(dirname(adminSocket), files);
    const answer = await callAdmin(adminSocket, { method: 'POST', path: '/load', body: JSON.stringify(document), limitMs: loadLimitMs });
    if (answer.status >= 300) throw new AppError('BAD_REQUEST', `The proxy refused the new routes and keeps the former ones: ${errorWords(answer.body)}`);
    await removeOthers(dirname(adminSocket), files);
    return { changed: true };
  }

  return {
    apply(routes) {
      const turn = last.then(() => applyNow(routes));
      last = turn.catch(() => undefined);
      return turn;
    },
    async current() {
      try {
        return (await readId(adminSocket)) ?? '';
      } catch (error) {
        if (error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE') return undefined;
        throw error;
      }
    },
    expected: (routes) => idOf(caddyDocument(routes, settings).digest),
  };
}

/** Named by their content, so that one that is there is right. */
async function writeFiles(folder: string, files: readonly ProxyFile[]): Promise<void> {
  for (const { name, content } of files) await writeFile(join(folder, name), content, { mode: 0o644 });
}

/** Those of former documents. */
async function removeOthers(folder: string, files: readonly ProxyFile[]): Promise<void> {
  const kept = new Set(files.map(({ name }) => name));
  for (const name of await readdir(folder)) if (name.startsWith(proxyFilePrefix) && !kept.has(name)) await rm(join(folder, name), { force: true });
}

/** The digest in the configuration that runs; undefined when it is not one of ours, such as a fresh proxy's. */
async function readId(adminSocket: string): Promise<string | undefined> {
  const answer = await callAdmin(adminSocket, { method: 'GET', path: '/config/apps/http/@id', limitMs: readLimitMs });
  if (answer.status >= 300) return undefined;
  const value: unknown = JSON.parse(answer.body);
  return typeof value === 'string' ? value : undefined;
}

/** Caddy answers a refusal as `{"error": …}`. */
function errorWords(body: string): string {
  try {
    const answer: unknown = JSON.parse(body);
    if (typeof answer === 'object' && answer !== null && 'error' in answer && typeof answer.error === 'string') return answer.error;
  } catch {
    // Not JSON: the text itself has to do.
  }
  return body.trim() || 'no reason given';
}
