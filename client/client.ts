/**
 * The typed client: `createClient({ url, apiKey }).application.create({ … })`, every call typed by the
 * server's own contracts.
 */
import type { z } from 'zod';
import type { Contracts } from '../server/src/modules/contracts.ts';
import type { Procedure, StreamEvent } from '../server/src/procedure/procedure.ts';
import { call, type CallKind, type CallOptions, type Connection } from './call.ts';
import { follow, type FollowOptions } from './follow.ts';
import { procedureKinds } from './procedure-kinds.ts';

/**
 * A function per procedure. A subscription gives its events as they come and resumes by itself; an upload
 * takes the file besides. All throw BerthError.
 */
export type Client = {
  readonly [R in keyof Contracts]: { readonly [P in keyof Contracts[R]]: ClientCall<Contracts[R][P]> };
};

type ClientCall<P> =
  P extends Procedure<infer I, infer O, infer K>
    ? K extends 'subscription'
      ? (input: z.input<I>, options?: FollowOptions) => AsyncIterable<StreamEvent<z.output<O>>>
      : K extends 'upload'
        ? (input: z.input<I>, file: Blob, options?: CallOptions) => Promise<z.output<O>>
        : Extract<z.output<O>, Page> extends never
          ? (...rest: Arguments<z.input<I>>) => Promise<z.output<O>>
          : ListCall<z.input<I>, z.output<O>>
    : never;

interface Page {
  nextCursor: string | null;
}

/** A list answers whole, and with `limit` one page. */
export interface ListCall<I, O> {
  (...rest: Arguments<Omit<I, keyof WithoutPage> & WithoutPage>): Promise<Exclude<O, Page>>;
  (input: I & { limit: number }, options?: CallOptions): Promise<Extract<O, Page>>;
  (...rest: Arguments<I>): Promise<O>;
}

interface WithoutPage {
  limit?: undefined;
  cursor?: undefined;
}

/** An input without required fields may be left out. */
type Arguments<I> =
  Record<string, never> extends I ? [input?: I, options?: CallOptions] : [input: I, options?: CallOptions];

export function createClient(connection: Connection): Client {
  const routers = Object.entries(procedureKinds).map(([router, kinds]) => [
    router,
    routerCalls(connection, router, kinds),
  ]);
  return asClient(Object.fromEntries(routers));
}

/** The calls of one router. The published package exports each by itself, so that bundlers drop the rest. */
export function routerCalls(
  connection: Connection,
  router: string,
  kinds: Readonly<Record<string, CallKind>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [name, callOf(connection, `${router}.${name}`, kind)]),
  );
}

function callOf(connection: Connection, path: string, kind: CallKind): unknown {
  switch (kind) {
    case 'subscription':
      return (input: unknown, options?: FollowOptions) => follow(connection, path, input, options);
    case 'changing subscription':
      return (input: unknown, options?: FollowOptions) =>
        follow(connection, path, input, { ...options, method: 'POST' });
    case 'upload':
      return (input: unknown, file: Blob, options?: CallOptions) =>
        call(connection, { path, kind, input, file }, options);
    case 'query':
    case 'mutation':
      return (input: unknown, options?: CallOptions) => call(connection, { path, kind, input }, options);
  }
}

/**
 * The kinds are checked against the contracts where they are generated, so each call has the shape its
 * procedure says.
 */
function asClient(routers: unknown): Client {
  return routers as Client;
}
