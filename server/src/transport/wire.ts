/** What both forms need from the program. */
import type { FastifyReply } from 'fastify';
import type { AppError } from '../domain/errors.ts';
import type { Guard } from '../procedure/guard.ts';
import type { Registry } from '../procedure/registry.ts';
import type { CookieJar } from './entrance/cookies.ts';
import type { LiveStreams } from './streams/live-streams.ts';
import type { Authenticate } from './request.ts';
import type { StreamLimits } from './streams/stream.ts';

export interface Wire {
  registry: Registry;
  /** Address of the list of its procedures. */
  listPath: string;
  guard: Pick<Guard, 'call' | 'stream'>;
  authenticate: Authenticate;
  cookies: CookieJar;
  toError(error: unknown, path: string | undefined): AppError;
  send(reply: FastifyReply, body: unknown): void;
  /** Bytes a packed upload may have. */
  uploadLimit(): Promise<number>;
  streamLimits: StreamLimits;
  liveStreams: LiveStreams;
  /** Form A answers in a `json` envelope whatever the input came in; absent: as the input came. */
  wrapsAnswers?: boolean;
  /** Bytes of a stream's events in one JSON. */
  answerLimit(): Promise<number>;
}

export function sendJson(reply: FastifyReply, body: unknown): void {
  void reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(body ?? null));
}
