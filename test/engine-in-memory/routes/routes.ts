/** The engine's HTTP API as rows: which call does what. */
import type { Duplex, Readable } from 'node:stream';
import type { EngineRequest } from '../../../server/src/adapters/engine/client/engine-request.ts';
import type { State } from '../state.ts';

export interface Call {
  state: State;
  /** Parts of the path in place of the stars. */
  parts: readonly string[];
  query: Readonly<Record<string, string>>;
  filters: Readonly<Record<string, readonly string[]>>;
  body: Readonly<Record<string, unknown>>;
  /** User and password, a line break between. */
  auth: string | undefined;
}

export interface Row<T> {
  method: EngineRequest['method'];
  /** A star stands for one part of the path, two for any number of them. */
  path: string;
  answer(call: Call): T | Promise<T>;
}

export type Answers = readonly Row<unknown>[];
export type Streams = readonly Row<Readable>[];
export type Connections = readonly Row<Duplex>[];

export function callOf(state: State, request: EngineRequest, parts: readonly string[]): Call {
  const query = Object.entries(request.query ?? {});
  const filters = request.query?.['filters'];
  return {
    state,
    parts,
    query: Object.fromEntries(
      query.map(([name, value]): [string, string] => [name, typeof value === 'object' ? '' : String(value)]),
    ),
    filters: typeof filters === 'object' ? filters : {},
    body: request.body ?? {},
    auth:
      request.auth === undefined ? undefined : `${request.auth.username}\n${request.auth.password.reveal()}`,
  };
}

/** The row for a request, and what stands in the place of its stars. */
export function findRow<T>(
  rows: readonly Row<T>[],
  { method, path }: Pick<EngineRequest, 'method' | 'path'>,
): { row: Row<T>; parts: string[] } | undefined {
  for (const row of rows) {
    const parts = row.method === method ? patternOf(row.path).exec(path) : null;
    if (parts !== null) return { row, parts: parts.slice(1).map(decodeURIComponent) };
  }
  return undefined;
}

const patterns = new Map<string, RegExp>();

function patternOf(path: string): RegExp {
  const known = patterns.get(path);
  if (known !== undefined) return known;
  const made = new RegExp(
    `^${path.replaceAll(/\*\*|\*/g, (stars) => (stars === '**' ? '(.+)' : '([^/]+)'))}$`,
  );
  patterns.set(path, made);
  return made;
}

/** Whether labels pass the engine's filter, whose entries are `key` or `key=value`. */
export function passes(labels: Readonly<Record<string, string>>, filter: readonly string[] = []): boolean {
  return filter.every((entry) => {
    const at = entry.indexOf('=');
    return at < 0 ? entry in labels : labels[entry.slice(0, at)] === entry.slice(at + 1);
  });
}
