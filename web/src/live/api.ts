/**
 * The one way to the server: a procedure by its name, typed by the server's own contracts. `useAsk` reads and
 * caches, `useDo` changes and then has read again what the change touched.
 */
import {
  QueryClient,
  QueryCache,
  MutationCache,
  useMutation,
  useQuery,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { BerthError } from '../../../client/berth-error.ts';
import { call, type CallKind } from '../../../client/call.ts';
import type { Client } from '../../../client/client.ts';
import { follow, type FollowOptions } from '../../../client/follow.ts';
import { procedureKinds } from '../../../client/procedure-kinds.ts';
import { noteUnreachable } from './connection.ts';
import { noteSessionEnded } from './session-ended.ts';

export type Path = { [R in keyof Client & string]: `${R}.${keyof Client[R] & string}` }[keyof Client &
  string];
type CallOf<P extends Path> = P extends `${infer R}.${infer N}`
  ? R extends keyof Client
    ? N extends keyof Client[R]
      ? Client[R][N]
      : never
    : never
  : never;
/** Lists are arrays: of a page its items. */
type Listed<V> = V extends { items: unknown; nextCursor: string | null } ? never : V;
export type Answer<P extends Path> =
  CallOf<P> extends (...rest: never[]) => Promise<infer V> ? Listed<V> : never;
export type Input<P extends Path> =
  CallOf<P> extends (input: infer I, ...rest: never[]) => unknown ? NonNullable<I> : never;

const connection = { url: location.origin };

export function kindOf(path: string): CallKind {
  const [router = '', name = ''] = path.split('.');
  const kinds: Record<string, Record<string, CallKind>> = procedureKinds;
  return kinds[router]?.[name] ?? 'mutation';
}

/** Whether this server has a procedure at all. */
export const exists = (path: string): boolean => {
  const [router = '', name = ''] = path.split('.');
  const kinds: Record<string, Record<string, CallKind>> = procedureKinds;
  return kinds[router]?.[name] !== undefined;
};

export async function ask<P extends Path>(
  path: P,
  input?: Input<P>,
  signal?: AbortSignal,
): Promise<Answer<P>> {
  const value = await call(connection, { path, kind: kindOf(path), input }, { signal });
  return asAnswer<P>(isPage(value) ? value.items : value);
}

/** As `ask` for what queues a deployment: resolves to that deployment's id, undefined when there is none. */
export async function queue<P extends Path>(
  path: P,
  input: Input<P>,
  file?: File,
): Promise<string | undefined> {
  let queued: string | undefined;
  await call(connection, { path, kind: kindOf(path), input, file }, { onQueued: (id) => void (queued = id) });
  return queued;
}

export interface Page<T> {
  items: readonly T[];
  nextCursor: string | null;
}

const isPage = (value: unknown): value is Page<unknown> =>
  typeof value === 'object' && value !== null && 'items' in value && 'nextCursor' in value;

/** The events of a stream; ends with the signal. */
export function listen(path: Path, input: unknown, options: FollowOptions): ReturnType<typeof follow> {
  const method = kindOf(path) === 'changing subscription' ? 'POST' : 'GET';
  return follow(connection, path, input, { ...options, method });
}

/** The client's table of kinds is checked against the contracts, so an answer has its procedure's shape. */
function asAnswer<P extends Path>(value: unknown): Answer<P> {
  return value as Answer<P>;
}

/** What a proxy answers while Berth starts. */
const ofProxies: readonly (number | undefined)[] = [502, 504];

const isFinal = (error: unknown): boolean =>
  error instanceof BerthError && error.code !== 'UNREACHABLE' && !ofProxies.includes(error.httpStatus);

const noteRefusal = (error: unknown): void => {
  if (!(error instanceof BerthError)) return;
  if (error.code === 'UNAUTHORIZED') noteSessionEnded();
  if (error.code === 'UNREACHABLE') noteUnreachable();
};

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noteRefusal }),
  mutationCache: new MutationCache({ onError: noteRefusal }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      networkMode: 'always',
      retry: (count, error) => !isFinal(error) && count < 2,
      refetchOnWindowFocus: true,
    },
  },
});

