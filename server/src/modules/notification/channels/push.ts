/**
 * Web Push to one browser (RFC 8030): the payload is encrypted for it (RFC 8291), and signed by the key that
 * it subscribed with (VAPID, RFC 8292). That pair is made by the browser for itself, so that nothing but
 * this record is needed to reach it.
 */
import {
  createCipheriv,
  createECDH,
  createPrivateKey,
  hkdfSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';
import { z } from 'zod';
import { badField } from '../../../domain/errors.ts';
import { cut, defineChannel, httpUrl, originOf } from './channel.ts';

const curve = 'prime256v1';
/** Bytes of an uncompressed point, and of a private key. */
const [pointBytes, scalarBytes, authBytes] = [65, 32, 16] as const;
/** Push services keep a message so long for a browser that is away. */
const keptSeconds = 3 * 24 * 3600;
/** The sender's contact: push services refuse a signature without one that could be real. */
const contact = 'mailto:berth@example.com';
/** A signature is good for at most a day (RFC 8292, 2). */
const signedSeconds = 12 * 3600;
/** Every push service takes so many bytes (RFC 8291, 4); what encryption adds is less than 120. */
const mostBytes = 3800;

const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64url');

const base64url = (bytes: number, what: string) =>
  z
    .string()
    .max(200)
    .refine((text) => /^[-_A-Za-z0-9]+$/.test(text) && bytesOf(text).length === bytes, {
      error: `must be ${what} as base64url, ${bytes} bytes`,
    });

export const push = defineChannel({
  label: 'push to a browser',
  fields: {
    endpoint: httpUrl().describe('Address of the subscription at the push service of the browser'),
    p256dh: base64url(pointBytes, 'the public key of the subscription').describe(
      'Public key of the subscription, for which messages are encrypted: base64url',
    ),
    auth: base64url(authBytes, 'the secret of the subscription').describe(
      'Secret of the subscription; never shown',
    ),
    publicKey: base64url(pointBytes, 'the public key that the browser subscribed with').describe(
      'Public key that the browser subscribed with (VAPID): base64url',
    ),
    privateKey: base64url(scalarBytes, 'the private key to it').describe(
      'Private key to publicKey, with which messages are signed; never shown',
    ),
  },
  secrets: ['auth', 'privateKey'],
  example: {
    endpoint: 'https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV',
    // Those of RFC 8291, appendix A.
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    publicKey: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
    privateKey: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  },
  origin: ({ endpoint }) => originOf(endpoint),
  check({ p256dh, publicKey, privateKey }, field) {
    if (!isPoint(p256dh)) throw badField(`${field}.p256dh`, 'is no point of the curve P-256');
    const pair = createECDH(curve);
    try {
      pair.setPrivateKey(bytesOf(privateKey));
    } catch {
      throw badField(`${field}.privateKey`, 'is no private key of the curve P-256');
    }
    if (pair.getPublicKey('base64url') !== publicKey)
      throw badField(`${field}.privateKey`, 'is not the one that belongs to publicKey');
  },
  render({ id, title, message, tone }, { endpoint, p256dh, auth, publicKey, privateKey }, now) {
    const text = (most: number): Buffer =>
      Buffer.from(JSON.stringify({ id, title: cut(title, 200), message: cut(message, most), tone }));
    const [long, short] = [text(600), text(100)];
    const token = signed({ endpoint, publicKey, privateKey }, now);
    return {
      by: 'http',
      url: endpoint,
      headers: {
        'content-type': 'application/octet-stream',
        'content-encoding': 'aes128gcm',
        'user-agent': 'Berth',
        ttl: String(keptSeconds),
        urgency: tone === 'bad' ? 'high' : 'normal',
        authorization: `vapid t=${token}, k=${publicKey}`,
      },
      body: encryptedFor({ p256dh, auth }, long.length > mostBytes ? short : long),
      refusals: { 404: gone, 410: gone },
    };
  },
});

const gone =
  'The browser no longer takes these messages: it was reset, or they were switched off there. Remove this ' +
  'channel, and add it again in that browser.';

function isPoint(p256dh: string): boolean {
  try {
    return freshPair().computeSecret(bytesOf(p256dh)).length > 0;
  } catch {
    return false;
  }
}

interface Signing {
  endpoint: string;
  publicKey: string;
  privateKey: string;
}

/** RFC 8292, 2: a JSON Web Token by ES256, for the push service alone. */
function signed({ endpoint, publicKey, privateKey }: Signing, now: number): string {
  const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const aud = originOf(endpoint);
  const exp = Math.floor(now / 1000) + signedSeconds;
  const head = encoded({ typ: 'JWT', alg: 'ES256' });
  const content = `${head}.${encoded({ aud, exp, sub: contact })}`;
  const signature = sign('sha256', Buffer.from(content), {
    key: keyOf(publicKey, privateKey),
    dsaEncoding: 'ieee-p1363',
  });
  return `${content}.${signature.toString('base64url')}`;
}

function keyOf(publicKey: string, privateKey: string): KeyObject {
  const point = bytesOf(publicKey);
  const half = (from: number): string => point.subarray(from, from + scalarBytes).toString('base64url');
  const jwk = { kty: 'EC', crv: 'P-256', x: half(1), y: half(1 + scalarBytes), d: privateKey };
  return createPrivateKey({ key: jwk, format: 'jwk' });
}

interface Sealing {
  /** The pair of this message alone, and its salt; absent: random ones. */
  pair?: ReturnType<typeof createECDH>;
  salt?: Buffer;
}

/** RFC 8291, 3.4, in one record of RFC 8188. */
export function encryptedFor(
  { p256dh, auth }: { p256dh: string; auth: string },
  text: Uint8Array,
  { pair = freshPair(), salt = randomBytes(16) }: Sealing = {},
): Buffer {
  const receiver = bytesOf(p256dh);
  const sender = pair.getPublicKey();
  const derived = (key: Uint8Array, from: Uint8Array, info: Buffer, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', key, from, info, bytes));
  const about = Buffer.concat([Buffer.from('WebPush: info\0'), receiver, sender]);
  const material = derived(pair.computeSecret(receiver), bytesOf(auth), about, 32);
  const key = derived(material, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derived(material, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  // The last record ends with 2.
  const body = Buffer.concat([cipher.update(text), cipher.update(Buffer.from([2])), cipher.final()]);
  const header = Buffer.alloc(5);
  header.writeUInt32BE(4096);
  header.writeUInt8(sender.length, 4);
  return Buffer.concat([salt, header, sender, body, cipher.getAuthTag()]);
}

function freshPair(): ReturnType<typeof createECDH> {
  const pair = createECDH(curve);
  pair.generateKeys();
  return pair;
}
