/** Root certificates that an authority's own https is checked with. Pure. */
import { X509Certificate } from 'node:crypto';
import { badField } from '../errors.ts';
import { pemBlocks } from '../secrets/pem.ts';

/** The text itself; throws BAD_REQUEST naming `field` when it is not one or more certificates in PEM. */
export function parseRootCertificates(text: string, field = 'rootCertificates'): string {
  const blocks = pemBlocks(text);
  if (!blocks || blocks.length === 0)
    throw badField(
      field,
      'is not PEM: it must hold one or more blocks from "-----BEGIN CERTIFICATE-----" to "-----END ' +
        'CERTIFICATE-----"',
    );
  for (const { label, text: block } of blocks) {
    if (label !== 'CERTIFICATE')
      throw badField(field, `holds a block of the kind ${label}; only certificates belong there`);
    if (!isCertificate(block))
      throw badField(field, 'holds a block that cannot be read as an X.509 certificate');
  }
  return text;
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).fingerprint256 !== '';
  } catch {
    return false;
  }
}
