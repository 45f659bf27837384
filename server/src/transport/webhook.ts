/**
 * The addresses that git hosts call (decisions 11). The body is kept as it came, since signatures are made
 * over it.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../domain/errors.ts';
import { gitProviderNames, type GitProvider } from '../domain/git/git-host.ts';
import { errorAnswer } from './envelope.ts';
import { sendJson } from './wire.ts';

export interface HookDelivery {
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  body: Buffer;
  ip: string;
}

type HookKind = 'application' | 'compose';

/** What the addresses need of the product. */
export interface WebhookDoor {
  toService(kind: HookKind, token: string, delivery: HookDelivery, provider?: GitProvider): Promise<object>;
  toGithubApp(delivery: HookDelivery): Promise<object>;
  /** Throws NOT_FOUND where no service has the token; asked before the body is read. */
  expectsService(kind: HookKind, token: string): Promise<void>;
  /** Throws UNAUTHORIZED where no link is the App that the headers name; asked before the body is read. */
  expectsGithubApp(headers: HookDelivery['headers']): Promise<void>;
}

/**
 * A push of many commits names every file of each; GitHub's limit is 25 MB, which no push to deploy comes
 * near.
 */
const bodyLimitBytes = 5 * 1024 * 1024;

interface Addressed {
  Params: { token: string };
}

export function addWebhookRoutes(
  app: FastifyInstance,
  door: WebhookDoor,
  options: {
    kinds: readonly HookKind[];
    toError(error: unknown, path: string | undefined): AppError;
  },
): void {
  const refuse = (reply: FastifyReply, error: unknown): void => {
    const answer = errorAnswer(options.toError(error, 'webhook'), 'webhook', 'form-b');
    void reply.code(answer.status).headers(answer.headers);
    sendJson(reply, answer.body);
  };
  const answered =
    (work: (request: FastifyRequest<Addressed>) => Promise<object>) =>
    async (request: FastifyRequest<Addressed>, reply: FastifyReply): Promise<void> => {
      try {
        sendJson(reply, await work(request));
      } catch (error) {
        refuse(reply, error);
      }
    };
  // Asked before the body is read, which is of whoever reaches the port.
  const expects = (kind: HookKind) => (request: FastifyRequest<Addressed>) =>
    door.expectsService(kind, request.params.token);
  const expectsApp = (request: FastifyRequest) => door.expectsGithubApp(deliveryOf(request).headers);
  // A scope of its own, whose bodies nothing parses.
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: bodyLimitBytes },
      (_request, body, done) => done(null, body),
    );
    scope.setErrorHandler((error, _request, reply) => refuse(reply, tooLarge(error) ?? error));
    scope.post<Addressed>(
      '/api/deploy/github',
      { bodyLimit: bodyLimitBytes, onRequest: expectsApp },
      answered((request) => door.toGithubApp(deliveryOf(request))),
    );
    // A GitHub App has one address for all services.
    for (const provider of [undefined, ...gitProviderNames.filter((name) => name !== 'github')]) {
      scope.post<Addressed>(
        provider === undefined ? '/api/deploy/:token' : `/api/deploy/${provider}/:token`,
        { bodyLimit: bodyLimitBytes, onRequest: expects('application') },
        answered((request) =>
          door.toService('application', request.params.token, deliveryOf(request), provider),
        ),
      );
    }
    if (options.kinds.includes('compose'))
      scope.post<Addressed>(
        '/api/deploy/compose/:token',
        { bodyLimit: bodyLimitBytes, onRequest: expects('compose') },
        answered((request) => door.toService('compose', request.params.token, deliveryOf(request))),
      );
  });
}

function deliveryOf({ headers, body, ip }: FastifyRequest): HookDelivery {
  const single = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value[0] : value,
  ]);
  return { headers: Object.fromEntries(single), body: Buffer.isBuffer(body) ? body : Buffer.alloc(0), ip };
}

function tooLarge(error: unknown): AppError | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE')
    return undefined;
  return new AppError(
    'PAYLOAD_TOO_LARGE',
    'The body of the webhook is larger than 5 MiB. Push fewer commits at once, and deploy by hand.',
    { cause: error },
  );
}
