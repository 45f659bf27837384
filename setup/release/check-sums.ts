/** Checks a release against its list of digests, and the list against its signature. */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../../server/src/domain/errors.ts';

/** Names of the list, in the form of sha256sum(1), and of its Ed25519 signature (64 bytes, RFC 8032). */
export const sumsFile = 'SHA256SUMS';
export const signatureFile = 'SHA256SUMS.sig';
/** Public key of Berth's releases, at the root of the repository and of every release. */
export const keyFile = 'release-key.pem';

/** One file and its digest in hexadecimal. */
export interface Sum {
  digest: string;
  path: string;
}

/** Throws BAD_REQUEST for a line of any other form. */
export function parseSums(text: string): Sum[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, digest, path] = /^([0-9a-f]{64}) {2}(?:\.\/)?([^/].*)$/.exec(line) ?? [];
      if (digest === undefined || path === undefined || path.split('/').includes('..'))
        throw new AppError('BAD_REQUEST', `${sumsFile} has a line that is not a digest and a path: ${line}`);
      return { digest, path };
    });
}

/** The digest of a file in hexadecimal. */
export async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** An archive that was not downloaded is passed over; a file of an unpacked one may not be missing. */
const mayBeAbsent = (path: string): boolean => path.endsWith('.tar.gz');

/**
 * Returns how many files were checked. Throws PRECONDITION_FAILED naming the first fault: no signature, a
 * signature of another key, a file that is missing or differs.
 */
export async function checkRelease(folder: string, publicKey: string): Promise<number> {
  const sums = readPart(folder, sumsFile);
  const signature = readPart(folder, signatureFile);
  if (!verify(null, sums, createPublicKey(publicKey), signature))
    throw refused(`${signatureFile} is not the signature of ${sumsFile} by the key of Berth's releases`);
  let checked = 0;
  for (const { digest, path } of parseSums(sums.toString('utf8'))) {
    const file = join(folder, path);
    if (!existsSync(file)) {
      if (mayBeAbsent(path)) continue;
      throw refused(`${path} is missing`);
    }
    if ((await digestOf(file)) !== digest) throw refused(`${path} differs from what was released`);
    checked += 1;
  }
  if (checked === 0) throw refused(`${folder} has none of the files that ${sumsFile} lists`);
  return checked;
}

function readPart(folder: string, name: string): Buffer {
  const path = join(folder, name);
  if (existsSync(path)) return readFileSync(path);
  throw refused(`${path} is missing`);
}

function refused(fault: string): AppError {
  return new AppError(
    'PRECONDITION_FAILED',
    `${fault}. Download the release again, with ${sumsFile} and ${signatureFile}, and do not use this one.`,
  );
}
