/** The ways in which one call comes to Berth: both URL forms, streams of each, batches of both kinds. */
import type { NamedProcedure } from '../../../server/src/procedure/describe/listing.ts';
import { verbOf } from '../../../server/src/procedure/procedure.ts';
import { callerOf } from '../../e2e/fixtures/caller.ts';
import { inputQuery, send } from '../../http/call.ts';

export const ways = ['form a', 'form b', 'stream a', 'stream b', 'batch', 'batch of lines'] as const;
export type Way = (typeof ways)[number];

export interface Said {
  status: number;
  text: string;
}

/** Which of them a procedure has. */
export function waysOf({ procedure: { kind } }: NamedProcedure): Way[] {
  if (kind === 'subscription') return ['form a', 'form b', 'stream a', 'stream b'];
  return kind === 'upload' ? ['form a', 'form b'] : ['form a', 'form b', 'batch', 'batch of lines'];
}

export interface Asking {
  url: string;
  headers: Record<string, string>;
  procedure: NamedProcedure;
  input: unknown;
}

const limitMs = 120_000;

/** What each call of the way was answered: one, or two of a batch. */
export async function ask(way: Way, asking: Asking): Promise<Said[]> {
  const { url, headers, procedure, input } = asking;
  switch (way) {
    case 'form a':
    case 'form b':
      return [await callerOf(url, headers)(procedure.path, input, way === 'form a' ? 'a' : 'b')];
    case 'stream a':
    case 'stream b':
      return [await openStream(way === 'stream a' ? 'trpc/' : '', asking)];
    case 'batch':
      return askBatch(asking, {});
    case 'batch of lines':
      return askBatch(asking, { 'trpc-accept': 'application/jsonl' });
  }
}

/** Refused before it begins, or left as soon as it began. */
async function openStream(form: string, { url, headers, procedure, input }: Asking): Promise<Said> {
  const isPost = verbOf(procedure.procedure) === 'POST';
  const address = `${url}/api/${form}${procedure.path}`;
  const response = await fetch(isPost ? address : `${address}${inputQuery(input)}`, {
    method: isPost ? 'POST' : 'GET',
    headers: {
      ...headers,
      accept: 'text/event-stream',
      ...(isPost && { 'content-type': 'application/json' }),
    },
    ...(isPost && { body: JSON.stringify(input) }),
    signal: AbortSignal.timeout(limitMs),
  });
  if (response.status !== 200) return { status: response.status, text: await response.text() };
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return { status: 200, text: first?.value ?? '' };
}

/** The same call twice in one request. */
async function askBatch(
  { url, headers, procedure: { path, procedure }, input }: Asking,
  more: Record<string, string>,
): Promise<Said[]> {
  const address = `${url}/api/trpc/${path},${path}?batch=1`;
  const inputs = { 0: input, 1: input };
  const signal = AbortSignal.timeout(limitMs);
  const all = { ...headers, ...more };
  const answer =
    procedure.kind === 'query'
      ? await send(`${address}&${inputQuery(inputs).slice(1)}`, { headers: all, signal })
      : await send(address, { headers: all, body: inputs, signal });
  const isOfLines = Object.keys(more).length > 0;
  const said = isOfLines
    ? answer.text
        .split('\n')
        .slice(1)
        .filter((line) => line !== '')
        .map(fromLine)
    : Array.isArray(answer.body)
      ? answer.body
      : [answer.body, answer.body];
  return said.map((one: unknown) => ({ status: statusOf(one), text: JSON.stringify(one) }));
}

/** `[index, 0, [[answer]]]` */
function fromLine(line: string): unknown {
  const parsed: unknown = JSON.parse(line);
  const inside: unknown = Array.isArray(parsed) ? parsed[2] : undefined;
  const value: unknown = Array.isArray(inside) ? inside[0] : undefined;
  return Array.isArray(value) ? value[0] : value;
}

function statusOf(answer: unknown): number {
  const at = (value: unknown, name: string): unknown =>
    typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  const error = at(answer, 'error');
  if (error === undefined) return 200;
  const status = at(at(error, 'data'), 'httpStatus');
  return typeof status === 'number' ? status : 500;
}
