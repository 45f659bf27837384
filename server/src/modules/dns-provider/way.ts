/** Requests to DNS providers: through the gate, bounded, their refusals in sentences. */
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import { oneAtATimePerKey } from '../../domain/time/one-at-a-time.ts';
import type { Clock } from '../../ports/clock.ts';
import { textOfAnswer, type Outgoing, type OutgoingAnswer, type OutgoingBy } from '../../ports/outgoing.ts';
import type { HttpCall, ProviderWay } from './kinds/kind.ts';

export interface WayDeps {
  outgoing: Pick<Outgoing, 'request' | 'exchange'>;
  clock: Clock;
}

const limitMs = 15_000;
const maxBytes = 1024 * 1024;

/** For what a provider is asked on behalf of an organization; `kind` as people know it. */
export function createWays({ outgoing, clock }: WayDeps) {
  const inTurn = oneAtATimePerKey();
  return (kind: { label: string; rights: string }, by: OutgoingBy): ProviderWay => {
    const askText: ProviderWay['askText'] = async (call) => {
      const { url, method, headers = {}, body, absent = [404] } = call;
      const text = textOfBody(body);
      const answer = await outgoing.request(
        {
          url,
          method,
          limitMs,
          maxBytes,
          body: text,
          headers: {
            accept: 'application/json',
            'user-agent': 'berth',
            ...(text === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
        },
        by,
      );
      const said = await textOfAnswer(answer).catch((cause: unknown) => {
        throw unreadable(kind.label, cause);
      });
      if (absent.includes(answer.status)) return undefined;
      if (answer.status < 200 || answer.status >= 300) throw refusal(kind, answer, said, call);
      return said;
    };
    return {
      askText,
      async ask(shape, call) {
        const text = await askText(call);
        if (text === undefined) return undefined;
        const parsed = shape.safeParse(asJson(text, kind.label));
        if (parsed.success) return parsed.data;
        throw unreadable(kind.label, parsed.error);
      },
      exchange: (message, to) => outgoing.exchange(message, { ...to, limitMs }, by),
      inTurn: (name, work) => inTurn(`${by.organizationId} ${name}`, work),
      now: clock.now,
      pause: (ms) => wait(ms, undefined),
    };
  };
}

function textOfBody(body: unknown): string | undefined {
  return body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
}

function asJson(text: string, label: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch (cause) {
    throw unreadable(label, cause);
  }
}

function unreadable(label: string, cause: unknown): AppError {
  return new AppError(
    'SERVICE_UNAVAILABLE',
    `${label} sent an answer that does not match its documentation. It is asked again automatically.`,
    { cause },
  );
}

function refusal(
  { label, rights }: { label: string; rights: string },
  { status, retryAfter }: OutgoingAnswer,
  said: string,
  { url, method }: HttpCall,
): AppError {
  const words = wordsOf(said);
  if (status === 401 || status === 403)
    return new AppError(
      'PRECONDITION_FAILED',
      `${label} refused the credential (${status}): it is wrong, has expired, or lacks a right. It needs: ` +
        `${rights}. Set a new one with dnsProvider.update.${words}`,
    );
  if (status === 429)
    return new AppError(
      'SERVICE_UNAVAILABLE',
      `${label} takes no more requests now, since its limit is reached (429). It is asked again ` +
        `automatically.${words}`,
      retryAfter !== undefined && /^\d+$/.test(retryAfter) ? { retryAfterMs: Number(retryAfter) * 1000 } : {},
    );
  if (status >= 500)
    return new AppError(
      'SERVICE_UNAVAILABLE',
      `${label} cannot answer now (${status}). It is asked again automatically.${words}`,
    );
  return new AppError(
    'PRECONDITION_FAILED',
    `${label} refused ${method} ${new URL(url).pathname} (${status}).${words}`,
  );
}

const shownWords = 200;

/** The provider's words in one line of bounded length. */
function wordsOf(said: string): string {
  const line = said.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  if (line === '' || line.startsWith('<')) return '';
  return ` (${line.length <= shownWords ? line : `${line.slice(0, shownWords)}…`})`;
}
