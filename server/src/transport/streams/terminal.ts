/**
 * GET /api/exec: the WebSocket of a terminal (decisions 16). The handshake is a request like any other until
 * the caller is let in; then its connection is the socket's.
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

export const terminalPath = '/api/exec';
const target = { path: 'terminal.open', router: 'terminal', procedure: terminalContract.open };
/** Of one frame of a client, in bytes: a paste is cut into several. */
const longestFrame = 1024 * 1024;
const mostOfAUser = 20;
/** So long Berth's stop waits for the last frames. */
const stopLimitMs = 4000;

export interface TerminalRoute {
  guard: Pick<Guard, 'open'>;
  terminals: Terminals;
  limits: TerminalLimits;
}

/** What the HTTP server is made with: no other request becomes anything but a request. */
export const upgradesTerminals = (request: IncomingMessage): boolean =>
  request.url?.split('?', 1)[0] === terminalPath;

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
  const accept = (request: FastifyRequest, reply: FastifyReply): Promise<WebSocket> => {
    const { socket, head } = handshakeOf(handshakes, request);
    reply.hijack();
    reply.raw.detachSocket(reply.raw.socket ?? Object(socket));
    return new Promise((resolve) => sockets.handleUpgrade(request.raw, socket, head, resolve));
  };
  app.get(terminalPath, async (request, reply) => {
    try {
      handshakeOf(handshakes, request);
      requireOwnOrigin(request);
      await admitAndRun({ wire, route, open, request, reply, accept: () => accept(request, reply) });
    } catch (error) {
      await refuse(wire.toError(error, target.path), { request, reply, accept });
    }
  });
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
  request: FastifyRequest,
): { socket: Duplex; head: Buffer } {
  const handshake = handshakes.get(request.raw);
  if (handshake) return handshake;
  throw new AppError(
    'BAD_REQUEST',
    `${terminalPath} is a WebSocket: it needs the headers of its handshake (Connection: Upgrade, Upgrade: ` +
      'websocket). The guide on terminals tells what it takes.',
  );
}

interface Opening {
  wire: Wire;
  route: TerminalRoute;
  open: OpenTerminals;
  request: FastifyRequest;
  reply: FastifyReply;
  accept(): Promise<WebSocket>;
}

async function admitAndRun({ wire, route, open, request, reply, accept }: Opening): Promise<void> {
  const input = inputOf(request, target.procedure).value;
  const call = await route.guard.open(target, callerOf(request, reply, wire, { follow: true }), input);
  let close = (): void => undefined;
  const cut = new AbortController();
  try {
    close = open.count(call.actor.userId);
    const opened = await openFor(route, call, cut.signal);
    await call.audit('done');
    const socket = await accept();
    const { window } = terminalContract.open.input.parse(call.input);
    await open.during(
      runSession(socket, {
        opened,
        window,
        cut,
        limits: route.limits,
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

async function openFor(
  { terminals }: TerminalRoute,
  { actor, input, audit }: OpenCall,
  signal: AbortSignal,
): Promise<OpenedTerminal> {
  try {
    return await terminals.open(actor.organizationId, terminalContract.open.input.parse(input), signal);
  } catch (error) {
    await audit(error instanceof AppError ? error.code : 'INTERNAL_SERVER_ERROR');
    throw error;
  }
}

/** In the answer to the handshake; to a browser, which cannot read that, in the socket. */
async function refuse(
  error: AppError,
  {
    request,
    reply,
    accept,
  }: {
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
  const answer = errorAnswer(error, target.path, 'form-b');
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
  count(userId: string): () => void;
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
    count(userId) {
      const present = counts.get(userId) ?? 0;
      if (present >= mostOfAUser)
        throw new AppError(
          'TOO_MANY_REQUESTS',
          `You have ${present} terminals open, and a user may have ${mostOfAUser} at once. Close one first.`,
        );
      counts.set(userId, present + 1);
      return () => {
        const left = (counts.get(userId) ?? 1) - 1;
        if (left > 0) counts.set(userId, left);
        else counts.delete(userId);
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
