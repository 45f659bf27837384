/** A request for a certificate (PKCS #10, RFC 2986) for host names. Pure. */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { Secret } from '../secrets/secret.ts';
import { bits, der, dnsName, ecdsaWithSha256, octets, oid, sequence, subjectAltName } from './der.ts';

/** extensionRequest (RFC 2985, 5.4.2). */
const extensionRequest = oid('2a864886f70d01090e');

/** DER of a request for `names`, signed with an EC key in PKCS #8 PEM; the names stand in subjectAltName. */
export function certificateRequest(names: readonly string[], privateKey: Secret): Buffer {
  const key = createPrivateKey(privateKey.reveal());
  const extensions = sequence(sequence(subjectAltName, octets(sequence(...names.map(dnsName)))));
  const info = sequence(
    der(0x02, Buffer.from([0])),
    sequence(),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    der(0xa0, sequence(extensionRequest, der(0x31, extensions))),
  );
  return sequence(info, sequence(ecdsaWithSha256), bits(sign('sha256', info, key)));
}
