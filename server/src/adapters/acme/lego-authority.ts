/**
 * An ACME authority (RFC 8555) on loopback for one run of lego: it hands out one dns-01 challenge with a
 * token that another authority has given, and lets its check hang until the record may go; then that fails.
 */
import { createPublicKey, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Secret } from '../../domain/secrets/secret.ts';

export interface LegoAuthority extends AsyncDisposable {
  directoryUrl: string;
  /** Host and port, as lego names its folder. */
  host: string;
  /** Resolves when the record is set, and the program asks for the check. */
  asked: Promise<void>;
  /** Ends the check, upon which the program removes its record. */
  release(): void;
}

/** What lego waits for an answer is 30 s. */
const heldMs = 20_000;
const mostBody = 64 * 1024;

interface ChallengeGiven {
  accountKey: Secret;
  host: string;
  token: string;
}

interface Said {
  status?: number;
  headers?: Record<string, string>;
  body: object;
}

export async function legoAuthority(of: ChallengeGiven): Promise<LegoAuthority> {
  const secret = randomBytes(16).toString('hex');
  const server = createServer((request, response) => {
    void answered(request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const at = (path: string): string => `http://${host}/${secret}/${path}`;
  const { say, asked, release } = createAnswers(of, at);

  async function answered(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const signed = await bodyOf(request);
    const [, own, ...path] = (request.url ?? '').split('/');
    const said = own === secret ? await say(path.join('/'), signed) : undefined;
    const headers = { 'replay-nonce': randomBytes(12).toString('hex'), 'content-type': 'application/json' };
    const { status = said ? 200 : 400, body = {} } = said ?? {};
    response.writeHead(status, { ...headers, ...said?.headers }).end(JSON.stringify(body));
  }

  return {
    directoryUrl: at('directory'),
    host,
    asked,
    release,
    async [Symbol.asyncDispose]() {
      release();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Answers extends Pick<LegoAuthority, 'asked' | 'release'> {
  /** Undefined: a request that is no part of this run. */
  say(path: string, signed: string): Promise<Said | undefined>;
}

function createAnswers(of: ChallengeGiven, at: (path: string) => string): Answers {
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let [isOver, isAsked] = [false, false];
  const held = (): Promise<unknown> =>
    Promise.race([released.promise, pause(heldMs, undefined, { ref: false })]);
  const challenge = () => ({
    type: 'dns-01',
    url: at('challenge'),
    token: of.token,
    status: isOver ? 'invalid' : 'processing',
    ...(isOver ? { error: { type: 'urn:ietf:params:acme:error:malformed', detail: 'released' } } : {}),
  });
  const identifier = { type: 'dns', value: of.host };
  const [authorization, finalize] = [at('authorization'), at('-')];
  const answers: Readonly<Record<string, (signed: string) => Promise<Said | undefined> | Said | undefined>> =
    {
      directory: () => ({
        body: {
          newNonce: at('nonce'),
          newAccount: at('account'),
          newOrder: at('order'),
          revokeCert: finalize,
        },
      }),
      nonce: () => ({ body: {} }),
      // With another key the record would have another value.
      account: (signed) =>
        isSignedBy(of.accountKey, signed)
          ? { status: 201, headers: { location: at('account/1') }, body: { status: 'valid' } }
          : undefined,
      order: () => ({
        status: 201,
        headers: { location: at('order/1') },
        body: { status: 'pending', identifiers: [identifier], authorizations: [authorization], finalize },
      }),
      async challenge() {
        isAsked = true;
        asked.resolve();
        await held();
        return { headers: { link: `<${authorization}>;rel="up"` }, body: challenge() };
      },
      async authorization() {
        // Before it is for the challenge, or to give it up; afterwards for what became of it.
        if (isAsked) await held();
        return { body: { status: isOver ? 'invalid' : 'pending', identifier, challenges: [challenge()] } };
      },
    };
  return {
    say: async (path, signed) => (Object.hasOwn(answers, path) ? answers[path]?.(signed) : undefined),
    asked: asked.promise,
    release() {
      isOver = true;
      released.resolve();
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = Buffer.from(chunk as Uint8Array);
    bytes += part.length;
    if (bytes > mostBody) throw new Error('More was sent than an ACME request has.');
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Whether a request (RFC 7515) shows the key itself, as that for an account does (RFC 8555, 6.2). */
function isSignedBy(key: Secret, signed: string): boolean {
  const own = createPublicKey(key.reveal()).export({ format: 'jwk' });
  try {
    const { protected: header = '' } = JSON.parse(signed) as { protected?: string };
    const { jwk } = JSON.parse(Buffer.from(header, 'base64url').toString('utf8')) as {
      jwk?: { x?: unknown; y?: unknown };
    };
    return jwk?.x === own.x && jwk?.y === own.y;
  } catch {
    return false;
  }
}
