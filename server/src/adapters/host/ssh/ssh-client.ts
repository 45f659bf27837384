/** One SSH connection, from its first byte to its end. */
import { createHash } from 'node:crypto';
import type { Client, ClientChannel } from 'ssh2';
import type { Secret } from '../../../domain/secrets/secret.ts';
import { otherHostKey, SshFault, unreachable, unreadableKey, wrongKey, type Named } from './ssh-fault.ts';

export interface SshTarget extends Named {
  privateKey: Secret;
  /** The address as the record has it; `address` is what it led to. */
  ipAddress: string;
  /** Fingerprint of the host key that is pinned, as `SHA256:…`; null before the first contact. */
  hostKey: string | null;
  /** What is said of a connection that failed, to whoever may not know what is behind the address. */
  screen?: string | undefined;
}

export interface SshClient {
  readonly client: Client;
  readonly target: SshTarget;
  /** Fingerprint of the host key that the server showed. */
  readonly hostKey: string;
  /** Resolves with the reason once the connection has ended, however it did. */
  readonly ended: Promise<SshFault>;
  end(): void;
}

const readyLimitMs = 15_000;
/** A server that stopped answering is noticed after the last of these. */
export interface KeepAlive {
  everyMs: number;
  unanswered: number;
}

/** Within 20 s. */
const usualKeepAlive: KeepAlive = { everyMs: 5000, unanswered: 2 };

/** Throws SshFault. */
export async function connectSsh(
  target: SshTarget,
  keepAlive: KeepAlive = usualKeepAlive,
): Promise<SshClient> {
  // Loaded with the first server: an installation on one machine never needs it.
  const { default: ssh2 } = await import('ssh2');
  const client = new ssh2.Client();
  let seen = '';
  const ended = Promise.withResolvers<SshFault>();
  let failure: unknown;
  const ready = Promise.withResolvers<void>();
  // Whoever connects hears of it; nobody does when the key cannot be read.
  ready.promise.catch(() => undefined);
  client.on('error', (error) => {
    failure ??= error;
    ready.reject(error);
  });
  client.once('ready', () => ready.resolve());
  client.once('close', () => {
    const fault = unreachable(target, failure ?? new Error('the connection was closed'));
    ready.reject(failure ?? fault);
    ended.resolve(fault);
  });
  const privateKey = target.privateKey.reveal();
  const parsed = ssh2.utils.parseKey(privateKey);
  if (parsed instanceof Error) throw unreadableKey(target.serverName, parsed);
  try {
    client.connect({
      host: target.address,
      port: target.port,
      username: target.username,
      privateKey,
      readyTimeout: readyLimitMs,
      keepaliveInterval: keepAlive.everyMs,
      keepaliveCountMax: keepAlive.unanswered,
      hostVerifier: (key: Buffer) => {
        seen = fingerprintOf(key);
        return target.hostKey === null || target.hostKey === seen;
      },
    });
    // Small packets go both ways all the time: held back until the last is acknowledged, each costs 40 ms.
    client.setNoDelay(true);
    await ready.promise;
  } catch (error) {
    client.destroy();
    throw faultOf(target, seen, error);
  }
  return { client, target, hostKey: seen, ended: ended.promise, end: () => void client.destroy() };
}

/** As OpenSSH prints it. */
function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

function faultOf(target: SshTarget, seen: string, error: unknown): SshFault {
  if (error instanceof SshFault) return error;
  if (target.screen !== undefined) return new SshFault(target.screen, { mends: true });
  if (target.hostKey !== null && seen !== '' && seen !== target.hostKey)
    return otherHostKey(target, seen, target.hostKey);
  const level = error instanceof Error && 'level' in error ? error.level : undefined;
  return level === 'client-authentication' ? wrongKey(target, error) : unreachable(target, error);
}

/** A connection to a unix socket of the server. */
export function forwardTo({ client }: SshClient, path: string): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    client.openssh_forwardOutStreamLocal(path, (error, channel) => {
      if (error) reject(error);
      else resolve(channel);
    });
  });
}
