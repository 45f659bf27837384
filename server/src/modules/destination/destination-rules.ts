/** What a destination may be: one set of rules for each provider. Pure. */
import { z } from 'zod';
import { badField } from '../../domain/errors.ts';
import { parseObjectPath } from '../../domain/names/object-path.ts';
import { parseServerPath } from '../../domain/names/server-path.ts';
import type { DestinationProvider } from './record.ts';

export interface DestinationDraft {
  provider: DestinationProvider;
  accessKey: string;
  secretAccessKey: string;
  bucket: string;
  region: string;
  endpoint: string;
  hostKey: string;
  path: string;
}

/**
 * The destination with only the fields of its provider; BAD_REQUEST naming the field. A local one names a
 * folder below its organization's own, or an absolute path of the server.
 */
export function checkDestination(draft: DestinationDraft): DestinationDraft {
  const bare: DestinationDraft = {
    provider: draft.provider,
    accessKey: '',
    secretAccessKey: '',
    bucket: '',
    region: '',
    endpoint: '',
    hostKey: '',
    path: '',
  };
  return { ...bare, ...providerRules[draft.provider](draft) };
}

const providerRules: Record<
  DestinationDraft['provider'],
  (draft: DestinationDraft) => Partial<DestinationDraft>
> = {
  s3: (draft) => ({
    accessKey: printable(given(draft.accessKey, 'accessKey'), 'accessKey'),
    secretAccessKey: printable(given(draft.secretAccessKey, 'secretAccessKey'), 'secretAccessKey'),
    bucket: parseBucket(given(draft.bucket, 'bucket')),
    region: parseRegion(draft.region),
    endpoint: parseEndpoint(given(draft.endpoint, 'endpoint')),
    path: parseObjectPath(draft.path, 'path'),
  }),
  sftp: ({ secretAccessKey, endpoint, hostKey, path }) => ({
    secretAccessKey: parseSignIn(given(secretAccessKey, 'secretAccessKey')),
    endpoint: parseSftpEndpoint(given(endpoint, 'endpoint')),
    hostKey: parseHostKeys(given(hostKey, 'hostKey')),
    path: parseObjectPath(path, 'path'),
  }),
  azure: ({ accessKey, secretAccessKey, bucket, endpoint, path }) => ({
    accessKey: parseAccount(given(accessKey, 'accessKey')),
    secretAccessKey: printable(given(secretAccessKey, 'secretAccessKey'), 'secretAccessKey'),
    bucket: parseBucket(given(bucket, 'bucket')),
    endpoint: endpoint === '' ? '' : parseAzureEndpoint(endpoint, accessKey),
    path: parseObjectPath(path, 'path'),
  }),
  gcs: ({ secretAccessKey, bucket, path }) => ({
    secretAccessKey: parseServiceAccount(given(secretAccessKey, 'secretAccessKey')),
    bucket: parseBucket(given(bucket, 'bucket')),
    path: parseObjectPath(path, 'path'),
  }),
  b2: ({ accessKey, secretAccessKey, bucket, path }) => ({
    accessKey: printable(given(accessKey, 'accessKey'), 'accessKey'),
    secretAccessKey: printable(given(secretAccessKey, 'secretAccessKey'), 'secretAccessKey'),
    bucket: parseBucket(given(bucket, 'bucket')),
    path: parseObjectPath(path, 'path'),
  }),
  local: ({ path }) => ({
    path: isOfServer(path) ? parseServerPath(path, 'path') : parseObjectPath(path, 'path'),
  }),
};

/** Whether a local destination's path is one of the server's, and not below the organization's own folder. */
export const isOfServer = (path: string): boolean => path.startsWith('/');

function given(value: string, field: string): string {
  if (value === '') throw badField(field, 'is required for this provider');
  return value;
}

/** Keys go into headers and settings of programs as they are. */
function printable(value: string, field: string): string {
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  throw badField(field, 'must have only printable ASCII characters without spaces');
}

/**
 * Amazon's rules for names (Amazon S3 User Guide, "Bucket naming rules"), widened by the capitals and "_"
 * that older buckets and other services have.
 */
function parseBucket(text: string): string {
  if (/^[a-zA-Z0-9][a-zA-Z0-9._-]{1,253}[a-zA-Z0-9]$/.test(text) && !text.includes('..')) return text;
  throw badField(
    'bucket',
    'must have 3 to 255 letters, digits, ".", "-" or "_", and begin and end with a letter or digit',
  );
}

function parseRegion(text: string): string {
  if (/^([a-zA-Z0-9][a-zA-Z0-9-]*)?$/.test(text)) return text;
  throw badField('region', 'must have only letters, digits and "-", such as eu-central-1');
}

