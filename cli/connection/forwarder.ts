/** A port of this machine of which each connection leads to a port of a service, through Berth. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Connection } from '../../client/call.ts';
import { BerthError } from '../../client/berth-error.ts';
import { UsageError } from '../usage-error.ts';
import { openSocket } from './socket.ts';

export interface Target {
  serviceId: string;
  serviceName?: string | undefined;
  port: number;
}

export interface ForwardOptions {
  connection: Connection;
  target: Target;
  /** 0: one that is free. */
  localPort: number;
  signal: AbortSignal;
  /** Of a connection that came to nothing, for people. */
  say(sentence: string): void;
}

export interface Forwarder {
  /** Where it listens, on 127.0.0.1. */
  port: number;
  /** Resolves when it was told to stop; rejects with a refusal that no further try can change. */
  ended: Promise<void>;
  close(): void;
}

/** What another connection would be refused with, too. */
const lasting: ReadonlySet<string> = new Set(['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'BAD_REQUEST']);

/** Throws UsageError when the port is taken. */
export async function forwardPort(options: ForwardOptions): Promise<Forwarder> {
  const { localPort, signal, say } = options;
  const stop = new AbortController();
  const over = Promise.withResolvers<void>();
  over.promise.catch(() => undefined);
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (local) => {
    local.on('error', () => local.destroy());
    carry(local, options, stop.signal).catch((error: unknown) => {
      local.destroy();
      if (stop.signal.aborted) return;
      if (!(error instanceof BerthError)) over.reject(error);
      else if (lasting.has(error.code)) over.reject(error);
      else say(error.message);
    });
  });
  const close = (): void => {
    stop.abort();
    server.close();
    over.resolve();
  };
  server.listen(localPort, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new UsageError(
      `Port ${localPort} of this machine cannot be opened: it is in use or reserved. Choose another one ` +
        'with --local PORT.',
      { cause },
    );
  }
  if (signal.aborted) close();
  signal.addEventListener('abort', close, { once: true });
  const at = server.address();
  return { port: typeof at === 'object' && at ? at.port : localPort, ended: over.promise, close };
}

async function carry(
  local: Socket,
  { connection, target, say }: ForwardOptions,
  signal: AbortSignal,
): Promise<void> {
  let reason = '';
  const socket = await openSocket(connection, {
    path: 'forward',
    input: target,
    signal,
    async take(bytes, from) {
      if (from === 'errors') reason += Buffer.from(bytes).toString();
      // Who has left takes nothing more, and need not be waited for.
      else if (!local.write(bytes) && !local.destroyed) await drained(local);
    },
  });
  const cut = (): void => socket.close();
  signal.addEventListener('abort', cut, { once: true });
  local.once('close', cut);
  const sending = (async () => {
    for await (const bytes of local) await socket.send(bytes);
    socket.tell({ type: 'endInput' });
  })();
  // A local program that breaks its connection off ends the other side, too.
  sending.catch(cut);
  const { exitCode, reason: how, message } = await socket.ended;
  signal.removeEventListener('abort', cut);
  local.end();
  if (how === 'exited' && exitCode !== 0)
    say(`Nothing accepted the connection to port ${target.port} of the service${wordsOf(reason)}.`);
  else if (how !== 'exited' && how !== 'left') say(message);
}

/** Of the program in the container: `nc: can't connect to remote host (10.0.1.4): Connection refused`. */
function wordsOf(reason: string): string {
  const said = /: ([^:\n]+)\s*$/.exec(reason)?.[1];
  return said === undefined ? '' : `: ${said.toLowerCase()}`;
}

async function drained(local: Socket): Promise<void> {
  await Promise.race([once(local, 'drain'), once(local, 'close')]);
}
