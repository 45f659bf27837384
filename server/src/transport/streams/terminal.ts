/**
 * GET /api/exec: the WebSocket of a terminal (decisions 16), and GET /api/forward: one connection to a port.
 * The handshake is a request like any other until the caller is let in; then its connection is the socket's.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { AppError, errorCodes } from '../../domain/errors.ts';
import { terminalContract } from '../../modules/terminal/contract.ts';
import type { OpenedTerminal, Terminals } from '../../modules/terminal/terminal.ts';
import type { Guard, OpenCall } from '../../procedure/guard.ts';
import { errorAnswer } from '../envelope.ts';
import { callerOf, inputOf } from '../request.ts';
import { requireOwnOrigin } from '../entrance/same-origin.ts';
import { closeWith, runSession, type TerminalLimits } from './terminal-session.ts';
import type { Wire } from '../wire.ts';

interface Kind {
  /** Where its handshake goes. */
  path: string;
  procedure: 'open' | 'forward';
  /** That a user may have at once. */
  most: number;
  /** Several of them, for people. */
  several: string;
  /** What limits it in place of the route's own limits. */
  limits?: Partial<TerminalLimits>;
  /** Throws for an input that is not of its procedure; the guard has parsed it. */
  openingOf(input: unknown): Opening;
}

interface Opening {
  window: number | undefined;
  open(terminals: Terminals, organizationId: string, signal: AbortSignal): Promise<OpenedTerminal>;
}

const kinds: readonly Kind[] = [
  {
    path: '/api/exec',
    procedure: 'open',
    most: 20,
    several: 'terminals',
    openingOf(value) {
      const input = terminalContract.open.input.parse(value);
      return {
        window: input.window,
        open: (terminals, organizationId, signal) => terminals.open(organizationId, input, signal),
      };
    },
  },
  {
    path: '/api/forward',
    procedure: 'forward',
    most: 50,
    several: 'forwarded connections',
    // Clients of databases keep connections that they do not use; a pool's are ended by their own limits.
    limits: { idleMs: 4 * 3_600_000 },
    openingOf(value) {
      const input = terminalContract.forward.input.parse(value);
      return {
        window: input.window,
        open: (terminals, organizationId, signal) => terminals.forward(organizationId, input, signal),
      };
    },
  },
];
/** The paths of the interface, each with the procedure that its handshake asks for. */
export const socketPaths = kinds.map(({ path, procedure }) => ({ path, procedure }));

const targetOf = ({ procedure }: Kind) => ({
  path: `terminal.${procedure}`,
  router: 'terminal',
  procedure: terminalContract[procedure],
});
/** Of one frame of a client, in bytes: a paste is cut into several. */
const longestFrame = 1024 * 1024;
/** So long Berth's stop waits for the last frames. */
const stopLimitMs = 4000;

export interface TerminalRoute {
  guard: Pick<Guard, 'open'>;
  terminals: Terminals;
  limits: TerminalLimits;
}

/** What the HTTP server is made with: no other request becomes anything but a request. */
export const upgradesTerminals = (request: IncomingMessage): boolean =>
  kinds.some(({ path }) => request.url?.split('?', 1)[0] === path);

export function addTerminals(app: FastifyInstance, wire: Wire, route: TerminalRoute): void {
  const handshakes = new WeakMap<IncomingMessage, { socket: Duplex; head: Buffer }>();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: longestFrame, clientTracking: false });
  const open = createOpenTerminals();
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // A connection that breaks off while it is judged.
    socket.on('error', () => undefined);
    handshakes.set(request, { socket, head });
    app.routing(request, responseOn(request, socket));
  });
  for (const kind of kinds) {
    const accept = (request: FastifyRequest, reply: FastifyReply): Promise<WebSocket> => {
      const { socket, head } = handshakeOf(handshakes, kind, request);
      reply.hijack();
      reply.raw.detachSocket(reply.raw.socket ?? Object(socket));
      return new Promise((resolve) => sockets.handleUpgrade(request.raw, socket, head, resolve));
    };
    app.get(kind.path, async (request, reply) => {
      try {
        handshakeOf(handshakes, kind, request);
        requireOwnOrigin(request);
        await admitAndRun({ kind, wire, route, open, request, reply, accept: () => accept(request, reply) });
      } catch (error) {
        const { path } = targetOf(kind);
        await refuse(wire.toError(error, path), { path, request, reply, accept });
      }
    });
  }
  app.addHook('preClose', () => open.stop());
}

/** The answer to a handshake is written as to any request, and closes the connection. */
function responseOn(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(request);
  response.assignSocket(Object(socket));
  response.shouldKeepAlive = false;
  response.once('finish', () => {
    if (response.socket) socket.end();
  });
  return response;
}

