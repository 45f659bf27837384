/** Requests as a plain program would send them. */
import { Agent, request } from 'node:http';

export interface Answer {
  status: number;
  headers: Headers;
  /** The body as JSON; as text when it is none. */
  body: unknown;
  text: string;
}

export interface Call {
  method?: string;
  headers?: Record<string, string>;
  /** Sent as JSON; a string is sent as it is. */
  body?: unknown;
  signal?: AbortSignal;
}

/** Connections are kept for the next request, and dropped before a server gives them up. */
const agent = new Agent({ keepAlive: true, timeout: 4000 });

/** A form goes through `fetch`, which knows how to write one; everything else at a third of its price. */
export async function send(
  url: string,
  { method, headers, body, signal = AbortSignal.timeout(60_000) }: Call = {},
): Promise<Answer> {
  if (body instanceof FormData) {
    const response = await fetch(url, { method: method ?? 'POST', headers: headers ?? {}, body, signal });
    return answerOf(response.status, response.headers, await response.text());
  }
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const named = {
    accept: '*/*',
    ...(text === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      { agent, method: method ?? (text === undefined ? 'GET' : 'POST'), headers: named, signal },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part)).once('error', reject);
        response.once('end', () =>
          resolve(
            answerOf(
              response.statusCode ?? 0,
              headersOf(response.rawHeaders),
              Buffer.concat(parts).toString(),
            ),
          ),
        );
      },
    );
    call.once('error', reject).end(text);
  });
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at < raw.length; at += 2) headers.append(raw[at] ?? '', raw[at + 1] ?? '');
  return headers;
}

function answerOf(status: number, headers: Headers, text: string): Answer {
  return { status, headers, body: parsed(text), text };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** `?input=<JSON>` */
export function inputQuery(input: unknown): string {
  return `?input=${encodeURIComponent(JSON.stringify(input))}`;
}
