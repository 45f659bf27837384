/**
 * Calls procedures of form B as a person; gives the value, or the refusal as `CODE` (a flat one by its name)
 * with the faulty fields.
 */
import { inputQuery, send } from './call.ts';
import type { Person } from './people.ts';
import type { TestServer } from './serve.ts';

export interface Refused {
  code: string;
  message: string;
  /** Names of the faulty fields. */
  fields: string[];
}

export interface InterfaceClient {
  query(path: string, input?: unknown): Promise<unknown>;
  mutate(path: string, input: unknown): Promise<unknown>;
}

/** Without a person: no credentials at all. */
export function clientOf(server: TestServer, person?: Person): InterfaceClient {
  const headers = person?.headers ?? {};
  return {
    query: async (path, input) =>
      valueOf(
        await send(`${server.url}/api/${path}${input === undefined ? '' : inputQuery(input)}`, { headers }),
      ),
    mutate: async (path, input) => valueOf(await send(`${server.url}/api/${path}`, { headers, body: input })),
  };
}

/** The text of a field, for ids in answers. */
export function textOf(value: unknown, field: string): string {
  const text: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
  if (typeof text !== 'string') throw new Error(`The answer has no text ${field}: ${JSON.stringify(value)}`);
  return text;
}

function valueOf({ status, body }: { status: number; body: unknown }): unknown {
  if (status === 200) return body;
  const flat: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'error') : undefined;
  if (typeof flat === 'string')
    return { code: flat, message: textOf(body, 'message'), fields: [] } satisfies Refused;
  const fields = issuesOf(body).map((issue) => textOf(issue, 'path'));
  const refused: Refused = { code: textOf(body, 'code'), message: textOf(body, 'message'), fields };
  return refused;
}

function issuesOf(body: unknown): unknown[] {
  let value: unknown = body;
  for (const name of ['error', 'data', 'issues'])
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return Array.isArray(value) ? value : [];
}
