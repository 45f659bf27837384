/** How rclone reaches each kind of store: a row each, after rclone's documentation of the kind. */
import { createCipheriv, randomBytes } from 'node:crypto';
import { Secret } from '../../domain/secrets/secret.ts';
import type { RemotePlace } from '../../ports/object-store.ts';

export interface RemoteAddress {
  host: string;
  port: number;
}

interface Remote {
  /** Address for people, also where the destination does not name one. */
  endpoint(place: RemotePlace): string;
  /** What rclone's configuration of the kind has, by the names of its documentation. */
  settings(place: RemotePlace, reached: Reached): Record<string, string | Secret>;
  /** Parts of a path before the destination's. */
  folder(place: RemotePlace): string;
  /**
   * A server with folders, where rclone fails for a path that is absent, and leaves the beginning of an
   * object whose source broke.
   */
  hasFolders?: true;
}

/** What a program needs that goes to a judged address by itself. */
export interface Reached {
  /** One of the addresses of the host that were judged. */
  address: string;
  /** File in the form of OpenSSH's known_hosts. */
  knownHostsFile: string;
}

/** Parts of a size that reaches 300 GB within 10,000 parts, and two of them in rclone's memory. */
const chunk = '32Mi';

export const remotes: Record<RemotePlace['provider'], Remote> = {
  s3: {
    endpoint: ({ endpoint }) => endpoint,
    folder: ({ bucket }) => bucket,
    settings: ({ accessKey, secretAccessKey, region, endpoint }) => ({
      TYPE: 's3',
      PROVIDER: 'Other',
      ACCESS_KEY_ID: accessKey,
      SECRET_ACCESS_KEY: secretAccessKey,
      ENDPOINT: endpoint,
      ...(region === '' ? {} : { REGION: region }),
      ENV_AUTH: 'false',
      NO_CHECK_BUCKET: 'true',
      FORCE_PATH_STYLE: 'true',
    }),
  },
  sftp: {
    endpoint: ({ endpoint }) => endpoint,
    folder: ({ endpoint }) => decodeURIComponent(new URL(endpoint).pathname).replace(/\/+$/, ''),
    hasFolders: true,
    settings: ({ endpoint, secretAccessKey }, { address, knownHostsFile }) => ({
      TYPE: 'sftp',
      // As Go joins it with the port.
      HOST: address.includes(':') ? `[${address}]` : address,
      PORT: String(addressOf(endpoint).port),
      USER: decodeURIComponent(new URL(endpoint).username),
      ...signIn(secretAccessKey),
      KNOWN_HOSTS_FILE: knownHostsFile,
      // Without a shell on the other side: checksums are compared here, of what is read again.
      SHELL_TYPE: 'none',
      DISABLE_HASHCHECK: 'true',
      SET_MODTIME: 'false',
    }),
  },
  azure: {
    endpoint: ({ endpoint, accessKey }) =>
      endpoint === '' ? `https://${accessKey.reveal()}.blob.core.windows.net` : endpoint,
    folder: ({ bucket }) => bucket,
    settings: ({ accessKey, secretAccessKey, endpoint }) => ({
      TYPE: 'azureblob',
      ACCOUNT: accessKey,
      KEY: secretAccessKey,
      // rclone puts the account before it.
      ...(endpoint === '' ? {} : { ENDPOINT: new URL(endpoint).host.replace(/^[^.]+\./, '') }),
      CHUNK_SIZE: chunk,
      UPLOAD_CONCURRENCY: '2',
    }),
  },
  gcs: {
    endpoint: () => 'https://storage.googleapis.com',
    folder: ({ bucket }) => bucket,
    settings: ({ secretAccessKey }) => ({
      TYPE: 'google cloud storage',
      SERVICE_ACCOUNT_CREDENTIALS: secretAccessKey,
      // Rights are the bucket's; buckets with rights for each object take it, too.
      BUCKET_POLICY_ONLY: 'true',
      NO_CHECK_BUCKET: 'true',
    }),
  },
  b2: {
    endpoint: () => 'https://api.backblazeb2.com',
    folder: ({ bucket }) => bucket,
    settings: ({ accessKey, secretAccessKey }) => ({
      TYPE: 'b2',
      ACCOUNT: accessKey,
      KEY: secretAccessKey,
      CHUNK_SIZE: chunk,
      // Otherwise a removed object is hidden, and goes on taking room.
      HARD_DELETE: 'true',
    }),
  },
};

const ports: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'sftp:': 22 };

export function addressOf(endpoint: string): RemoteAddress {
  const { hostname, port, protocol } = new URL(endpoint);
  return { host: hostname, port: Number(port) || (ports[protocol] ?? 443) };
}

/** Lines of known_hosts for the keys of a server at an address (golang.org/x/crypto/ssh/knownhosts). */
export function knownHosts(address: string, port: number, keys: string): string {
  const named =
    port !== 22 || address.includes(':') ? `[${address}]${port === 22 ? '' : `:${port}`}` : address;
  return keys
    .split('\n')
    .map((key) => `${named} ${key}\n`)
    .join('');
}

function signIn(secret: Secret): Record<string, Secret> {
  const text = secret.reveal();
  return text.startsWith('-----BEGIN')
    ? { KEY_PEM: new Secret(text.replaceAll('\n', '\\n')) }
    : { PASS: new Secret(obscured(text)) };
}

/** The key that every rclone has: what it makes is not secret, only not to be read over a shoulder. */
const obscuringKey = Buffer.from('9c935b48730a554d6bfd7c63c886a92bd390198eb8128afbf4de162b8b95f638', 'hex');

/** As `rclone obscure` writes passwords, which it takes from its configuration in this form alone. */
export function obscured(password: string): string {
  const start = randomBytes(16);
  const cipher = createCipheriv('aes-256-ctr', obscuringKey, start);
  return Buffer.concat([start, cipher.update(password, 'utf8'), cipher.final()]).toString('base64url');
}
