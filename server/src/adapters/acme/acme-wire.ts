/** Signed requests to one authority: nonces, answers, problems (RFC 8555, 6). */
import type { z } from 'zod';
import type { AcmeProblem } from '../../domain/certificates/acme-problem.ts';
import type { JwsKey } from '../../domain/certificates/jws.ts';
import { AppError } from '../../domain/errors.ts';
import type { AcmeAuthority } from '../../ports/certificates/acme.ts';
import type { Clock } from '../../ports/clock.ts';
import { endUnread, textOfAnswer, type Outgoing, type OutgoingAnswer } from '../../ports/outgoing.ts';
import { acmeDirectory, acmeProblem } from './acme-shapes.ts';

export interface WirePorts {
  outgoing: Pick<Outgoing, 'request'>;
  clock: Clock;
}

export interface AcmeAnswer<T> {
  found: T;
  location: string | undefined;
  /** Milliseconds after which the authority wants to be asked again. */
  retryAfterMs: number | undefined;
}

export interface AcmeWire {
  directory: z.infer<typeof acmeDirectory>;
  /** Binds what is posted from now on to this account's address. */
  useAccount(url: string): void;
  /** `payload` undefined reads (POST-as-GET). Throws `AcmeRefusal` for what the authority refuses. */
  post<T>(shape: z.ZodType<T>, url: string, payload: unknown): Promise<AcmeAnswer<T>>;
  /** The same for a text that is not JSON. */
  postForText(url: string): Promise<string>;
}

/** A refusal in the authority's own words; whoever knows the names makes a sentence of it. */
export class AcmeRefusal extends Error {
  readonly problem: AcmeProblem;
  readonly retryAfterMs: number | undefined;

  constructor(problem: AcmeProblem, retryAfterMs: number | undefined) {
    super(`${problem.type}: ${problem.detail}`);
    this.name = 'AcmeRefusal';
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }
}

const limitMs = 20_000;
const maxBytes = 256 * 1024;
/** A nonce may be refused although it is new (RFC 8555, 6.5.1). */
const mostTries = 4;

export async function openWire(ports: WirePorts, authority: AcmeAuthority, key: JwsKey): Promise<AcmeWire> {
  const { host } = new URL(authority.directoryUrl);
  const send = senderOf(ports, authority);
  const directory = await readDirectory(await send('GET', authority.directoryUrl), host);
  let kid: string | undefined;
  let nonce: string | undefined;

  async function newNonce(): Promise<string> {
    const answer = await send('HEAD', directory.newNonce);
    await endUnread(answer);
    if (answer.replayNonce === undefined) throw notAcme(host);
    return answer.replayNonce;
  }
  async function ask(url: string, payload: unknown): Promise<OutgoingAnswer> {
    for (let tries = 1; ; tries += 1) {
      const signed = key.sign({ url, nonce: nonce ?? (await newNonce()), kid }, payload);
      const answer = await send('POST', url, JSON.stringify(signed));
      nonce = answer.replayNonce;
      if (answer.status < 400) return answer;
      const refusal = await refusalOf(answer, ports.clock);
      if (!refusal.problem.type.endsWith(':badNonce') || tries >= mostTries) throw refusal;
    }
  }
  return {
    directory,
    useAccount: (url) => void (kid = url),
    async post(shape, url, payload) {
      const answer = await ask(url, payload);
      return {
        found: parsed(shape, await jsonOf(answer, host), host),
        location: answer.location,
        retryAfterMs: delayOf(answer, ports.clock),
      };
    },
    postForText: async (url) => textOfAnswer(await ask(url, undefined)),
  };
}

type Send = (method: string, url: string, body?: string) => Promise<OutgoingAnswer>;

function senderOf({ outgoing }: WirePorts, { by, rootCertificates }: AcmeAuthority): Send {
  return (method, url, body) =>
    outgoing.request(
      {
        url: httpsOnly(url),
        method,
        body,
        limitMs,
        maxBytes,
        rootCertificates: rootCertificates ?? undefined,
        headers: {
          'user-agent': 'berth',
          ...(body === undefined ? {} : { 'content-type': 'application/jose+json' }),
        },
      },
      by,
    );
}

/** What an authority names is reached over https alone, as its directory is (RFC 8555, 6.1). */
function httpsOnly(url: string): string {
  if (URL.parse(url)?.protocol === 'https:') return url;
  throw new AppError(
    'PRECONDITION_FAILED',
    'The certificate authority names an address that is not https. Check directoryUrl of the certificate ' +
      'resolver, or acmeDirectory of the settings.',
  );
}

async function readDirectory(answer: OutgoingAnswer, host: string): Promise<z.infer<typeof acmeDirectory>> {
  if (answer.status !== 200) {
    await endUnread(answer);
    throw answer.status >= 500
      ? new AppError(
          'SERVICE_UNAVAILABLE',
          `The certificate authority at ${host} cannot answer now (${answer.status}). It is asked again ` +
            'automatically.',
        )
      : notAcme(host);
  }
  return parsed(acmeDirectory, await jsonOf(answer, host), host);
}

async function jsonOf(answer: OutgoingAnswer, host: string): Promise<unknown> {
  const text = await textOfAnswer(answer).catch((cause: unknown) => {
    throw notAcme(host, cause);
  });
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notAcme(host, cause);
  }
}

function parsed<T>(shape: z.ZodType<T>, value: unknown, host: string): T {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  throw notAcme(host, result.error);
}

async function refusalOf(answer: OutgoingAnswer, clock: Clock): Promise<AcmeRefusal> {
  const text = await textOfAnswer(answer).catch(() => '');
  const found = acmeProblem.safeParse(asJson(text));
  const problem = found.success
    ? found.data
    : { type: answer.status >= 500 ? serverInternal : '', detail: `status ${answer.status}` };
  return new AcmeRefusal(problem, delayOf(answer, clock));
}

const serverInternal = 'urn:ietf:params:acme:error:serverInternal';

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `Retry-After` has seconds or a date (RFC 9110, 10.2.3). */
function delayOf({ retryAfter }: OutgoingAnswer, clock: Clock): number | undefined {
  if (retryAfter === undefined) return undefined;
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - clock.now();
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

function notAcme(host: string, cause?: unknown): AppError {
  return new AppError(
    'PRECONDITION_FAILED',
    `${host} does not answer as an ACME authority does. Check directoryUrl of the certificate resolver, or ` +
      'acmeDirectory of the settings.',
    { cause },
  );
}
