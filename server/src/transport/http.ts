/** The HTTP server: one catch-all route per form; everything else is a fixed handful of routes. */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';
import { AppError } from '../domain/errors.ts';
import type { Guard } from '../procedure/guard.ts';
import type { Registry } from '../procedure/registry.ts';
import { randomId } from '../ports/clock.ts';
import { addCompression } from './compress.ts';
import { addCommandLine } from './files/command-line.ts';
import { addDashboard } from './files/dashboard.ts';
import { addDocs } from './openapi/docs.ts';
import { servedDocument } from './openapi/served-document.ts';
import { errorAnswer, toAppError, type FaultLog } from './envelope.ts';
import { addAnswerHeaders, answerHeaders } from './entrance/answer-headers.ts';
import type { CookieJar } from './entrance/cookies.ts';
import { familyList, familyListPath, familyPrefix, familyWire } from './family.ts';
import { answerFormA } from './form-a.ts';
import { answerFormB, answerPage } from './form-b.ts';
import { answerLog } from './streams/log-download.ts';
import { answerMetrics } from './metrics.ts';
import { createLiveStreams } from './streams/live-streams.ts';
import { credentialsOf, isTrpcClient, type Authenticate } from './request.ts';
import { addTerminals, upgradesTerminals } from './streams/terminal.ts';
import { defaultTerminalLimits, type TerminalLimits } from './streams/terminal-session.ts';
import type { Terminals } from '../modules/terminal/terminal.ts';
import { defaultStreamLimits, type StreamLimits } from './streams/stream.ts';
import {
  defaultRequestLimits,
  limitBodies,
  limitConnections,
  type RequestLimits,
} from './entrance/request-limits.ts';
import type { TrustProxy } from './entrance/trusted-proxies.ts';
import { sendJson, type Wire } from './wire.ts';
import { everyVerb, refuseWrongVerbs } from './wrong-verb.ts';

const bodyLimitBytes = 1024 * 1024;
const headerLimitBytes = 64 * 1024;
/** So long the rest of a broken request is read after its answer. */
const brokenRequestLimitMs = 2000;

export interface HttpOptions {
  registry: Registry;
  guard: Guard;
  authenticate: Authenticate;
  cookies: CookieJar;
  /** Whose X-Forwarded-For is believed; absent: nobody's. */
  trustProxy?: TrustProxy;
  log: FaultLog;
  version: string;
  uploadLimit(): Promise<number>;
  streamLimits?: StreamLimits;
  requestLimits?: RequestLimits;
  /** Live streams of one user at once. */
  liveStreamLimit(): Promise<number>;
  /** Bytes of a stream's events in one JSON. */
  answerLimit(): Promise<number>;
  /** Programs in running containers; absent: none can be opened. */
  terminals?: { terminals: Terminals; limits?: TerminalLimits } | undefined;
  /** Told of each answer, by its status. */
  answered?(status: number): void;
  /** The OpenAPI document as text; made when first asked for. */
  openapi(): string;
  /** Where the built dashboard lies; without it the page at `/` says so. */
  dashboardFolder?: string | undefined;
  /** The command line in one file; absent: it is not served. */
  commandLineFile?: string | undefined;
  /** Where Swagger UI lies, for `/docs`; without it that of the package. */
  referenceFolder?: string | undefined;
}

export function createHttpServer(options: HttpOptions): FastifyInstance {
  const answerFault = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const isFormA = /^(?:\/compat)?\/api\/trpc\//.test(request.url);
    const answer = errorAnswer(
      wire.toError(error, undefined),
      procedureOf(request),
      isFormA ? (isTrpcClient(request) ? 'trpc' : 'form-a') : 'form-b',
    );
    // What is no address has met no hook.
    void reply.code(answer.status).headers({ ...answerHeaders, ...answer.headers });
    sendJson(reply, answer.body);
  };
  const app = Fastify({
    ...libraryOptions,
    trustProxy: options.trustProxy ?? false,
    frameworkErrors: answerFault,
  });
  const wire = wireOf(options);
  addAnswerHeaders(app);
  refuseWrongVerbs(app);
  refuseEncodings(app);
  acceptBodies(app);
  addCompression(app);
  limitRequests(app, wire, options);

  for (const prefix of ['', familyPrefix])
    app.get(`${prefix}/api/health`, (_request, reply) =>
      sendJson(reply, { ok: true, version: options.version }),
    );
  addDocument(app, '/api/openapi.json', options.openapi);
  if (options.terminals)
    addTerminals(app, wire, { guard: options.guard, limits: defaultTerminalLimits, ...options.terminals });
  addForms(app, wire, '');
  addForms(app, familyWire(wire), familyPrefix);
  addDocument(app, familyListPath, () => JSON.stringify(familyList(options.registry)));

  app.get('/metrics', (request, reply) => answerMetrics(wire, request, reply));
  app.get<{ Params: { deploymentId: string } }>('/api/deployments/:deploymentId/log', (request, reply) =>
    answerLog(wire, request, reply, request.params.deploymentId),
  );
  app.addHook('onResponse', async (_request, reply) => options.answered?.(reply.statusCode));

  addDocs(app, options.referenceFolder);
  addCommandLine(app, options.commandLineFile);
  const dashboard = addDashboard(app, options.dashboardFolder);

  app.setNotFoundHandler((request, reply) => {
    const ofDashboard = dashboard.answer(request, reply);
    if (ofDashboard !== undefined) return ofDashboard;
    const answer = errorAnswer(
      new AppError(
        'NOT_FOUND',
        `There is nothing at ${request.url.slice(0, 200)}. The interface is below /api; its document is ` +
          '/api/openapi.json.',
      ),
      undefined,
      'form-b',
    );
    void reply.code(404);
    sendJson(reply, answer.body);
    return undefined;
  });
  app.setErrorHandler(answerFault);
  return app;
}

