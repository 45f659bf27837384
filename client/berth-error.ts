import type { ErrorCode, Issue } from '../server/src/domain/errors.ts';

export interface BerthErrorDetails {
  /** Undefined when no answer came. */
  httpStatus?: number | undefined;
  /** One per fault of an input. */
  issues?: readonly Issue[] | undefined;
  /** Milliseconds after which the same call may succeed. */
  retryAfterMs?: number | undefined;
  /** Name of a flat refusal (certificates and swarm). */
  reason?: string | undefined;
  /** What the same call must carry besides: the code of a second factor. */
  needs?: 'code' | undefined;
  cause?: unknown;
}

/** What Berth refused, or UNREACHABLE when nobody answered. The message is a sentence for a person. */
export class BerthError extends Error {
  readonly code: ErrorCode | 'UNREACHABLE';
  readonly httpStatus: number | undefined;
  readonly issues: readonly Issue[];
  readonly retryAfterMs: number | undefined;
  readonly reason: string | undefined;
  readonly needs: 'code' | undefined;

  constructor(code: BerthError['code'], sentence: string, details: BerthErrorDetails = {}) {
    super(sentence, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'BerthError';
    this.code = code;
    this.httpStatus = details.httpStatus;
    this.issues = details.issues ?? [];
    this.retryAfterMs = details.retryAfterMs;
    this.reason = details.reason;
    this.needs = details.needs;
  }
}
