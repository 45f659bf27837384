/**
 * The one fetch of the client: a procedure's name and input become a request of form B, its answer a value or
 * a BerthError.
 */
import type { ProcedureKind } from '../server/src/procedure/procedure.ts';
import { BerthError } from './berth-error.ts';
import { refusalOf } from './refusal.ts';

export interface Connection {
  /** Address of Berth, such as https://berth.example.com. */
  url: string;
  apiKey?: string | undefined;
  /** Session cookie, `name=value`. A browser sends its own. */
  cookie?: string | undefined;
  /** What sends requests; default: `fetch`. */
  fetch?: ((url: string, request: Request) => Promise<Answer>) | undefined;
}

/** What the client reads of a response of `fetch`. */
export interface Answer {
  ok: boolean;
  status: number;
  headers: { getSetCookie(): string[]; get(name: string): string | null };
  /** By a reader, since Safari has no iteration of a stream. */
  body: {
    getReader(): { read(): Promise<{ done?: boolean | undefined; value?: Uint8Array | undefined }> };
  } | null;
  text(): Promise<string>;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds until an answer must be there. Default: one minute, an upload ten. */
  limitMs?: number | undefined;
  /** Called with the id of each deployment that the call has queued. */
  onQueued?: ((deploymentId: string) => void) | undefined;
}

/** A stream that changes something is a POST, the others are GET. */
export type CallKind = ProcedureKind | 'changing subscription';

export interface Call {
  /** `router.procedure`. */
  path: string;
  kind: CallKind;
  input: unknown;
  /** Of an upload. */
  file?: Blob | undefined;
}

/** Names the deployments that a call has queued (interface: headers of answers). */
const deploymentHeader = 'x-deployment-id';

/** Calls a procedure and gives its answer; of a subscription what there is now. */
export async function call(
  connection: Connection,
  { path, kind, input, file }: Call,
  options: CallOptions = {},
): Promise<unknown> {
  const limit = AbortSignal.timeout(options.limitMs ?? (kind === 'upload' ? 600_000 : 60_000));
  const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
  const response =
    kind === 'query' || kind === 'subscription'
      ? await send(connection, `${path}${inputParameter(input)}`, { signal })
      : await send(connection, path, { method: 'POST', signal, ...bodyOf(input, file) });
  const value = await answerOf(response, connection);
  for (const id of response.headers.get(deploymentHeader)?.split(', ') ?? []) options.onQueued?.(id);
  return value;
}

export interface Request {
  method?: 'POST';
  headers?: Record<string, string>;
  body?: string | FormData;
  signal: AbortSignal;
}

/**
 * Sends a request to `/api/<path>`; throws UNREACHABLE when nobody answers, the signal's reason when it was
 * called off.
 */
export async function send(connection: Connection, path: string, request: Request): Promise<Answer> {
  const address = connection.url.replace(/\/+$/, '');
  try {
    return await (connection.fetch ?? fetch)(`${address}/api/${path}`, {
      ...request,
      headers: { accept: 'application/json', ...credentials(connection), ...request.headers },
    });
  } catch (cause) {
    throw unreachable(connection, request.signal, cause);
  }
}

/** The answer's value; throws BerthError for every status but success. */
export async function answerOf(response: Answer, connection: Connection): Promise<unknown> {
  const text = await response.text().catch((cause: unknown) => {
    throw new BerthError(
      'UNREACHABLE',
      `The connection to ${connection.url} broke before the answer was complete. Try again.`,
      { cause },
    );
  });
  const value = parse(text);
  if (!response.ok) throw refusalOf(response.status, value);
  if (value === undefined)
    throw new BerthError(
      'UNREACHABLE',
      `${connection.url} answers, but not as Berth does. Check the address.`,
      { httpStatus: response.status },
    );
  return value;
}

/** A query's input as JSON, so that nothing of its types is lost in a query string. */
export function inputParameter(input: unknown): string {
  return input === undefined ? '' : `?input=${encodeURIComponent(JSON.stringify(input))}`;
}

export function unreachable(connection: Connection, signal: AbortSignal, cause: unknown): unknown {
  const isTimeout = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
  if (signal.aborted && !isTimeout) return signal.reason;
  const what = isTimeout ? 'did not answer in time' : 'cannot be reached';
  return new BerthError(
    'UNREACHABLE',
    `Berth at ${connection.url} ${what}. Check the address and that it runs.`,
    { cause },
  );
}

export function credentials({ apiKey, cookie, url }: Connection): Record<string, string> {
  if (apiKey !== undefined) return { 'x-api-key': apiKey };
  // A change with a cookie needs the Origin of Berth's own address; a browser sets both itself.
  return cookie === undefined ? {} : { cookie, origin: new URL(url).origin };
}

function bodyOf(
  input: unknown,
  file: Blob | undefined,
): { body: string | FormData; headers: Record<string, string> } {
  if (!file) return { body: JSON.stringify(input ?? {}), headers: { 'content-type': 'application/json' } };
  const form = new FormData();
  for (const [name, value] of Object.entries(input ?? {}))
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  form.append('file', file);
  return { body: form, headers: {} };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON, so not Berth's; the callers say what that means.
    return undefined;
  }
}