/** Both forms below a prefix. */
function addForms(app: FastifyInstance, wire: Wire, prefix: string): void {
  app.route<{ Params: { '*': string } }>({
    method: everyVerb,
    url: `${prefix}/api/trpc/*`,
    handler: (request, reply) => answerFormA(wire, request, reply, request.params['*']),
  });
  app.route<{ Params: { path: string } }>({
    method: everyVerb,
    url: `${prefix}/api/:path`,
    handler: (request, reply) => answerFormB(wire, request, reply, request.params.path),
  });
  app.route<{ Params: { path: string } }>({
    method: everyVerb,
    url: `${prefix}/api/:path/page`,
    handler: (request, reply) => answerPage(wire, request, reply, request.params.path),
  });
}

/** No route has a schema of Fastify's: inputs are checked by the guard, and answers by the contract. */
const noSchemas = (): never => {
  throw new Error('No route of Berth has a schema for Fastify to compile.');
};

const libraryOptions = {
  // Its own would load two compilers of schemas with each start: 10 ms and 2 MB.
  schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
  bodyLimit: bodyLimitBytes,
  http: { maxHeaderSize: headerLimitBytes, shouldUpgradeCallback: upgradesTerminals },
  clientErrorHandler: answerBrokenRequest,
  forceCloseConnections: true,
  routerOptions: { maxParamLength: 8192 },
};

function wireOf(options: HttpOptions): Wire {
  return {
    registry: options.registry,
    listPath: '/api/openapi.json',
    guard: options.guard,
    authenticate: options.authenticate,
    cookies: options.cookies,
    uploadLimit: options.uploadLimit,
    send: sendJson,
    streamLimits: options.streamLimits ?? defaultStreamLimits,
    liveStreams: createLiveStreams(options.liveStreamLimit),
    answerLimit: options.answerLimit,
    toError: (error, path) => toAppError(error, path, options.log, () => randomId(12)),
  };
}

/**
 * JSON is parsed by Fastify's own parser, which refuses `__proto__`; uploads stay unread; an empty body is no
 * input.
 */
function acceptBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '' || body.length === 0) done(null, {});
    else void parseJson(request, String(body), done);
  });
  for (const type of streamedTypes) {
    app.addContentTypeParser(type, (_request, _payload, done) => done(null, undefined));
  }
}

function limitRequests(
  app: FastifyInstance,
  wire: Wire,
  { requestLimits = defaultRequestLimits, trustProxy = () => false }: HttpOptions,
): void {
  limitConnections(app, requestLimits, trustProxy);
  limitBodies(app, requestLimits, {
    isSignedIn: (request) => hasGoodCredentials(wire, request),
    isStreamed: (type) => streamedTypes.some((pattern) => pattern.test(type)),
  });
}

/** Content types of uploads, which no parser keeps in memory. */
const streamedTypes = [
  /^multipart\/form-data/,
  /^application\/(zip|x-zip-compressed|gzip|x-gzip|x-tar|octet-stream)/,
];

/** Whether the request carries a session or a key that is valid; counts against no limit of the key. */
async function hasGoodCredentials(
  { authenticate, cookies }: Wire,
  request: FastifyRequest,
): Promise<boolean> {
  try {
    await authenticate(credentialsOf(request, cookies), true);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** No body is taken that first has to be unpacked: its size would say nothing of what it becomes. */
function refuseEncodings(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const encoding = request.headers['content-encoding'];
    if (encoding === undefined || encoding.trim().toLowerCase() === 'identity') return done();
    done(
      new AppError(
        'UNSUPPORTED_MEDIA_TYPE',
        `The body has the Content-Encoding ${JSON.stringify(encoding.slice(0, 50))}. Send it as it is, ` +
          'without one.',
        { headers: { 'accept-encoding': 'identity' } },
      ),
    );
  });
}

function procedureOf(request: FastifyRequest): string | undefined {
  const [, name] = /^(?:\/compat)?\/api\/(?:trpc\/)?([a-zA-Z]+\.[a-zA-Z]+)/.exec(request.url) ?? [];
  return name;
}

/** What is no HTTP, or has headers beyond the limit, gets our envelope too instead of a bare status line. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  // What still comes of a request that was answered already: read and dropped, since closing now would take
  // the answer from whoever is still writing.
  if (socket.writableEnded && error.code !== 'ECONNRESET') return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const isTooLong = error.code === 'HPE_HEADER_OVERFLOW';
  const refusal = isTooLong
    ? new AppError(
        'PAYLOAD_TOO_LARGE',
        'The address and headers are longer than 64 KiB. Send large input in a POST body.',
      )
    : new AppError('BAD_REQUEST', 'The request is not valid HTTP.');
  const { status, body } = errorAnswer(refusal, undefined, 'form-b');
  const text = JSON.stringify(body);
  const limit = setTimeout(() => socket.destroy(), brokenRequestLimitMs);
  socket.once('close', () => clearTimeout(limit));
  socket.end(
    `HTTP/1.1 ${status} ${isTooLong ? 'Payload Too Large' : 'Bad Request'}\r\ncontent-type: ` +
      `application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: ` +
      `close\r\n\r\n${text}`,
  );
}

/** A large document that everybody may ask for. */
function addDocument(app: FastifyInstance, path: string, textOf: () => string): void {
  const document = servedDocument('application/json; charset=utf-8', textOf);
  app.get(path, (request, reply) => document(request, reply));
}
