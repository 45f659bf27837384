/** Why a server cannot be reached over SSH, in sentences. */
import { AppError } from '../../../domain/errors.ts';

/** `mends`: it may answer later by itself. Otherwise a person has to do something first. */
export class SshFault extends AppError {
  readonly mends: boolean;

  constructor(sentence: string, { mends, cause }: { mends: boolean; cause?: unknown }) {
    super(mends ? 'SERVICE_UNAVAILABLE' : 'PRECONDITION_FAILED', sentence, { cause });
    this.mends = mends;
  }
}

export interface Named {
  /** As sentences name it: "the server frankfurt". */
  serverName: string;
  address: string;
  port: number;
  username: string;
}

export function unreachable({ serverName, address, port }: Named, cause: unknown): SshFault {
  return new SshFault(
    `${capital(serverName)} cannot be reached over SSH at ${address}, port ${port}: ${whySilent(cause)}. ` +
      'What runs there keeps running; Berth will try again.',
    { mends: true, cause },
  );
}

export function wrongKey({ serverName, address, port, username }: Named, cause: unknown): SshFault {
  return new SshFault(
    `${capital(serverName)} (${address}, port ${port}) does not accept ${username} with the SSH key of its ` +
      `record. Put the key's public half into the authorized_keys of ${username} there, or choose another ` +
      'key or user with server.update.',
    { mends: false, cause },
  );
}

export function otherHostKey({ serverName, address, port }: Named, seen: string, pinned: string): SshFault {
  return new SshFault(
    `${capital(serverName)} (${address}, port ${port}) presents the host key ${seen}, but ${pinned} is ` +
      'pinned. Either the machine was reinstalled, or something intercepts the connection, so nothing ' +
      'was sent. ' +
      'If "ssh-keygen -lf" on the public host key there gives the first one, accept it with ' +
      'server.trustHostKey.',
    { mends: false },
  );
}

export function noKey(serverName: string): SshFault {
  return new SshFault(
    `${capital(serverName)} has no SSH key. Give it one with server.update, and put its public key into ` +
      "the user's authorized_keys there.",
    { mends: false },
  );
}

export function noRecord(): AppError {
  return new AppError('NOT_FOUND', 'The record of this server no longer exists. Create it again.');
}

export function notOverSsh(): SshFault {
  return new SshFault('This server is not reached over SSH, so it cannot be inspected.', { mends: false });
}

export function unreadableKey(serverName: string, cause: unknown): SshFault {
  return new SshFault(
    `The SSH key of ${serverName} cannot be read (${wordsOf(cause)}). Choose one without a passphrase with ` +
      'server.update.',
    { mends: false, cause },
  );
}

export function noSession({ serverName }: Named, cause: unknown): SshFault {
  return new SshFault(
    `The SSH server of ${serverName} opens no session for a command (${wordsOf(cause)}), although Berth ` +
      'has none open: MaxSessions in its sshd_config is 0, or its resources are used up.',
    { mends: false, cause },
  );
}

/** `isListening`: whether a program there listens on the socket. */
export function noSocket(
  { serverName, username }: Named,
  path: string,
  { isThere, isListening }: { isThere: boolean; isListening: boolean },
): SshFault {
  const why = isListening
    ? `its sshd refuses to forward it for ${username}. Set AllowStreamLocalForwarding and ` +
      `AllowTcpForwarding to yes in its sshd_config ` +
      `(DisableForwarding to no), and see that ${username} may open the socket`
    : isThere
      ? 'nothing listens on it. Start the program it belongs to (the engine: systemctl start docker)'
      : 'there is no such socket. Is the program it belongs to installed and running (the engine: docker)?';
  return new SshFault(`The socket ${path} of ${serverName} cannot be reached: ${why}.`, { mends: true });
}

export function noSudo({ serverName, username }: Named, words: string): SshFault {
  return new SshFault(
    `${username} cannot become root on ${serverName} (sudo -n: ${words}). Add the line "${username} ` +
      `ALL=(ALL) NOPASSWD: ALL" to its sudoers, or sign in as root.`,
    { mends: false },
  );
}

function whySilent(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ECONNREFUSED') {
    return 'it refused the connection; see that its sshd runs and listens on this port';
  }
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'there is no route to it';
  const words = wordsOf(cause);
  if (/keepalive/i.test(words)) return 'it stopped answering';
  if (/timed out/i.test(words) || code === 'ETIMEDOUT') return 'it does not answer';
  return words.replace(/[.?!]+$/, '');
}

function wordsOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
