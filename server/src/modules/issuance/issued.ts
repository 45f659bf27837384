/** What the files of the proxy's store say. Pure. */
import { X509Certificate } from 'node:crypto';
import type { KeptFile } from '../../ports/certificates/certificate-news.ts';

export interface IssuedCertificate {
  host: string;
  /** As the proxy's folders name it, behind its account and a slash where that is not the installation's. */
  authority: string;
  /** In which its files are. */
  folder: string;
  issuer: string;
  /** ms, as all times here. */
  notBefore: number;
  expiresAt: number;
}

/** The certificates among the files: `[accounts/<account>/]certificates/<authority>/<host>/<host>.crt`. */
export function issuedIn(files: readonly KeptFile[]): IssuedCertificate[] {
  return files.flatMap(({ path, content }) => {
    const [, account, authority, host] =
      /^(?:accounts\/([^/]+)\/)?certificates\/([^/]+)\/([^/]+)\/[^/]+\.crt$/.exec(path) ?? [];
    const certificate = authority === undefined ? undefined : read(content);
    if (authority === undefined || host === undefined || certificate === undefined) return [];
    const issuer = certificate.issuer.split('\n').join(', ');
    return [
      {
        host,
        authority: ofAccount(account ?? null, authority),
        folder: folderOf(path),
        issuer,
        notBefore: certificate.validFromDate.getTime(),
        expiresAt: certificate.validToDate.getTime(),
      },
    ];
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
  return /^(?:accounts\/[^/]+\/)?certificates\/[^/]+\/([^/]+)\//.exec(path)?.[1];
}

/** The account that a file belongs to; undefined for the installation's. */
export function accountOf(path: string): string | undefined {
  return /^accounts\/([^/]+)\//.exec(path)?.[1];
}

/** What the proxy asks when no directory is named. */
const usualDirectory = 'https://acme-v02.api.letsencrypt.org/directory';

/**
 * Whom the proxy asks: a directory (null: its own choice) and the account there (null: the installation's).
 */
export interface AskedAuthority {
  directoryUrl: string | null;
  account: string | null;
}

/** The name that the proxy's folders have for an authority, behind the account. */
export function authorityOf({ directoryUrl, account }: AskedAuthority): string {
  const { host, pathname } = new URL(directoryUrl ?? usualDirectory);
  const path = pathname.replace(/[/\\]/g, '-').replace(/^-+|-+$/g, '');
  return ofAccount(account, `${host}${path === '' ? '' : `-${path}`}`.replaceAll(':', '-').toLowerCase());
}

/** Where the certificate of a host by an authority is kept. */
export function certificatePath({ directoryUrl, account }: AskedAuthority, host: string): string {
  const storage = account === null ? '' : `accounts/${account}/`;
  const authority = authorityOf({ directoryUrl, account: null });
  return `${storage}certificates/${authority}/${host}/${host}.crt`;
}

function ofAccount(account: string | null, authority: string): string {
  return account === null ? authority : `${account}/${authority}`;
}
