/** DER (X.690), as much as requests for certificates need. Pure. */

/** One element: tag, length, content. */
export function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

export const sequence = (...parts: Uint8Array[]): Buffer => der(0x30, ...parts);
export const octets = (content: Uint8Array): Buffer => der(0x04, content);
/** An object identifier by its content in hexadecimal. */
export const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
/** A bit string of whole bytes. */
export const bits = (content: Uint8Array): Buffer => der(0x03, Buffer.from([0]), content);

/** ecdsa-with-SHA256 (RFC 5758, 3.2). */
export const ecdsaWithSha256 = oid('2a8648ce3d040302');
/** subjectAltName (RFC 5280, 4.2.1.6). */
export const subjectAltName = oid('551d11');

/** The `dNSName` of a subjectAltName. */
export const dnsName = (name: string): Buffer => der(0x82, Buffer.from(name, 'ascii'));
