/**
 * The way out of programs that resolve and connect by themselves (git, rclone): an HTTP proxy on loopback
 * that judges each connection as it is made, redirects and submodules included. Each run has a sign-in of
 * its own, so that no other program of this machine can use it.
 */
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import { AppError } from '../../domain/errors.ts';
import { Secret } from '../../domain/secrets/secret.ts';
import type { Gate, JudgedHost } from '../../ports/outgoing.ts';
import { newToken } from '../../ports/token.ts';
import { connectTo, portOf } from './connect.ts';

export interface Passage {
  judge(host: string, port: number): Promise<JudgedHost>;
  /** http:// only where the settings name the network. */
  namedPlain: boolean;
}

interface Opened extends Passage {
  fault: AppError | undefined;
  sockets: Set<Duplex>;
}

export interface Gatehouse {
  open(passage: Passage): Promise<Gate>;
}

/** One listener for all gates, made with the first of them; it keeps no process alive. */
export function createGatehouse(): Gatehouse {
  const gates = new Map<string, Opened>();
  const gateOf = (request: IncomingMessage): Opened | undefined => gates.get(tokenOf(request));
  let listening: Promise<number> | undefined;
  const listen = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const server = createServer((request, response) => void forward(gateOf(request), request, response));
      server.on('connect', (request, socket, head) => void tunnel(gateOf(request), request, socket, head));
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
      server.unref();
    });
  return {
    async open(passage) {
      listening ??= listen();
      const port = await listening;
      const token = newToken();
      const opened: Opened = { ...passage, fault: undefined, sockets: new Set() };
      gates.set(token, opened);
      return {
        proxy: new Secret(`http://berth:${token}@127.0.0.1:${port}`),
        fault: () => opened.fault,
        async [Symbol.asyncDispose]() {
          gates.delete(token);
          for (const socket of opened.sockets) socket.destroy();
        },
      };
    },
  };
}

/** RFC 9110, 9.3.6: from the answer on, bytes go both ways untouched. */
async function tunnel(
  gate: Opened | undefined,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  socket.on('error', () => socket.destroy());
  const { host, port } = targetOf(request.url ?? '');
  try {
    if (!gate) return void socket.end(answer(407, 'Proxy Authentication Required'));
    const there = await passed(gate, async () => connectTo(await gate.judge(host, port), port));
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) there.write(head);
    join(gate, socket, there);
  } catch {
    // Why, the gate says to whoever started the program.
    socket.end(answer(403, 'Forbidden'));
  }
}

/** A request by http:// without encryption, whose address is in its first line (RFC 9112, 3.2.2). */
async function forward(
  gate: Opened | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    if (!gate) return void response.writeHead(407).end();
    const url = new URL(request.url ?? '');
    const there = await passed(gate, async () => {
      const judged = await gate.judge(url.hostname, portOf(url));
      if (gate.namedPlain && !judged.isNamed) throw unencrypted(judged.host);
      return connectTo(judged, portOf(url));
    });
    gate.sockets.add(there);
    relay(request, response, url, there);
  } catch {
    if (!response.headersSent) response.writeHead(403);
    response.end();
  }
}

/** Headers that are between two neighbours only (RFC 9110, 7.6.1), and the gate's own. */
const ofThisHop = ['proxy-authorization', 'proxy-connection', 'connection', 'keep-alive', 'te', 'upgrade'];

function relay(request: IncomingMessage, response: ServerResponse, url: URL, there: Socket): void {
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !ofThisHop.includes(name)),
  );
  const onward = httpRequest({
    createConnection: () => there,
    method: request.method,
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, host: url.host, connection: 'close' },
  });
  let isAnswered = false;
  onward.on('response', (answered) => {
    isAnswered = true;
    response.writeHead(answered.statusCode ?? 502, answered.headers);
    pipeline(answered, response, () => undefined);
  });
  // A server that refuses a large body answers, then breaks the connection off: the answer still counts.
  onward.on('error', () => {
    if (!isAnswered) response.destroy();
  });
  request.on('error', () => onward.destroy());
  request.on('close', () => {
    if (!request.complete) onward.destroy();
  });
  request.pipe(onward);
}

async function passed<T>(gate: Opened, connect: () => Promise<T>): Promise<T> {
  try {
    const made = await connect();
    gate.fault = undefined;
    return made;
  } catch (error) {
    gate.fault = error instanceof AppError ? error : undefined;
    throw error;
  }
}

function join(gate: Opened, one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    gate.sockets.add(from);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      gate.sockets.delete(from);
      to.destroy();
    });
    from.pipe(to);
  }
}

function unencrypted(host: string): AppError {
  return new AppError(
    'PRECONDITION_FAILED',
    `${host} would be reached over http://, where anybody on the way can change what is deployed. Use ` +
      'https://; http:// is accepted only for networks in the setting allowedPrivateNetworks.',
  );
}

function tokenOf({ headers }: IncomingMessage): string {
  const [, encoded = ''] = /^Basic ([A-Za-z0-9+/=]+)$/.exec(headers['proxy-authorization'] ?? '') ?? [];
  return Buffer.from(encoded, 'base64')
    .toString()
    .replace(/^berth:/, '');
}

function targetOf(authority: string): { host: string; port: number } {
  const cut = authority.lastIndexOf(':');
  return { host: authority.slice(0, cut), port: Number(authority.slice(cut + 1)) };
}

const answer = (status: number, reason: string): string =>
  `HTTP/1.1 ${status} ${reason}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
