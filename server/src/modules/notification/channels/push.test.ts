import { createECDH, createPublicKey, verify } from 'node:crypto';
import { expect, it } from 'vitest';
import { openedPush } from '../../../../../test/notifications/push-service.ts';
import type { Notice } from './channel.ts';
import { encryptedFor, push } from './push.ts';

const { example } = push;
const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64url');
/** The receiver's key in RFC 8291, appendix A. */
const receiverKey = 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94';

const notice: Notice = {
  id: 'event-1',
  event: 'serviceDown',
  tone: 'bad',
  at: '2026-01-02T03:04:05.678Z',
  title: 'Service down: shop',
  message: 'shop is down: none of its 2 replicas runs.',
  subject: { type: 'application', id: 'a1', name: 'shop' },
  count: 1,
};

const receiver = createECDH('prime256v1');
receiver.setPrivateKey(bytesOf(receiverKey));
const opened = (body: Uint8Array): string =>
  openedPush(body, { keys: receiver, auth: bytesOf(example.auth) });

const rendered = (given: Notice) => {
  const sending = push.render(given, example, Date.parse(given.at));
  if (sending.by !== 'http' || typeof sending.body === 'string') throw new Error('It is sent as bytes.');
  return { ...sending, body: sending.body };
};

it('encrypts as the example of RFC 8291, appendix A', () => {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(bytesOf(example.privateKey));
  const salt = bytesOf('DGv6ra1nlYgDCS1FRnbzlw');
  const text = Buffer.from('When I grow up, I want to be a watermelon');
  expect(encryptedFor(example, text, { pair, salt }).toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK' +
      '6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

it('is opened by the browser alone, and signed for its push service', () => {
  const { url, headers, body } = rendered(notice);
  expect(url).toBe(example.endpoint);
  expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '259200', urgency: 'high' });
  expect(JSON.parse(opened(body))).toEqual({
    id: 'event-1',
    title: 'Service down: shop',
    message: 'shop is down: none of its 2 replicas runs.',
    tone: 'bad',
  });
  const [, token = '', key] = /^vapid t=([^,]+), k=(.+)$/.exec(headers['authorization'] ?? '') ?? [];
  expect(key).toBe(example.publicKey);
  const [head = '', claims = '', signature = ''] = token.split('.');
  expect(JSON.parse(bytesOf(claims).toString())).toEqual({
    aud: 'https://push.example.net',
    exp: Math.floor(Date.parse(notice.at) / 1000) + 12 * 3600,
    sub: 'mailto:berth@example.com',
  });
  const point = bytesOf(example.publicKey);
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
  const signer = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  const by = { key: signer, dsaEncoding: 'ieee-p1363' } as const;
  expect(verify('sha256', Buffer.from(`${head}.${claims}`), by, bytesOf(signature))).toBe(true);
});

it('never grows beyond what push services take', () => {
  for (const text of ['😀'.repeat(5000), '\u0001'.repeat(5000), '"'.repeat(5000)]) {
    const { body } = rendered({ ...notice, title: text, message: text });
    expect(body.length).toBeLessThanOrEqual(4096);
    expect(JSON.parse(opened(body))).toMatchObject({ id: 'event-1' });
  }
});

it('takes a subscription as browsers give it, and nothing that could not be one', () => {
  const faultOf = (change: object): string | undefined => {
    const given = push.input.safeParse({ ...example, ...change });
    if (!given.success) return given.error.issues[0]?.path.join('.');
    try {
      push.check(given.data, 'push');
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message.split(/[ :]/)[0] : undefined;
    }
  };
  expect(faultOf({})).toBeUndefined();
  expect(faultOf({ endpoint: 'https://a:b@push.example.net/x' })).toBe('endpoint');
  expect(faultOf({ auth: 'short' })).toBe('auth');
  expect(faultOf({ p256dh: Buffer.alloc(65, 4).toString('base64url') })).toBe('push.p256dh');
  expect(faultOf({ privateKey: Buffer.alloc(32).toString('base64url') })).toBe('push.privateKey');
  expect(faultOf({ privateKey: receiverKey })).toBe('push.privateKey');
  expect(faultOf({ publicKey: 'not base64!' })).toBe('publicKey');
});