/** Ids of things that were removed, or are being removed: nothing is read of them again. */
const gone = new Set<unknown>();

const isGone = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && Object.values(input).some((value) => gone.has(value));

/** The id of what a procedure removes. */
function removedBy(path: string, input: unknown): unknown {
  const [router = '', name = ''] = path.split('.');
  if (name !== 'remove' && name !== 'delete') return undefined;
  return (input as Readonly<Record<string, unknown>> | undefined)?.[`${router}Id`];
}

async function change<P extends Path>(path: P, input: Input<P>): Promise<Answer<P>> {
  const removed = removedBy(path, input);
  if (removed === undefined) return ask(path, input);
  gone.add(removed);
  try {
    return await ask(path, input);
  } catch (error) {
    gone.delete(removed);
    throw error;
  }
}

/** Reads again what is on the screen of these procedures, unless it is about something that is gone. */
export const readAgain = (isMeant: (path: string, readAt: number) => boolean): Promise<void> =>
  queries.invalidateQueries({
    predicate: ({ queryKey: [path, input], state: { dataUpdatedAt } }) =>
      typeof path === 'string' && isMeant(path, dataUpdatedAt) && !isGone(input),
  });

export interface AskOptions {
  enabled?: boolean;
  /** Milliseconds between two reads, for what no event tells. */
  every?: number | false;
  /** Keeps what was there while another input is asked for. */
  keeps?: boolean;
  retry?: boolean;
}

export function useAsk<P extends Path>(
  path: P,
  input?: Input<P>,
  { enabled = true, every = false, keeps = false, retry }: AskOptions = {},
): UseQueryResult<Answer<P>> {
  return useQuery<Answer<P>>({
    queryKey: [path, input ?? {}],
    queryFn: ({ signal }) => ask(path, input, signal),
    enabled,
    refetchInterval: () => !isGone(input) && every,
    refetchOnWindowFocus: () => !isGone(input),
    ...(retry === undefined ? {} : { retry }),
    ...(keeps ? { placeholderData: (former) => former } : {}),
  });
}

/** Reads again whatever of these routers or procedures is on the screen. */
export function refresh(...names: readonly string[]): Promise<void> {
  return readAgain((path) =>
    names.some((name) => path === name || path.startsWith(`${name}.`) || name === '*'),
  );
}

/** After a change of a router's thing, these may show something else. */
const touches: Record<string, readonly string[]> = {
  user: ['user'],
  organization: ['organization', 'user'],
  domain: ['domain', 'application', 'compose', 'service'],
  deployment: ['deployment', 'application', 'compose', 'project', 'service'],
  settings: ['settings'],
  template: ['compose', 'service', 'mount', 'project'],
};
const ofServices = [
  'project',
  'environment',
  'service',
  'deployment',
  'backup',
  'volumeBackup',
  'cleanup.formerVolumes',
  'mount',
];

function refreshTouched(path: Path): Promise<void> {
  const [router = ''] = path.split('.');
  return refresh(router, ...(touches[router] ?? ofServices));
}

export function useDo<P extends Path>(path: P): UseMutationResult<Answer<P>, Error, Input<P>> {
  return useMutation<Answer<P>, Error, Input<P>>({
    mutationFn: (input) => change(path, input),
    onSettled: () => refreshTouched(path),
  });
}

/** As `useDo` for what queues a deployment, whose id is the result. */
export function useQueue<P extends Path>(path: P): UseMutationResult<string | undefined, Error, Input<P>> {
  return useMutation<string | undefined, Error, Input<P>>({
    mutationFn: (input) => queue(path, input),
    onSettled: () => refreshTouched(path),
  });
}

/** The sentence of whatever went wrong. */
export function sentenceOf(error: unknown): string {
  // The client's own sentence is about an address, which a page has no other of.
  if (error instanceof BerthError && error.code === 'UNREACHABLE') return 'Berth did not answer. Try again.';
  return error instanceof Error ? error.message : String(error);
}
