/** The engine's API over a unix socket, by node:http alone. */
import {
  request as startRequest,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { addAbortSignal } from 'node:stream';
import type { EngineRequest } from './engine-request.ts';
import { registryHeader } from './registry-header.ts';

/** An answer that is no success. */
export class EngineAnswerError extends Error {
  readonly statusCode: number;

  constructor(statusCode: number, words: string) {
    super(words);
    this.statusCode = statusCode;
  }
}

/** 304 is what starting the started, and stopping the stopped, is answered with. */
const accepted = new Set([200, 201, 204, 304]);
/** Of the words of a refusal. */
const refusalLimit = 64 * 1024;

/**
 * The answer as soon as its head is there; throws EngineAnswerError for a refusal, and the socket's error
 * where nobody answers. Aborting `signal` closes the connection, also while the body comes.
 */
export async function openAnswer(
  socketPath: string,
  request: EngineRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const answer = await headOf(socketPath, request, signal);
  addAbortSignal(signal, answer);
  const status = answer.statusCode ?? 0;
  if (accepted.has(status)) return answer;
  throw new EngineAnswerError(status, wordsOf(await textOf(answer, refusalLimit)));
}

/** Characters of answers that an engine may have in memory at once. */
export interface AnswerBudget {
  left: number;
  /** Of one answer. */
  readonly largest: number;
}

/**
 * A thousand containers are 5 million characters. A server may be anybody's, and its engine may answer
 * without end.
 */
const mostOfAnswer = 32 * 1024 * 1024;
const answersAtOnce = 3;

export const answerBudget = (largest = mostOfAnswer): AnswerBudget => ({
  left: answersAtOnce * largest,
  largest,
});

/**
 * The whole answer: what its JSON says, or its text. Throws AnswerTooLarge for one beyond the budget, and
 * ends its connection.
 */
export async function wholeAnswer(
  socketPath: string,
  request: EngineRequest,
  { signal, budget = answerBudget() }: { signal: AbortSignal; budget?: AnswerBudget },
): Promise<unknown> {
  const text = await budgetedText(await openAnswer(socketPath, request, signal), budget);
  const json = parsed(text);
  return json === undefined ? text : json;
}

/** What a request to the socket needs besides its method. */
export function addressOf(socketPath: string, { path, query = {} }: EngineRequest): RequestOptions {
  const words = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  ).toString();
  return { socketPath, path: words === '' ? path : `${path}?${words}` };
}

/** The reason in a refusal's body: its `message`, or the whole when it is no such JSON. */
export function wordsOf(text: string): string {
  const answer = parsed(text);
  if (typeof answer === 'object' && answer !== null && 'message' in answer) return String(answer.message);
  return text.trim() || 'no reason given';
}

/** An answer that was not read to its end. */
export class AnswerTooLarge extends Error {}

async function budgetedText(answer: IncomingMessage, budget: AnswerBudget): Promise<string> {
  let text = '';
  let taken = 0;
  try {
    for await (const piece of answer.setEncoding('utf8')) {
      text += String(piece);
      budget.left -= text.length - taken;
      taken = text.length;
      if (taken > budget.largest || budget.left < 0)
        throw new AnswerTooLarge(`its answer is larger than ${taken} characters, the most that is read`);
    }
    return text;
  } finally {
    budget.left += taken;
  }
}

export async function textOf(answer: IncomingMessage, limit: number): Promise<string> {
  let text = '';
  for await (const piece of answer.setEncoding('utf8')) {
    text += String(piece);
    if (text.length > limit) return text.slice(0, limit);
  }
  return text;
}

function headOf(socketPath: string, request: EngineRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const body = Object.keys(request.body ?? {}).length === 0 ? undefined : JSON.stringify(request.body);
  return new Promise((resolve, reject) => {
    const call = startRequest({
      ...addressOf(socketPath, request),
      method: request.method,
      headers: {
        host: 'engine',
        ...(request.auth && { 'x-registry-auth': registryHeader(request.auth) }),
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
      },
      signal,
    });
    call.once('response', resolve);
    call.once('error', (error) => {
      if (hadEnded(call, error) && !signal.aborted) headOf(socketPath, request, signal).then(resolve, reject);
      else reject(error);
    });
    call.end(body);
  });
}

/** Whether a kept connection ended before this question reached anybody; a change is never sent twice. */
function hadEnded(call: ClientRequest, error: NodeJS.ErrnoException): boolean {
  return call.reusedSocket && call.method === 'GET' && /^(?:ECONNRESET|EPIPE)$/.test(error.code ?? '');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
