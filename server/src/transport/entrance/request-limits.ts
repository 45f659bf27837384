/**
 * Limits of connections and of bodies that are read before their sender is known, so that whoever reaches the
 * port cannot take memory and file descriptors.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';
import { pipeline, Transform } from 'node:stream';
import { AppError } from '../../domain/errors.ts';
import { plainAddress } from './trusted-proxies.ts';

export interface RequestLimits {
  /** Connections at once, and those of one address that is no named proxy. */
  connections: number;
  connectionsPerAddress: number;
  /** Bytes of a body that count against no budget: a sign-in needs less. */
  smallBodyBytes: number;
  /** Bytes of bodies in memory at once whose senders are unknown, and those from one address. */
  anonymousBytes: number;
  anonymousBytesPerAddress: number;
  /** Until a body that is kept in memory has to be whole. */
  bodyTimeoutMs: number;
  /** Until the rest of a request that was answered early has to be there. */
  restTimeoutMs: number;
}

const mebibyte = 1024 * 1024;

export const defaultRequestLimits: RequestLimits = {
  connections: 4000,
  connectionsPerAddress: 1000,
  smallBodyBytes: 16 * 1024,
  anonymousBytes: 64 * mebibyte,
  anonymousBytesPerAddress: 16 * mebibyte,
  bodyTimeoutMs: 60_000,
  restTimeoutMs: 10_000,
};

/** Ends a connection above the limits as soon as it is made; `isProxy` names addresses that many share. */
export function limitConnections(
  app: FastifyInstance,
  { connections, connectionsPerAddress }: RequestLimits,
  isProxy: (address: string) => boolean,
): void {
  app.server.maxConnections = connections;
  const open = new Map<string, number>();
  app.server.on('connection', (socket: Socket) => {
    // Connections over the proxy's own socket have no address.
    const address = plainAddress(socket.remoteAddress ?? '');
    if (address === '' || isProxy(address)) return;
    const count = (open.get(address) ?? 0) + 1;
    if (count > connectionsPerAddress) {
      socket.destroy();
      return;
    }
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  });
}

/** Whether the request's own credentials are good; asked only when the budget is used up. */
export type IsSignedIn = (request: FastifyRequest) => Promise<boolean>;

/**
 * Counts what JSON bodies and deliveries of webhooks hold in memory. Above the budget a sender has to be
 * signed in; others get 503. `isStreamed` names content types that no parser keeps.
 */
export function limitBodies(
  app: FastifyInstance,
  limits: RequestLimits,
  { isSignedIn, isStreamed }: { isSignedIn: IsSignedIn; isStreamed: (contentType: string) => boolean },
): void {
  const budget = createBudget(limits);
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!hasBody(request) || isStreamed(request.headers['content-type'] ?? '')) return done(null, payload);
    const account = budget.open(request.ip);
    reply.raw.once('close', account.close);
    const counted = countedBody(limits, account, () => isSignedIn(request));
    // The parser hears of what goes wrong by the stream itself.
    pipeline(payload, counted, () => undefined);
    done(null, counted);
  });
  app.addHook('onResponse', async (request) => endRest(request, limits.restTimeoutMs));
}

const hasBody = ({ headers, method }: FastifyRequest): boolean =>
  method !== 'GET' &&
  method !== 'HEAD' &&
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);

interface Account {
  /** Takes bytes; false when the budget does not have them. */
  take(bytes: number): boolean;
  close(): void;
}

function createBudget({ anonymousBytes, anonymousBytesPerAddress }: RequestLimits): {
  open(address: string): Account;
} {
  let total = 0;
  const perAddress = new Map<string, number>();
  return {
    open(address) {
      let held = 0;
      return {
        take(bytes) {
          const ofAddress = (perAddress.get(address) ?? 0) + bytes;
          if (total + bytes > anonymousBytes || ofAddress > anonymousBytesPerAddress) return false;
          total += bytes;
          held += bytes;
          perAddress.set(address, ofAddress);
          return true;
        },
        close() {
          const left = (perAddress.get(address) ?? 0) - held;
          total -= held;
          held = 0;
          if (left > 0) perAddress.set(address, left);
          else perAddress.delete(address);
        },
      };
    },
  };
}

/** Passes a body on, and ends it when it takes too long, or when the budget of unknown senders is used up. */
function countedBody(
  { smallBodyBytes, bodyTimeoutMs }: RequestLimits,
  account: Account,
  isSignedIn: () => Promise<boolean>,
): Transform {
  let bytes = 0;
  let isKnown = false;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const free = Math.max(0, smallBodyBytes - bytes);
      bytes += chunk.length;
      const charged = chunk.length - free;
      if (isKnown || charged <= 0 || account.take(charged)) return done(null, chunk);
      isSignedIn().then((is) => {
        isKnown = is;
        if (is) done(null, chunk);
        else done(crowded());
      }, done);
    },
  });
  // Nobody reads the rest of a body that was answered early; its end must not end Berth.
  counted.on('error', () => undefined);
  const timer = setTimeout(() => counted.destroy(tooSlow(bodyTimeoutMs, bytes)), bodyTimeoutMs);
  counted.once('close', () => clearTimeout(timer));
  return counted;
}

/** Ends the connection when the rest of an answered request does not come. */
function endRest({ raw }: FastifyRequest, timeoutMs: number): void {
  if (raw.complete) return;
  const timer = setTimeout(() => raw.destroy(), timeoutMs);
  const clear = (): void => clearTimeout(timer);
  raw.once('close', clear).once('end', clear);
}

const crowded = (): AppError =>
  new AppError(
    'SERVICE_UNAVAILABLE',
    'Too many requests without valid credentials are sending large bodies at the moment. Sign in, or send ' +
      'an API key, or try again in 10 seconds.',
    { retryAfterMs: 10_000 },
  );

const tooSlow = (timeoutMs: number, bytes: number): AppError =>
  new AppError(
    'BAD_REQUEST',
    `The body was not complete after ${timeoutMs / 1000} s; ${bytes} bytes had arrived. Send it again over ` +
      'a faster connection, or send less.',
  );
