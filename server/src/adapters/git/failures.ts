/** What git and ssh say when they fail, as sentences for people. */
import { AppError } from '../../domain/errors.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import type { GitUrl } from '../../domain/git/git-source.ts';
import type { ConnectFailure } from '../../ports/outgoing.ts';
import { anyOf } from '../../domain/routing/pattern.ts';

export interface Asked {
  source: GitUrl;
  /** What was asked for, such as `branch or tag "main"`. */
  wanted: string;
  hasKey: boolean;
}

/** The failure as an error; the first row whose pattern is in the output says it. */
export function gitFailure(lines: readonly string[], asked: Asked): AppError {
  const all = lines.join('\n');
  const ownWords = lines.filter((line) => !line.startsWith('remote: ')).join('\n');
  const row = failures.find(({ pattern, ofRemote }) => pattern.test(ofRemote === true ? all : ownWords));
  if (row !== undefined) return new AppError(row.code, row.sentence(asked));
  return new AppError(
    'SERVICE_UNAVAILABLE',
    `Fetching the source from ${asked.source.url} failed: ${lastWords(lines)}`,
  );
}

/** A submodule's failure; it names the submodule and where it should have come from. */
export function submoduleFailure(lines: readonly string[], fault?: AppError): AppError {
  const output = lines.join('\n');
  const clone = /clone of '([^']*)' into submodule path '([^']*)' failed/.exec(output);
  const what = clone === null ? 'A submodule' : `The submodule at ${clone[1] ?? ''}`;
  if (/transport '[^']*' not allowed/.test(output))
    return new AppError(
      'BAD_REQUEST',
      `${what} uses an address that is not allowed: submodules may use https or ssh only, or http if ` +
        'the source does.',
    );
  if (fault) return new AppError(fault.code, `${what} could not be fetched: ${fault.message}`);
  return new AppError(
    'PRECONDITION_FAILED',
    `${what} could not be fetched: ${lastWords(lines)} Check its address in .gitmodules and that the ` +
      'same key or token may read it.',
  );
}

const ownReason = /^(?:remote: )?(?:fatal|error|ssh): ?/i;

/** Git's own reason, as a sentence; what it prints about its retries comes after it. */
function lastWords(lines: readonly string[]): string {
  const said = lines.find((line) => ownReason.test(line)) ?? lines.at(-1);
  if (said === undefined) return 'git gave no reason.';
  const words = said.replace(ownReason, '').trim().slice(0, 500);
  return `git says "${words}".`;
}

/** What ssh says of a connection that was not made (OpenSSH, sshconnect.c). */
export function connectFailure(lines: readonly string[]): ConnectFailure | undefined {
  const [, reason] =
    lines.map((line) => /^ssh: connect to host \S+ port \d+: (.*)$/.exec(line)).find(Boolean) ?? [];
  if (reason === undefined) return undefined;
  if (/refused/i.test(reason)) return 'refused';
  return /timed out/i.test(reason) ? 'silent' : 'other';
}

export function isMissingRef(lines: readonly string[]): boolean {
  return lines.some((line) => /couldn't find remote ref/i.test(line));
}

/** The server gives no single commits, or no shallow history: only the whole of it. */
export function wantsFullFetch(lines: readonly string[]): boolean {
  return lines.some((line) => noPart.test(line));
}

const noPart = anyOf(
  [/does not allow request for unadvertised object/, /not our ref/, /does not support shallow/],
  'i',
);

interface Failure {
  pattern: RegExp;
  /** Whether the words of the other side (`remote: …`) count too; they may be about its own disk. */
  ofRemote?: boolean;
  code: ErrorCode;
  sentence(asked: Asked): string;
}

const failures: readonly Failure[] = [
  {
    pattern: /no space left on device|disk quota exceeded/i,
    code: 'PRECONDITION_FAILED',
    sentence: () =>
      'The disk of this server filled up while fetching the source; free some space and deploy again.',
  },
  {
    pattern: /REMOTE HOST IDENTIFICATION HAS CHANGED|Host key verification failed/i,
    code: 'PRECONDITION_FAILED',
    sentence: ({ source }) =>
      `The host key of ${source.host} is not the one it had before, so the connection was refused. If ` +
      'its owner confirms the new key, have the administrator remove the old one from the known hosts ' +
      'of this installation.',
  },
  {
    pattern: /couldn't find remote ref|Remote branch .* not found/i,
    code: 'NOT_FOUND',
    sentence: ({ source, wanted }) => `The repository ${source.url} has no ${wanted}; check its spelling.`,
  },
  {
    pattern: /Load key .*(error in libcrypto|invalid format|incorrect passphrase)|passphrase/i,
    code: 'PRECONDITION_FAILED',
    sentence: () =>
      'The SSH key cannot be read: it is damaged, in an unknown format or protected by a passphrase. ' +
      'Store an unprotected OpenSSH key.',
  },
  {
    pattern: /Permission denied \(|Too many authentication failures|No supported authentication methods/i,
    code: 'PRECONDITION_FAILED',
    sentence: ({ source, hasKey }) =>
      hasKey
        ? `${source.host} refused the SSH key; add its public part as a deploy key there, or choose ` +
          'another key.'
        : `${source.host} requires an SSH key; choose one and add its public part as a deploy key there.`,
  },
  {
    pattern: anyOf(
      [
        /Authentication failed for/,
        /HTTP Basic: Access denied/,
        /Invalid username or (password|token)/,
        /returned error: 403/,
      ],
      'i',
    ),
    ofRemote: true,
    code: 'PRECONDITION_FAILED',
    sentence: ({ source }) =>
      `${source.host} refused the user name and password or token; check them and what they may read.`,
  },
  {
    pattern: anyOf(
      [
        /could not read (Username|Password)/,
        /Repository not found/,
        /repository '.*' not found/,
        /does not appear to be a git repository/,
        /returned error: 40[14]/,
        /project you were looking for could not be found/,
      ],
      'i',
    ),
    ofRemote: true,
    code: 'NOT_FOUND',
    sentence: ({ source }) =>
      `There is no repository at ${source.url}, or it is private and needs ` +
      `${source.protocol === 'ssh' ? 'a key' : 'a user and token'} that may read it.`,
  },
  {
    pattern: /could not resolve host|name or service not known|temporary failure in name resolution/i,
    code: 'SERVICE_UNAVAILABLE',
    sentence: ({ source }) =>
      `The host ${source.host} is not known; check the address and this server's name resolution.`,
  },
  {
    pattern: anyOf(
      [
        /certificate problem/,
        /certificate verif/,
        /SSL certificate/,
        /unable to get local issuer/,
        /gnutls_handshake/,
        /server certificate/,
      ],
      'i',
    ),
    code: 'PRECONDITION_FAILED',
    sentence: ({ source }) =>
      `The certificate of ${source.host} cannot be trusted; if it comes from an authority of your own, ` +
      'install that authority on this server.',
  },
  {
    pattern: anyOf(
      [
        /Failed to connect/,
        /Couldn't connect/,
        /Connection refused/,
        /Connection timed out/,
        /No route to host/,
        /Network is unreachable/,
        /Connection (reset|closed)/,
        /Operation too slow/,
        /kex_exchange_identification/,
      ],
      'i',
    ),
    code: 'SERVICE_UNAVAILABLE',
    sentence: ({ source }) =>
      `${source.host} does not answer; check the address, the port and the firewall between here and there.`,
  },
  {
    pattern: /transport '[^']*' not allowed/i,
    code: 'BAD_REQUEST',
    sentence: () =>
      'The repository or one of its submodules uses an address that is not allowed; only https and ssh are.',
  },
  {
    pattern: /mismatched algorithms/i,
    code: 'PRECONDITION_FAILED',
    sentence: ({ source }) =>
      `The repository ${source.url} uses SHA-256 object ids, which are not supported; use one with ` +
      'SHA-1 ids.',
  },
];