function handshakeOf(
  handshakes: WeakMap<IncomingMessage, { socket: Duplex; head: Buffer }>,
  { path }: Kind,
  request: FastifyRequest,
): { socket: Duplex; head: Buffer } {
  const handshake = handshakes.get(request.raw);
  if (handshake) return handshake;
  throw new AppError(
    'BAD_REQUEST',
    `${path} is a WebSocket: it needs the headers of its handshake (Connection: Upgrade, Upgrade: ` +
      'websocket). The guide on terminals tells what it takes.',
  );
}

interface Admission {
  kind: Kind;
  wire: Wire;
  route: TerminalRoute;
  open: OpenTerminals;
  request: FastifyRequest;
  reply: FastifyReply;
  accept(): Promise<WebSocket>;
}

async function admitAndRun({ kind, wire, route, open, request, reply, accept }: Admission): Promise<void> {
  const target = targetOf(kind);
  const input = inputOf(request, target.procedure).value;
  const call = await route.guard.open(target, callerOf(request, reply, wire, { follow: true }), input);
  let close = (): void => undefined;
  const cut = new AbortController();
  try {
    close = open.count(kind, call.actor.userId);
    const { window, open: begin } = kind.openingOf(call.input);
    const opened = await audited(call, () => begin(route.terminals, call.actor.organizationId, cut.signal));
    await call.audit('done');
    const socket = await accept();
    await open.during(
      runSession(socket, {
        opened,
        window,
        cut,
        limits: { ...route.limits, ...kind.limits },
        lost: call.lost,
        stopped: open.stopped,
        sentenceOf: (error) => wire.toError(error, target.path).message,
      }),
    );
  } finally {
    cut.abort();
    call.end();
    close();
  }
}

async function audited({ audit }: OpenCall, open: () => Promise<OpenedTerminal>): Promise<OpenedTerminal> {
  try {
    return await open();
  } catch (error) {
    await audit(error instanceof AppError ? error.code : 'INTERNAL_SERVER_ERROR');
    throw error;
  }
}

/** In the answer to the handshake; to a browser, which cannot read that, in the socket. */
async function refuse(
  error: AppError,
  {
    path,
    request,
    reply,
    accept,
  }: {
    path: string;
    request: FastifyRequest;
    reply: FastifyReply;
    accept(request: FastifyRequest, reply: FastifyReply): Promise<WebSocket>;
  },
): Promise<void> {
  if (reply.sent) return;
  const { httpStatus } = errorCodes[error.code];
  const isOfPage = request.headers.origin !== undefined && request.headers.upgrade !== undefined;
  if (isOfPage && isOwn(request)) {
    const { code, message } = error;
    const socket = await accept(request, reply);
    socket.on('error', () => undefined);
    await closeWith(
      socket,
      { type: 'end', reason: 'refused', code, httpStatus, message },
      4000 + httpStatus,
      message,
    );
    return;
  }
  const answer = errorAnswer(error, path, 'form-b');
  await reply
    .code(answer.status)
    .headers({ ...answer.headers, 'content-type': 'application/json; charset=utf-8' })
    .send(JSON.stringify(answer.body));
}

function isOwn(request: FastifyRequest): boolean {
  try {
    requireOwnOrigin(request);
    return true;
  } catch {
    return false;
  }
}

interface OpenTerminals {
  /** Counts one more of the user until what it gives is called; TOO_MANY_REQUESTS at the limit. */
  count(kind: Kind, userId: string): () => void;
  /** Fires when Berth stops. */
  stopped: AbortSignal;
  during(session: Promise<unknown>): Promise<void>;
  /** Ends all, and waits for their last frames. */
  stop(): Promise<void>;
}

function createOpenTerminals(): OpenTerminals {
  const counts = new Map<string, number>();
  const sessions = new Set<Promise<unknown>>();
  const stopping = new AbortController();
  return {
    stopped: stopping.signal,
    count({ path, most, several }, userId) {
      const key = `${path} ${userId}`;
      const present = counts.get(key) ?? 0;
      if (present >= most)
        throw new AppError(
          'TOO_MANY_REQUESTS',
          `You have ${present} ${several} open, and a user may have ${most} at once. Close one first.`,
        );
      counts.set(key, present + 1);
      return () => {
        const left = (counts.get(key) ?? 1) - 1;
        if (left > 0) counts.set(key, left);
        else counts.delete(key);
      };
    },
    async during(session) {
      sessions.add(session);
      try {
        await session;
      } finally {
        sessions.delete(session);
      }
    },
    async stop() {
      stopping.abort();
      let limit: NodeJS.Timeout | undefined;
      const late = new Promise((resolve) => (limit = setTimeout(resolve, stopLimitMs)));
      await Promise.race([Promise.allSettled(sessions), late]);
      clearTimeout(limit);
    },
  };
}
