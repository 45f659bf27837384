/** What the files of the proxy's store say. Pure. */
import { X509Certificate } from 'node:crypto';
import type { KeptFile } from '../../ports/certificate-news.ts';

export interface IssuedCertificate {
  host: string;
  /** As the proxy's folders name it. */
  authority: string;
  issuer: string;
  /** ms, as all times here. */
  notBefore: number;
  expiresAt: number;
}

/** The certificates among the files: `certificates/<authority>/<host>/<host>.crt`. */
export function issuedIn(files: readonly KeptFile[]): IssuedCertificate[] {
  return files.flatMap(({ path, content }) => {
    const [, authority, host] = /^certificates\/([^/]+)\/([^/]+)\/[^/]+\.crt$/.exec(path) ?? [];
    const certificate = authority === undefined ? undefined : read(content);
    if (authority === undefined || host === undefined || certificate === undefined) return [];
    const issuer = certificate.issuer.split('\n').join(', ');
    return [{ host, authority, issuer, notBefore: certificate.validFromDate.getTime(), expiresAt: certificate.validToDate.getTime() }];
  });
}

/** A file that is being written is read again when it is told of. */
function read(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

/** The folder of a file, which is there or lost as a whole. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** The host that a file belongs to. */
export function hostOf(path: string): string | undefined {
  return /^certificates\/[^/]+\/([^/]+)\//.exec(path)?.[1];
}

/** What the proxy asks when no directory is named. */
const usualDirectory = 'https://acme-v02.api.letsencrypt.org/directory';

/** The name that the proxy's folders have for an authority. */
export function authorityOf(directoryUrl: string | null): string {
  const { host, pathname } = new URL(directoryUrl ?? usualDirectory);
  const path = pathname.replace(/[/\\]/g, '-').replace(/^-+|-+$/g, '');
  return `${host}${path === '' ? '' : `-${path}`}`.replaceAll(':', '-').toLowerCase();
}
