/** A push service that takes what is sent to a subscription (RFC 8030), and what its browser does with it. */
import { createDecipheriv, hkdfSync, type ECDH } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';

interface Pushed {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface PushService extends AsyncDisposable {
  url: string;
  /** In order. */
  taken: Pushed[];
}

export async function pushService(): Promise<PushService> {
  const taken: Pushed[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      taken.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(201, { location: '/message/1', connection: 'close' }).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    taken,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** What a browser makes of the body of a message (RFC 8291). */
export function openedPush(body: Uint8Array, { keys, auth }: { keys: ECDH; auth: Uint8Array }): string {
  const message = Buffer.from(body);
  const [salt, sender] = [message.subarray(0, 16), message.subarray(21, 21 + message.readUInt8(20))];
  const sealed = message.subarray(21 + sender.length);
  const derived = (key: Uint8Array, from: Uint8Array, info: Uint8Array, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', key, from, info, bytes));
  const about = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), sender]);
  const material = derived(keys.computeSecret(sender), auth, about, 32);
  const decipher = createDecipheriv(
    'aes-128-gcm',
    derived(material, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16),
    derived(material, salt, Buffer.from('Content-Encoding: nonce\0'), 12),
  ).setAuthTag(sealed.subarray(-16));
  const text = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  // The last record ends with 2.
  if (text.at(-1) !== 2) throw new Error('The record is not the last one.');
  return text.subarray(0, -1).toString();
}
