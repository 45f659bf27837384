/**
 * Questions of Caddy whether it may get a certificate for a host that no route has (on-demand TLS). It asks
 * by HTTP at an address, so it has a server of its own for that on its loopback, which leads to a unix socket
 * that only its container and Berth see.
 */
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';

/** File name of the socket in the bound folder. */
export const askSocketName = 'ask.sock';

/** In the proxy's container, which nothing else listens in. */
const askAddress = '127.0.0.1:2020';

/** Handshakes that wait for an answer; those beyond are refused by the proxy. */
const mostWaiting = 256;
const requestMs = 5_000;
/** The longest host name there is, encoded, and the path before it. */
const longestUrl = 1_024;

/** Listens on the socket in the place of an earlier listener; what is no question is a no. */
export async function listenForQuestions(
  socketPath: string,
  allows: (host: string) => Promise<boolean>,
): Promise<Server> {
  await rm(socketPath, { force: true });
  const options = { headersTimeout: requestMs, requestTimeout: requestMs, maxHeaderSize: 8 * 1024 };
  const server = createServer(options, ({ url = '' }, response) => {
    response.shouldKeepAlive = false;
    const end = (allowed: boolean): void => void response.writeHead(allowed ? 200 : 403).end();
    const host = url.length > longestUrl ? null : new URLSearchParams(url.split('?')[1]).get('domain');
    if (!host) return end(false);
    allows(host).then(end, () => end(false));
  });
  server.maxConnections = mostWaiting;
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(socketPath, resolve);
  });
  return server;
}

/** Caddy's setting for it (https://caddyserver.com/docs/json/apps/tls/automation/on_demand/). */
export const askingPermission = {
  permission: { module: 'http', endpoint: `http://${askAddress}/allowed` },
};

/** The proxy's own server; `folder` as the proxy sees it. */
export function askServer(folder: string): object {
  return {
    listen: [askAddress],
    protocols: ['h1'],
    automatic_https: { disable: true },
    routes: [
      { handle: [{ handler: 'reverse_proxy', upstreams: [{ dial: `unix/${folder}/${askSocketName}` }] }] },
    ],
  };
}

/**
 * The first request of a host that was allowed just now comes over a connection of the configuration that did
 * not know it: it is sent again over another one. `known` are hosts with routes of their own.
 */
export function onceMoreRoute(known: readonly string[]): object {
  return {
    ...(known.length === 0 ? {} : { match: [{ not: [{ host: known.toSorted() }] }] }),
    handle: [
      {
        handler: 'static_response',
        status_code: 307,
        headers: { Location: ['https://{http.request.hostport}{http.request.uri}'] },
        close: true,
      },
    ],
  };
}
