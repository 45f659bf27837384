/** Clients of what the proxy passes besides plain requests: long bodies, HTTP/2, QUIC, WebSockets. */
import { createSocket } from 'node:dgram';
import { connect as connectHttp2, constants, type IncomingHttpHeaders } from 'node:http2';
import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { inject } from 'vitest';
import { httpPort, httpsPort } from './proxy-fixture.ts';

export function posted(
  host: string,
  bytes: number,
  isChunked: boolean,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      Host: host,
      ...(isChunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': bytes }),
    };
    const sent = request(
      {
        host: inject('servers').m1.ip,
        port: httpPort,
        method: 'POST',
        headers,
        agent: false,
        signal: AbortSignal.timeout(30_000),
      },
      (response) => {
        let body = '';
        response
          .setEncoding('utf8')
          .on('data', (chunk: string) => (body += chunk))
          .on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      },
    );
    sent.on('error', reject).end(Buffer.alloc(bytes, 'x'));
  });
}

export interface Http2Answer {
  headers: IncomingHttpHeaders;
  trailers: IncomingHttpHeaders;
  body: Buffer;
  /** Told that the connection is not to be used again. */
  goneAway: boolean;
}

export function overHttp2(
  host: string,
  headers: Record<string, string>,
  body?: Buffer,
): Promise<Http2Answer> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(`https://${inject('servers').m1.ip}:${httpsPort}`, {
      servername: host,
      rejectUnauthorized: false,
    });
    session.on('error', reject).setTimeout(10_000, () => session.destroy(new Error('no answer within 10 s')));
    const stream = session.request({ [constants.HTTP2_HEADER_AUTHORITY]: host, ...headers });
    const answer: Http2Answer = { headers: {}, trailers: {}, body: Buffer.alloc(0), goneAway: false };
    session.on('goaway', () => (answer.goneAway = true));
    stream
      .on('response', (got) => (answer.headers = got))
      .on('trailers', (got) => (answer.trailers = got))
      .on('error', reject);
    stream
      .on('data', (chunk: Buffer) => (answer.body = Buffer.concat([answer.body, chunk])))
      .on('end', () => {
        // What comes with the answer's end, or right behind it.
        setTimeout(() => {
          session.destroy();
          resolve(answer);
        }, 50);
      });
    stream.end(body);
  });
}

/**
 * Opens streams and takes each back at once, on so many connections, until `signal` ends it: "rapid reset"
 * (CVE-2023-44487). Gives how many streams were opened, and how many connections the proxy ended.
 */
export async function resetRapidly(
  host: string,
  connections: number,
  signal: AbortSignal,
): Promise<{ opened: number; ended: number }> {
  const told = { opened: 0, ended: 0 };
  const attack = async (): Promise<void> => {
    while (!signal.aborted) {
      const session = connectHttp2(`https://${inject('servers').m1.ip}:${httpsPort}`, {
        servername: host,
        rejectUnauthorized: false,
      });
      const gone = new Promise<void>((resolve) => {
        session.on('error', () => undefined).on('close', resolve);
      });
      session.on('goaway', () => (told.ended += 1));
      while (!session.closed && !session.destroyed && !signal.aborted) {
        for (let count = 0; count < 100 && !session.closed && !session.destroyed; count += 1) {
          const stream = session.request({ [constants.HTTP2_HEADER_AUTHORITY]: host, ':path': '/' });
          stream.on('error', () => undefined).close(constants.NGHTTP2_CANCEL);
          told.opened += 1;
        }
        await new Promise(setImmediate);
      }
      session.destroy();
      await Promise.race([gone, wait(1000)]);
    }
  };
  await Promise.all(Array.from({ length: connections }, attack));
  return told;
}

/**
 * The versions that the port answers a long-header packet of an unknown version with (RFC 9000, 17.2.1; RFC
 * 8999, 6).
 */
export function versionNegotiation(): Promise<number[]> {
  const packet = Buffer.alloc(1_200);
  // Long header, version 0x1a2a3a4a, two connection ids of 8 bytes.
  packet.set([0xc0, 0x1a, 0x2a, 0x3a, 0x4a, 8, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 7, 6, 5, 4, 3, 2, 1]);
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    const timer = setTimeout(() => socket.close(() => reject(new Error('no answer within 1 s'))), 1_000);
    socket.on('error', reject).on('message', (answer) => {
      clearTimeout(timer);
      socket.close();
      const ids = 6 + (answer[5] ?? 0);
      const from = ids + 1 + (answer[ids] ?? 0);
      if (answer.readUInt32BE(1) !== 0) return reject(new Error('not a Version Negotiation packet'));
      return resolve(
        Array.from({ length: (answer.length - from) / 4 }, (_, index) =>
          answer.readUInt32BE(from + 4 * index),
        ),
      );
    });
    socket.send(packet, httpsPort, inject('servers').m1.ip);
  });
}

/** `secure`: over https, with whatever certificate the host has. */
export function openSocket(host: string, { secure = false } = {}): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const sent = (secure ? secureRequest : request)({
      host: inject('servers').m1.ip,
      port: secure ? httpsPort : httpPort,
      ...(secure && { servername: host, rejectUnauthorized: false }),
      headers: { Host: host, Connection: 'Upgrade', Upgrade: 'websocket' },
      agent: false,
      signal: AbortSignal.timeout(60_000),
    });
    sent
      .on('error', reject)
      .on('upgrade', (_response, socket) => resolve(socket.on('error', () => undefined)))
      .end();
  });
}

export function echo(socket: Socket, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no echo within 5 s')), 5_000);
    socket.once('data', (data: Buffer) => {
      clearTimeout(timer);
      resolve(data.toString());
    });
    socket.write(text);
  });
}
