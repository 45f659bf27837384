/**
 * What goes on between a WebSocket and the program behind it, until one of the two ends, or the right to it
 * does (the protocol: modules/terminal/contract.ts).
 */
import { WebSocket, type RawData } from 'ws';
import { z } from 'zod';
import type { OpenedTerminal } from '../../modules/terminal/terminal.ts';

export interface TerminalLimits {
  /** So long nothing may come from either side. */
  idleMs: number;
  /** Between two pings; who answers none of two is gone. */
  heartbeatMs: number;
}

export const defaultTerminalLimits: TerminalLimits = { idleMs: 15 * 60_000, heartbeatMs: 30_000 };

/** Why it ended, with the close code of each (RFC 6455, 7.4). */
const closeCodes = {
  exited: 1000,
  containerEnded: 1000,
  idle: 1000,
  left: 1000,
  stopped: 1001,
  badFrame: 1003,
  accessLost: 1008,
  unanswered: 1011,
  failed: 1011,
} as const;

export interface SessionEnd {
  reason: keyof typeof closeCodes;
  message: string;
  exitCode?: number;
}

export interface SessionOptions {
  opened: OpenedTerminal;
  /** Bytes that may be unacknowledged. */
  window: number | undefined;
  limits: TerminalLimits;
  /** Fires when access is lost, with what the caller would be refused with. */
  lost: AbortSignal;
  /** Fires when Berth stops. */
  stopped: AbortSignal;
  /** Cuts the connection with the program. */
  cut: AbortController;
  /** For people, of any fault. */
  sentenceOf(error: unknown): string;
}

const outputMarks = { stdout: 1, stderr: 2 } as const;
const closeLimitMs = 2000;
/** Of a close frame, in bytes. */
const longestReason = 120;

const size = z.number().int().min(1).max(1000);
const control = z.discriminatedUnion('type', [
  z.object({ type: z.literal('resize'), columns: size, rows: size }),
  z.object({ type: z.literal('endInput') }),
  z.object({ type: z.literal('ack'), bytes: z.number().int().min(0) }),
]);

/** Resolves when all is over: the socket closed, and what still ran told that its terminal is gone. */
export async function runSession(socket: WebSocket, options: SessionOptions): Promise<SessionEnd> {
  const { opened, cut } = options;
  const { serviceName, task, containerId, command } = opened;
  const session = watch(socket, options);
  socket.send(JSON.stringify({ type: 'opened', serviceName, task, containerId, command }));
  const hasEnded = send(socket, options, session).then(
    (end) => session.end(end),
    (error: unknown) => session.end({ reason: 'failed', message: options.sentenceOf(error) }),
  );
  const end = await session.over;
  await closeWith(socket, { type: 'end', ...end }, closeCodes[end.reason], end.message);
  cut.abort();
  await hasEnded;
  if (end.reason !== 'exited' && end.reason !== 'containerEnded') await opened.hangUp();
  return end;
}

/** Sends the last frame and closes; who does not answer is cut off. */
export async function closeWith(
  socket: WebSocket,
  last: object,
  code: number,
  message: string,
): Promise<void> {
  if (socket.readyState === WebSocket.CLOSED) return;
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const limit = setTimeout(() => socket.terminate(), closeLimitMs);
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(last));
  socket.close(code, shortened(message));
  await closed;
  clearTimeout(limit);
}

function shortened(message: string): string {
  let text = message;
  while (Buffer.byteLength(text) > longestReason) text = text.slice(0, -1);
  return text;
}

interface Session {
  over: Promise<SessionEnd>;
  end(end: SessionEnd): void;
  /** Something came or went. */
  isBusy(): void;
  /** Resolves when more output may be sent. */
  hasRoom(): Promise<void>;
  sent(bytes: number): void;
}

function watch(socket: WebSocket, options: SessionOptions): Session {
  const { window, limits, lost, stopped, opened } = options;
  const over = Promise.withResolvers<SessionEnd>();
  const acknowledged = createCredit(window);
  const end = (how: SessionEnd): void => {
    over.resolve(how);
    acknowledged.release();
  };
  const idle = setTimeout(
    () => end({ reason: 'idle', message: `Nothing came or went for ${limits.idleMs / 60_000} minutes.` }),
    limits.idleMs,
  );
  const onLost = (): void => end({ reason: 'accessLost', message: options.sentenceOf(lost.reason) });
  const onStopped = (): void =>
    end({ reason: 'stopped', message: 'Berth is being stopped or restarted. Connect again in a moment.' });
  lost.addEventListener('abort', onLost, { once: true });
  stopped.addEventListener('abort', onStopped, { once: true });
  if (lost.aborted) onLost();
  if (stopped.aborted) onStopped();
  const heart = keepAlive(socket, limits.heartbeatMs, () =>
    end({ reason: 'unanswered', message: 'The other side did not answer two pings.' }),
  );
  const isBusy = (): void => {
    idle.refresh();
    heart.isAlive();
  };
  socket.on('close', () => end({ reason: 'left', message: 'The other side has disconnected.' }));
  // Its close event follows.
  socket.on('error', () => undefined);
  receive(socket, { opened, acknowledged, isBusy, end, sentenceOf: options.sentenceOf });
  void over.promise.then(() => {
    clearTimeout(idle);
    heart.stop();
    lost.removeEventListener('abort', onLost);
    stopped.removeEventListener('abort', onStopped);
  });
  return { over: over.promise, end, isBusy, hasRoom: acknowledged.hasRoom, sent: acknowledged.sent };
}

