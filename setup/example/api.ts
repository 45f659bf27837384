/** Calls to the Berth that was just started, as any client makes them (form B of the interface). */
import { z } from 'zod';
import { AppError } from '../../server/src/domain/errors.ts';
import { apiAddress } from '../health.ts';
import type { Settings } from '../settings.ts';

export interface Api {
  /** A query; throws with Berth's own sentence unless it answers 200 with what the schema says. */
  get<T>(procedure: string, input: Readonly<Record<string, string>>, schema: z.ZodType<T>): Promise<T>;
  post<T>(procedure: string, input: unknown, schema: z.ZodType<T>): Promise<T>;
}

export interface ApiAnswer {
  status: number;
  body: unknown;
  /** The session cookie the answer set, ready to be sent back. */
  cookie: string | undefined;
}

export interface Caller {
  settings: Settings;
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

const callLimitMs = 30_000;
const faultSchema = z.object({ error: z.object({ message: z.string() }) });

export function apiWith(caller: Caller): Api {
  return {
    async get(procedure, input, schema) {
      const query = new URLSearchParams(input).toString();
      return accept(procedure, await call(caller, 'GET', `/api/${procedure}${query === '' ? '' : `?${query}`}`), schema);
    },
    post: async (procedure, input, schema) => accept(procedure, await call(caller, 'POST', `/api/${procedure}`, input), schema),
  };
}

/** One request; any status is an answer. Calls with a cookie need the Origin of the address they go to. */
export async function call({ settings, headers, signal }: Caller, method: 'GET' | 'POST', path: string, input?: unknown): Promise<ApiAnswer> {
  const answer = await fetch(`${apiAddress(settings)}${path}`, {
    method,
    headers: { origin: apiAddress(settings), ...(input === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    body: input === undefined ? undefined : JSON.stringify(input),
    signal: AbortSignal.any([signal, AbortSignal.timeout(callLimitMs)]),
  });
  const cookie = answer.headers.getSetCookie().map((text) => text.split(';')[0]).join('; ');
  return { status: answer.status, body: parseBody(await answer.text()), cookie: cookie === '' ? undefined : cookie };
}

/** The answer's value, or an error with Berth's sentence. */
export function accept<T>(what: string, answer: ApiAnswer, schema: z.ZodType<T>): T {
  if (answer.status !== 200) throw new AppError('PRECONDITION_FAILED', `Berth answered ${what} with ${answer.status}: ${faultOf(answer.body)}`);
  const parsed = schema.safeParse(answer.body);
  if (parsed.success) return parsed.data;
  throw new AppError('INTERNAL_SERVER_ERROR', `Berth answered ${what} with something else than expected: ${z.prettifyError(parsed.error)}`);
}

export function faultOf(body: unknown): string {
  const fault = faultSchema.safeParse(body);
  return fault.success ? fault.data.error.message : 'no reason given';
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not Berth's JSON: the status decides, and the text says what it was.
    return text;
  }
}
