/** One request to a git host's interface. */
import type { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { Secret } from '../../domain/secrets/secret.ts';
import {
  endUnread,
  textOfAnswer,
  type Outgoing,
  type OutgoingAnswer,
  type OutgoingBy,
} from '../../ports/outgoing.ts';

export interface CallOptions {
  body?: unknown;
  /** Another credential than the usual one. */
  token?: Secret;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH';

/** Where an interface is, and for whom it is asked. */
export interface CallTarget {
  apiUrl: string;
  outgoing: Pick<Outgoing, 'request'>;
  by: OutgoingBy;
}

export interface Call {
  /** The answer in this shape; undefined for 404. Throws as `GitApi` says. `path` begins with a slash. */
  ask<T>(shape: z.ZodType<T>, method: Method, path: string, options?: CallOptions): Promise<T | undefined>;
  /** The same, throwing NOT_FOUND for 404. */
  must<T>(shape: z.ZodType<T>, method: Method, path: string, options?: CallOptions): Promise<T>;
}

const limitMs = 10_000;
const maxBytes = 8 * 1024 * 1024;

export function createCall(
  { apiUrl, outgoing, by }: CallTarget,
  headers: Readonly<Record<string, string>>,
  /** Undefined where none is shown. */
  token: () => Promise<Secret | undefined>,
): Call {
  const { host } = new URL(apiUrl);
  const send = async (
    method: Method,
    path: string,
    { body, token: own }: CallOptions = {},
  ): Promise<unknown> => {
    const secret = own ?? (await token());
    const response = await outgoing.request(
      {
        url: `${apiUrl}${path}`,
        method,
        limitMs,
        maxBytes,
        headers: {
          accept: 'application/json',
          'user-agent': 'berth',
          ...headers,
          ...(secret === undefined ? {} : { authorization: `Bearer ${secret.reveal()}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
      },
      by,
    );
    return answerOf(response, host);
  };
  const call: Call = {
    async ask(shape, ...request) {
      const found = await send(...request);
      if (found === undefined) return undefined;
      const parsed = shape.safeParse(found);
      if (parsed.success) return parsed.data;
      throw new AppError(
        'SERVICE_UNAVAILABLE',
        `${host} sent an answer that does not match its documentation. Check the provider and the apiUrl ` +
          'of the git provider.',
        { cause: parsed.error },
      );
    },
    async must(shape, ...request) {
      const found = await call.ask(shape, ...request);
      if (found === undefined) throw noRepository();
      return found;
    },
  };
  return call;
}

/** What the host says is never repeated: it may quote the request. */
async function answerOf(response: OutgoingAnswer, host: string): Promise<unknown> {
  const { status } = response;
  if (status < 200 || status > 299) await endUnread(response).catch(() => undefined);
  if (status === 404 || status === 410) return undefined;
  if (status === 401 || status === 403)
    throw new AppError(
      'PRECONDITION_FAILED',
      `${host} refused the credential of the git provider (${status}): it has expired, was revoked, or ` +
        'lacks a right. Set a new one with gitProvider.update.',
    );
  if (status === 429 || status >= 500)
    throw new AppError('SERVICE_UNAVAILABLE', `${host} cannot answer now (${status}). Try again later.`);
  if (status < 200 || status >= 300)
    throw new AppError(
      'PRECONDITION_FAILED',
      `${host} refused the request (${status}). Check the git provider's address and credential.`,
    );
  try {
    const text = await textOfAnswer(response);
    return text === '' ? null : JSON.parse(text);
  } catch (error) {
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `${host} sent something other than JSON, or broke off. Check the apiUrl of the git provider.`,
      { cause: error },
    );
  }
}

const pageLimit = 10;

/** All items of at most ten pages; one with fewer than `size` is the last. */
export async function allPages<T>(
  size: number,
  page: (number: number) => Promise<readonly T[]>,
): Promise<T[]> {
  const items: T[] = [];
  for (let number = 1; number <= pageLimit; number += 1) {
    const found = await page(number);
    items.push(...found);
    if (found.length < size) break;
  }
  return items;
}

function noRepository(): AppError {
  return new AppError(
    'NOT_FOUND',
    'The git host has no such repository, or does not show it to this git provider. Give its credential ' +
      'access to the repository.',
  );
}