/** Bytes that were sent and not acknowledged yet. */
function createCredit(window: number | undefined) {
  let [open, isOver] = [0, false];
  let room = Promise.withResolvers<void>();
  return {
    sent: (bytes: number) => void (open += bytes),
    add(bytes: number) {
      open = Math.max(0, open - bytes);
      room.resolve();
    },
    release() {
      isOver = true;
      room.resolve();
    },
    async hasRoom() {
      while (window !== undefined && open >= window && !isOver) {
        room = Promise.withResolvers<void>();
        await room.promise;
      }
    },
  };
}

/** Pings, and tells when neither they nor anything else was answered twice. */
function keepAlive(socket: WebSocket, everyMs: number, onSilence: () => void) {
  let unanswered = 0;
  const isAlive = (): void => void (unanswered = 0);
  socket.on('pong', isAlive).on('message', isAlive);
  const timer = setInterval(() => {
    // What is not read from cannot answer.
    if (socket.isPaused) isAlive();
    if (unanswered === 2) onSilence();
    else if (socket.readyState === WebSocket.OPEN) {
      unanswered += 1;
      socket.ping();
    }
  }, everyMs);
  return { isAlive, stop: () => clearInterval(timer) };
}

interface Receiving extends Pick<Session, 'end' | 'isBusy'>, Pick<SessionOptions, 'sentenceOf'> {
  opened: OpenedTerminal;
  acknowledged: { add(bytes: number): void };
}

function receive(
  socket: WebSocket,
  { opened: { program }, acknowledged, isBusy, end, sentenceOf }: Receiving,
): void {
  const failed = (error: unknown): void => end({ reason: 'failed', message: sentenceOf(error) });
  const bad = (message: string): void => end({ reason: 'badFrame', message });
  let work = Promise.resolve();
  /** One after another, and nothing more is read from the socket until the program took it. */
  const inTurn = (act: () => Promise<void> | void): void => {
    socket.pause();
    work = work
      .then(act)
      .catch(failed)
      .then(() => socket.resume());
  };
  socket.on('message', (data, isBinary) => {
    const bytes = bytesOf(data);
    if (isBinary) {
      isBusy();
      inTurn(() => program.write(bytes));
      return;
    }
    const frame = control.safeParse(jsonOf(bytes));
    if (!frame.success) bad(`A text frame is not a resize, endInput or ack: ${z.prettifyError(frame.error)}`);
    else if (frame.data.type === 'ack') acknowledged.add(frame.data.bytes);
    else {
      const { data: wanted } = frame;
      isBusy();
      inTurn(() => (wanted.type === 'resize' ? program.resize(wanted) : program.endInput()));
    }
  });
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** One piece after another, each when the one before it has left this process. */
async function send(
  socket: WebSocket,
  { opened, cut }: SessionOptions,
  session: Session,
): Promise<SessionEnd> {
  try {
    for await (const { stream, bytes } of opened.program.output) {
      await session.hasRoom();
      if (socket.readyState !== WebSocket.OPEN) break;
      await sent(socket, Buffer.concat([Buffer.of(outputMarks[stream]), bytes]));
      session.sent(bytes.length);
      session.isBusy();
    }
  } catch (error) {
    if (!cut.signal.aborted) throw error;
  }
  if (cut.signal.aborted) return { reason: 'left', message: 'The connection was cut.' };
  const exitCode = await opened.ended();
  if (exitCode === undefined)
    return { reason: 'containerEnded', message: 'The container has ended, and what ran in it.' };
  return { reason: 'exited', message: `The program ended with the exit code ${exitCode}.`, exitCode };
}

/** Resolves once it was handed to the system, or cannot be any more. */
function sent(socket: WebSocket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => socket.send(bytes, { binary: true }, () => resolve()));
}
