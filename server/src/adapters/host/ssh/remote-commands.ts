/**
 * Programs of a server, as argument vectors. An SSH server opens only so many sessions at once (MaxSessions
 * of sshd_config, 10 unless set): who comes later waits for one that ends.
 */
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClientChannel } from 'ssh2';
import { AppError } from '../../../domain/errors.ts';
import { quoteArgv } from '../../../shell/quote.ts';
import type { SshClient } from './ssh-client.ts';
import { createPlaces } from './places.ts';
import { noSession, noSudo } from './ssh-fault.ts';

export interface RemoteResult {
  code: number;
  stdout: string;
  /** The end of it, at most 8 KiB. */
  stderr: string;
}

export interface RemoteOptions {
  stdin?: Readable | string | undefined;
  signal?: AbortSignal | undefined;
  /** Milliseconds (default 30,000). */
  limitMs?: number | undefined;
}

/** Runs as root: for another user by `sudo -n`. Throws AppError when it could not be run to its end. */
export type RemoteCommands = (
  ssh: SshClient,
  argv: readonly [string, ...string[]],
  options?: RemoteOptions,
) => Promise<RemoteResult>;

const usualLimitMs = 30_000;
const mostSessions = 6;
const mostRefusals = 10;
const refusalPauseMs = 200;
const keptStderr = 8 * 1024;
/** More than any file or listing that Berth reads of a server. */
const mostOutput = 64 * 1024 * 1024;

export function createRemoteCommands(): RemoteCommands {
  const places = createPlaces(mostSessions);

  return async function run(ssh, argv, { stdin, signal, limitMs = usualLimitMs } = {}) {
    const limit = AbortSignal.timeout(limitMs);
    const all = signal === undefined ? limit : AbortSignal.any([signal, limit]);
    const { username, serverName } = ssh.target;
    const text = quoteArgv(username === 'root' ? argv : ['sudo', '-n', '--', ...argv]);
    let refusals = 0;
    try {
      for (;;) {
        await places.take(all);
        try {
          const opened = await openSession(ssh, text, all);
          if (opened instanceof Error) {
            // Others of ours hold all that there are, or the server has not put away one that ended just now.
            if (places.open() === 1 && (refusals += 1) > mostRefusals) throw noSession(ssh.target, opened);
            if (places.open() === 1) await pause(refusalPauseMs, undefined, { signal: all });
            else places.lower();
            continue;
          }
          const result = await finish(opened, stdin, all);
          if (username !== 'root' && /^sudo: /m.test(result.stderr) && result.code === 1)
            throw noSudo(ssh.target, result.stderr.trim().slice(0, 200));
          return result;
        } finally {
          places.release();
        }
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!limit.aborted) throw error;
      throw new AppError(
        'SERVICE_UNAVAILABLE',
        `The program ${argv[0]} on ${serverName} did not end within ${limitMs / 1000} s.`,
        { cause: error },
      );
    }
  };
}

interface Session {
  channel: ClientChannel;
  /** Of the program; undefined until the server tells it. */
  code(): number | undefined;
}

/** An Error when the server refuses to open one. */
function openSession(
  { client, target }: SshClient,
  text: string,
  signal: AbortSignal,
): Promise<Session | Error> {
  return new Promise((resolve, reject) => {
    const cut = (cause: unknown): void =>
      reject(
        new AppError('SERVICE_UNAVAILABLE', `The connection to ${target.serverName} was cut.`, { cause }),
      );
    void aborted(signal).then(() => reject(signal.reason));
    try {
      client.exec(text, (error, channel) => {
        if (error === undefined) {
          let code: number | undefined;
          // At once: the end of a quick program may be in the same packet, and is told to who listens.
          channel.once('exit', (exitCode: number | null) => {
            code = exitCode ?? 255;
          });
          resolve({ channel, code: () => code });
        }
        // Only a refusal by the server has a number (RFC 4254, 5.1).
        else if ('reason' in error) resolve(error);
        else cut(error);
      });
    } catch (error) {
      cut(error);
    }
  });
}

function finish(
  { channel, code: codeOf }: Session,
  stdin: Readable | string | undefined,
  signal: AbortSignal,
): Promise<RemoteResult> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    let stderr = '';
    const stop = (error: unknown): void => {
      reject(error);
      channel.destroy();
    };
    const onAbort = (): void => stop(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    channel.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > mostOutput)
        stop(new AppError('SERVICE_UNAVAILABLE', 'A program there printed too much output.'));
      else pieces.push(piece);
    });
    channel.stderr.on('data', (piece: Buffer) => {
      stderr = (stderr + piece.toString('utf8')).slice(-keptStderr);
    });
    channel.once('error', stop);
    channel.once('close', () => {
      const code = codeOf();
      signal.removeEventListener('abort', onAbort);
      if (code === undefined)
        reject(new AppError('SERVICE_UNAVAILABLE', 'The connection to the server was cut during a command.'));
      else resolve({ code, stdout: Buffer.concat(pieces).toString('utf8'), stderr });
    });
    if (stdin === undefined || typeof stdin === 'string') channel.end(stdin);
    else stdin.once('error', stop).pipe(channel);
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