function parseEndpoint(text: string): string {
  const url = /^https?:\/\/[^\s\p{Cc}\\]+$/iu.test(text) ? URL.parse(text) : null;
  if (url === null) throw badField('endpoint', 'must be an http or https address');
  if (url.username !== '' || url.password !== '')
    throw badField('endpoint', 'must not carry a user or password; the keys have their own fields');
  if (url.search !== '' || url.hash !== '') throw badField('endpoint', 'must not contain "?" or "#"');
  return text;
}

/** `sftp://user@host:port/folder`; RFC draft "SSH URI Scheme" without a password. */
function parseSftpEndpoint(text: string): string {
  const url = /^sftp:\/\/[^\s\\]+$/i.test(text) ? URL.parse(text) : null;
  if (url === null || !/^([\w.-]+|\[[\da-f:.]+\])$/i.test(url.hostname) || url.hostname.startsWith('-'))
    throw badField('endpoint', 'must be an address such as sftp://user@host:22/folder');
  if (url.username === '') throw badField('endpoint', 'must name the user, as in sftp://user@host');
  if (url.password !== '') throw badField('endpoint', 'must not carry a password; it has a field of its own');
  if (url.search !== '' || url.hash !== '') throw badField('endpoint', 'must not contain "?" or "#"');
  for (const part of [url.username, url.pathname]) {
    const decoded = decoding(part);
    if (decoded === undefined || /[\p{Cc}\\]/u.test(decoded) || decoded.split('/').includes('..'))
      throw badField('endpoint', 'must have a user and a folder without control signs, "\\" and ".."');
  }
  return text;
}

function decoding(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** A private key in the form of PEM or OpenSSH, or a password. */
function parseSignIn(text: string): string {
  if (!text.trimStart().startsWith('-----BEGIN')) {
    if (/\p{Cc}/u.test(text))
      throw badField('secretAccessKey', 'must be a password in one line, or a private key');
    return text;
  }
  if (text.includes('ENCRYPTED'))
    throw badField(
      'secretAccessKey',
      'has a passphrase. Make a key without one for backups (ssh-keygen -N "")',
    );
  // A field of one line takes the line breaks away, which the body's form does not need.
  const [, begin, body, end] = wholeKey.exec(text.trim()) ?? [];
  if (begin === undefined || body === undefined || end === undefined)
    throw badField('secretAccessKey', 'must be a whole private key, from its BEGIN to its END line');
  const lines = body.replaceAll(/\s+/g, '').match(/.{1,70}/g) ?? [];
  return [begin, ...lines, end, ''].join('\n');
}

const wholeKey =
  /^(-----BEGIN [A-Z ]*PRIVATE KEY-----)([A-Za-z0-9+/=\s]+)(-----END [A-Z ]*PRIVATE KEY-----)$/;

const hostKeyLine = /^(?:\S+\s+)?((?:ssh|ecdsa|sk)-[\w.@-]+)\s+([A-Za-z0-9+/]+={0,2})(?:\s.*)?$/;

/** Lines of ssh-keyscan, of a known_hosts file or of .pub files, as algorithm and key alone. */
function parseHostKeys(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const keys = lines.map((line) => {
    const [, algorithm, key] = hostKeyLine.exec(line) ?? [];
    if (algorithm === undefined || key === undefined)
      throw badField('hostKey', 'must have lines such as "ssh-ed25519 AAAA…", as ssh-keyscan prints them');
    return `${algorithm} ${key}`;
  });
  if (keys.length === 0) throw badField('hostKey', 'is required for this provider');
  return [...new Set(keys)].join('\n');
}

/** Names of storage accounts (Azure Resource Manager, "Storage account name"). */
function parseAccount(text: string): string {
  if (/^[a-z0-9]{3,24}$/.test(text)) return text;
  throw badField('accessKey', 'must be the name of a storage account: 3 to 24 small letters and digits');
}

function parseAzureEndpoint(text: string, account: string): string {
  const endpoint = parseEndpoint(text);
  const { protocol, host, pathname } = new URL(endpoint);
  if (protocol === 'https:' && pathname === '/' && host.startsWith(`${account}.`)) return endpoint;
  throw badField('endpoint', `must be https://${account}. and the name of the cloud, or empty`);
}

const serviceAccount = z.looseObject({
  type: z.literal('service_account'),
  client_email: z.string().min(1),
  private_key: z.string().startsWith('-----BEGIN'),
  token_uri: z.enum(['https://oauth2.googleapis.com/token', 'https://accounts.google.com/o/oauth2/token']),
});

/** A key of a service account; its token comes from Google alone, whatever address the file has. */
function parseServiceAccount(text: string): string {
  const parsed = serviceAccount.safeParse(json(text));
  if (!parsed.success)
    throw badField(
      'secretAccessKey',
      'must be the JSON key file of a service account, whole and as Google made it',
    );
  return JSON.stringify(parsed.data);
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
