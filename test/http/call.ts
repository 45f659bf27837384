/** Requests as a plain program would send them. */

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

export async function send(url: string, call: Call = {}): Promise<Answer> {
  const method = call.method ?? (call.body === undefined ? 'GET' : 'POST');
  const isJson = call.body !== undefined && !(call.body instanceof FormData);
  const response = await fetch(url, {
    method,
    headers: { ...(isJson ? { 'content-type': 'application/json' } : {}), ...call.headers },
    ...(call.body === undefined ? {} : { body: call.body instanceof FormData || typeof call.body === 'string' ? call.body : JSON.stringify(call.body) }),
    signal: call.signal ?? AbortSignal.timeout(10_000),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parsed(text), text };
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
