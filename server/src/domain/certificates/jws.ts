/** Signatures of ACME requests (RFC 7515, RFC 8555, 6.2) with P-256 keys. Pure. */
import { createHash, createHmac, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import type { Secret } from '../secrets/secret.ts';

export interface SignedRequest {
  protected: string;
  payload: string;
  signature: string;
}

/** The account's key at an authority: signs requests, and proves which account a challenge is for. */
export interface JwsKey {
  /** `payload` undefined: POST-as-GET (RFC 8555, 6.3). `kid` undefined: the key itself is shown. */
  sign(header: { url: string; nonce: string; kid: string | undefined }, payload: unknown): SignedRequest;
  /** Value of the TXT record of a dns-01 challenge (RFC 8555, 8.4). */
  challengeText(token: string): string;
  /** External account binding (RFC 8555, 7.3.4); `hmacKey` is base64url. */
  bind(url: string, keyId: string, hmacKey: Secret): SignedRequest;
}

export function jwsKey(pem: Secret): JwsKey {
  const key = createPrivateKey(pem.reveal());
  const shown = publicJwk(key);
  const thumbprint = createHash('sha256').update(JSON.stringify(shown)).digest('base64url');
  return {
    sign({ url, nonce, kid }, payload) {
      const header = { alg: 'ES256', ...(kid === undefined ? { jwk: shown } : { kid }), nonce, url };
      return signed(header, payload, (text) =>
        sign('sha256', text, { key, dsaEncoding: 'ieee-p1363' }).toString('base64url'),
      );
    },
    challengeText: (token) => createHash('sha256').update(`${token}.${thumbprint}`).digest('base64url'),
    bind: (url, keyId, hmacKey) =>
      signed({ alg: 'HS256', kid: keyId, url }, shown, (text) =>
        createHmac('sha256', Buffer.from(hmacKey.reveal(), 'base64url')).update(text).digest('base64url'),
      ),
  };
}

function signed(header: object, payload: unknown, signText: (text: Buffer) => string): SignedRequest {
  const encoded = {
    protected: base64url(JSON.stringify(header)),
    payload: payload === undefined ? '' : base64url(JSON.stringify(payload)),
  };
  return { ...encoded, signature: signText(Buffer.from(`${encoded.protected}.${encoded.payload}`)) };
}

/** Members in the order that a thumbprint needs (RFC 7638, 3.2). */
function publicJwk(key: KeyObject): { crv?: string; kty?: string; x?: string; y?: string } {
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' });
  return { crv, kty, x, y };
}

const base64url = (text: string): string => Buffer.from(text).toString('base64url');
