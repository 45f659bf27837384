/**
 * What may stand for a git repository, a branch, a commit and a folder in it. Nothing here is ever taken for
 * an option, a command or a helper.
 */
import { badField } from '../errors.ts';
import { Secret } from '../secrets/secret.ts';

export interface GitUrl {
  protocol: 'https' | 'http' | 'ssh' | 'file';
  /** Without user and password over https and http; an absolute path for `file`. */
  url: string;
  /** Host and port of https, http and ssh; empty for `file`. */
  host: string;
  credentials: { username: string; password: Secret } | undefined;
}

/**
 * A repository's address: `https://host/path`, `ssh://user@host/path`, `user@host:path`, `file:///path` or an
 * absolute path (whether that folder is allowed, and whether the network of an `http://` address is, is the
 * caller's to check). User and password of an https or http address are split off. Throws BAD_REQUEST naming
 * `field`; the sentence never repeats the address, which may hold a password.
 */
export function parseGitUrl(text: string, field = 'customGitUrl'): GitUrl {
  if (text === '') throw badField(field, 'must not be empty');
  if (text.length > 2048) throw badField(field, 'must have at most 2048 characters');
  if (text !== text.trim()) throw badField(field, 'must not begin or end with a space');
  // A folder's name may hold spaces, an address may not.
  if (
    /[\s\p{Cc}\p{Cf}]/u.test(text.startsWith('/') ? text.replaceAll(' ', '') : text) ||
    !text.isWellFormed()
  ) {
    throw badField(field, 'must not contain spaces, line breaks or control characters');
  }
  if (text.startsWith('/')) return fileUrl(text, field);
  if (/^file:\/\//i.test(text))
    return fileUrl(decode(text.replace(/^file:\/\/(localhost(?=\/))?/i, ''), field), field);
  if (/^https?:\/\//i.test(text)) return webUrl(text, field);
  if (/^git:\/\//i.test(text))
    throw badField(
      field,
      'must not be git://, which neither encrypts nor proves who answers, so anybody on the way can ' +
        'change what is deployed; use https:// or ssh://',
    );
  const ssh = /^ssh:\/\/(?:([^@/:]+)@)?([^@/:]+)(?::([0-9]{1,5}))?(\/.+)$/i.exec(text);
  if (ssh !== null) return sshUrl({ user: ssh[1], host: ssh[2] ?? '', port: ssh[3], text }, field);
  const scp = /^([^@/:]+)@([^@/:]+):([^:].*)$/.exec(text);
  if (scp !== null && !/^[-/]*-/.test(scp[3] ?? ''))
    return sshUrl({ user: scp[1], host: scp[2] ?? '', port: undefined, text }, field);
  throw badField(
    field,
    'must be https://host/path, ssh://user@host/path, user@host:path or an absolute path',
  );
}

/** Whether git would take this for a folder of the machine it runs on. */
export function isLocalAddress(text: string): boolean {
  return /^\s*(\/|file:)/i.test(text);
}

/** The columns of a repository's address. */
export interface GitAddress {
  customGitUrl: string | null;
  customGitUsername?: string | null;
  customGitPassword?: string | null;
}

/**
 * What is stored of an address that comes in: user and password of an https address apart, to be encrypted;
 * the address alone is shown. Empty when none came. Throws as `parseGitUrl`.
 */
export function keptGitAddress(
  given: string | null | undefined,
  present: string | null,
): Partial<GitAddress> {
  if (given === undefined) return {};
  if (given === null) return { customGitUrl: null, customGitUsername: null, customGitPassword: null };
  const { url, credentials, host } = parseGitUrl(given);
  // A query often is a token, and the address is shown to whoever may see the service.
  if (/^https?:/i.test(url) && url.includes('?'))
    throw badField(
      'customGitUrl',
      'must have no query ("?…"); give a token as the password: https://user:token@host/path',
    );
  if (credentials)
    return {
      customGitUrl: url,
      customGitUsername: credentials.username,
      customGitPassword: credentials.password.reveal(),
    };
  // The same host keeps its credentials, so that saving what was shown loses nothing; another host never gets
  // them.
  const keeps = present !== null && parseGitUrl(present).host === host;
  return keeps
    ? { customGitUrl: url }
    : { customGitUrl: url, customGitUsername: null, customGitPassword: null };
}

/**
 * A branch or tag by its short name, a full ref such as `refs/tags/v1`, or the full id of a commit that is
 * deployed whatever its branch has (git check-ref-format); throws BAD_REQUEST naming `field`.
 */
export function parseRefName(text: string, field = 'customGitBranch'): string {
  const fault = refFault(text);
  if (fault !== undefined) throw badField(field, `is not a valid name of a branch or tag: it ${fault}`);
  return text;
}

/** A full commit id; throws BAD_REQUEST naming `field`. */
export function parseCommit(text: string, field = 'commit'): string {
  if (isCommit(text)) return text;
  throw badField(field, 'must be a full commit id of 40 hexadecimal digits');
}

/** Whether a text is a full commit id. */
export const isCommit = (text: string): boolean => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/**
 * A folder or file inside the source: relative, without `..`; `/`, `.` and the empty text mean the source
 * itself and give the empty text. A leading `/` counts from the source's own root, as people write it. Throws
 * BAD_REQUEST naming `field`.
 */
export function parseSourcePath(text: string, field: string): string {
  if (text.length > 1024) throw badField(field, 'must have at most 1024 characters');
  if (/\p{Cc}/u.test(text) || !text.isWellFormed())
    throw badField(field, 'must not contain line breaks or control characters');
  if (text.includes('\\')) throw badField(field, 'must use "/" between folders, not "\\"');
  const parts = text.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw badField(field, 'must not leave the source with ".."');
  if (parts.some((part) => Buffer.byteLength(part) > 255))
    throw badField(field, 'has a name of more than 255 bytes');
  return parts.join('/');
}

function fileUrl(path: string, field: string): GitUrl {
  if (!path.startsWith('/') || path.startsWith('//'))
    throw badField(field, 'must name an absolute path on this server, such as file:///srv/repository');
  if (/\p{Cc}/u.test(path)) throw badField(field, 'must not contain control characters');
  const parts = path.split('/');
  if (parts.includes('..') || parts.includes('.')) throw badField(field, 'must not contain "." or ".."');
  return {
    protocol: 'file',
    url: path.length > 1 ? path.replace(/\/+$/, '') : path,
    host: '',
    credentials: undefined,
  };
}

function webUrl(text: string, field: string): GitUrl {
  const url = URL.parse(text);
  if (url === null || !/^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(url.hostname))
    throw badField(field, 'is not a valid web address');
  if (url.hash !== '') throw badField(field, 'must not contain "#"; the branch has its own field');
  if (url.pathname === '/') throw badField(field, 'names a host but no repository');
  const username = decode(url.username, field);
  const password = decode(url.password, field);
  if (/\p{Cc}/u.test(username + password)) throw badField(field, 'must not contain control characters');
  url.username = '';
  url.password = '';
  return {
    protocol: url.protocol === 'https:' ? 'https' : 'http',
    url: url.href,
    host: url.host,
    credentials: username === '' && password === '' ? undefined : credentialsOf(username, password),
  };
}

/**
 * A long user without a password is a token; it is kept as the secret it is, under the user name that hosts
 * ignore.
 */
function credentialsOf(username: string, password: string): { username: string; password: Secret } {
  if (password === '' && username.length >= 20)
    return { username: 'x-access-token', password: new Secret(username) };
  return { username, password: new Secret(password) };
}

interface SshParts {
  user: string | undefined;
  host: string;
  port: string | undefined;
  text: string;
}

function sshUrl({ user, host, port, text }: SshParts, field: string): GitUrl {
  if (user !== undefined && !/^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/.test(user))
    throw badField(
      field,
      'has a user name that SSH does not take (a password does not belong in the address)',
    );
  if (!/^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/.test(host))
    throw badField(field, 'has no valid host name');
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535))
    throw badField(field, 'has a port outside 1 to 65535');
  return {
    protocol: 'ssh',
    url: text,
    host: port === undefined ? host : `${host}:${port}`,
    credentials: undefined,
  };
}

function decode(text: string, field: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badField(field, 'has a "%" that does not begin a valid escape; write it as %25');
  }
}

function refFault(text: string): string | undefined {
  if (text === '' || text === '@') return 'is empty or "@"';
  if (Buffer.byteLength(text) > 512) return 'is longer than 512 bytes';
  if (text.startsWith('-')) return 'begins with "-"';
  if (/[\p{Cc} ~^:?*[\\]/u.test(text) || !text.isWellFormed())
    return 'holds a space, a control character or one of ~ ^ : ? * [ \\';
  if (text.includes('..') || text.includes('@{') || text.includes('//')) return 'holds "..", "@{" or "//"';
  if (text.startsWith('/') || text.endsWith('/') || text.endsWith('.'))
    return 'begins or ends with "/", or ends with "."';
  if (text.split('/').some((part) => part.startsWith('.') || part.endsWith('.lock')))
    return 'has a part that begins with "." or ends with ".lock"';
  return undefined;
}
