/** Every connection of Berth to an address that a user named begins here. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import { AppError } from '../../domain/errors.ts';
import type { OutgoingPolicy } from '../../domain/network/outgoing.ts';
import type { JudgedHost, Outgoing, OutgoingBy, OutgoingRequest } from '../../ports/outgoing.ts';
import { failureOf, portOf } from './connect.ts';
import { sendPackets } from './packets.ts';
import { exchangeMessage } from './exchange.ts';
import { createGatehouse } from './gate.ts';
import { requireOpenSignIn } from './registry-sign-in.ts';
import { judgeHost, systemLookUp, type LookUp } from './judge.ts';

export interface OutgoingOptions {
  policyOf(by: OutgoingBy): Promise<OutgoingPolicy>;
  lookUp?: LookUp;
}

export function createOutgoing({ policyOf, lookUp = systemLookUp }: OutgoingOptions): Outgoing {
  const gatehouse = createGatehouse();
  const judge: Outgoing['judge'] = async (host, by, port) =>
    judgeHost(host, await policyOf(by), lookUp, port);
  const judgeUrl = (url: URL, by: OutgoingBy): Promise<JudgedHost> => judge(url.hostname, by, portOf(url));
  return {
    judge,
    async registry(server, by, work) {
      if (server === '') return work();
      const [, host = server, port = '443'] = /^(.*?)(?::(\d+))?$/.exec(server) ?? [];
      const judged = await judge(host, by, Number(port));
      if (!(await policyOf(by)).reachesPrivate)
        await requireOpenSignIn(
          server,
          (request) => send(request, judged),
          (url) => judgeUrl(url, by),
        );
      return work().catch((error: unknown) => {
        if (judged.isScreened && error instanceof AppError && !registryWords.test(error.message))
          throw judged.fault('other');
        throw error;
      });
    },
    gate: (by, { namedPlain = false } = {}) =>
      gatehouse.open({ judge: (host, port) => judge(host, by, port), namedPlain }),
    send: async (packets, to, by) => sendPackets(packets, to, await judge(to.host, by, to.port)),
    exchange: async (message, to, by) => exchangeMessage(message, to, await judge(to.host, by, to.port)),
    async request(request, by) {
      const judged = await judgeUrl(new URL(request.url), by);
      const answered = await send(request, judged);
      return {
        status: answered.statusCode ?? 0,
        location: answered.headers.location,
        bucketRegion: headerOf(answered, 'x-amz-bucket-region'),
        replayNonce: headerOf(answered, 'replay-nonce'),
        retryAfter: answered.headers['retry-after'],
        body: limited(answered, request.maxBytes, judged.host),
      };
    },
  };
}

async function* limited(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  host: string,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > maxBytes)
      throw new AppError(
        'SERVICE_UNAVAILABLE',
        `${host} sent more than the ${maxBytes} bytes that Berth reads of such an answer.`,
      );
    yield piece;
  }
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** What only a registry says; anything else is the engine's word about the connection. */
const registryWords =
  /unauthorized|no basic auth|authentication required|incorrect username or password|denied|manifest unknown|not found/i;

/** `lookup` gives what was judged; a connection of its own, so that none made for others is used again. */
function send(
  { url, method, headers, body, rootCertificates, limitMs }: Omit<OutgoingRequest, 'maxBytes'>,
  judged: JudgedHost,
): Promise<IncomingMessage> {
  const start = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = start(url, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) },
      agent: false,
      ...(rootCertificates === undefined ? {} : { ca: rootCertificates }),
      lookup: judgedLookup(judged),
      signal: AbortSignal.timeout(limitMs),
    });
    request.once('response', resolve);
    request.once('error', (error) => {
      const isLate = error.name === 'AbortError' || error.name === 'TimeoutError';
      reject(judged.fault(isLate ? 'silent' : failureOf(error)));
    });
    request.end(body);
  });
}

function judgedLookup({ addresses }: JudgedHost): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_host, options, callback) => {
    if (options.all) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
}
