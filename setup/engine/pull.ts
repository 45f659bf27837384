/** Pulling with an early verdict: does a registry answer at all? */
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { sentenceOf } from '../../server/src/domain/errors.ts';

/**
 * `pulled`: the image is there. `refused`: a registry answered, but not with the image. `silent`: none
 * answered in time.
 */
export type PullAnswer = { kind: 'pulled' } | { kind: 'refused' | 'silent'; reason: string };

export interface PullLimits {
  /** Until the first word that can only come from a registry. */
  answerLimitMs: number;
  /** For the whole. */
  limitMs: number;
  signal: AbortSignal;
}

const eventSchema = z.object({
  status: z.string().optional(),
  id: z.string().optional(),
  error: z.string().optional(),
});

/**
 * Starts the pull and listens. That a connection opens proves nothing (on some networks every address accepts
 * one), so only an event that needs the image's manifest counts as an answer: a layer or a digest. Times in
 * milliseconds.
 */
export async function pullUntilAnswered(
  open: (signal: AbortSignal) => Promise<NodeJS.ReadableStream>,
  limits: PullLimits,
): Promise<PullAnswer> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), limits.answerLimitMs);
  const whole = AbortSignal.timeout(limits.limitMs);
  let answered = false;
  try {
    const stream = await open(AbortSignal.any([silence.signal, whole, limits.signal]));
    for await (const line of createInterface({ input: stream })) {
      const event = parseEvent(line);
      if (event?.error !== undefined)
        return { kind: answered || isRefusal(event.error) ? 'refused' : 'silent', reason: event.error };
      if (event !== undefined && comesFromRegistry(event)) {
        answered = true;
        clearTimeout(timer);
      }
    }
    return answered
      ? { kind: 'pulled' }
      : { kind: 'silent', reason: 'the engine ended the pull without a message' };
  } catch (error) {
    limits.signal.throwIfAborted();
    if (silence.signal.aborted)
      return { kind: 'silent', reason: `no answer within ${limits.answerLimitMs / 1000} s` };
    if (whole.aborted)
      return { kind: 'refused', reason: `the pull did not end within ${limits.limitMs / 1000} s` };
    const reason = sentenceOf(error);
    return { kind: isRefusal(reason) ? 'refused' : 'silent', reason };
  } finally {
    clearTimeout(timer);
  }
}

/** Layer events carry an id that is a digest's start; the last lines say Digest and Status. */
export function comesFromRegistry(event: { status?: string; id?: string }): boolean {
  return /^[0-9a-f]{12}$/.test(event.id ?? '') || /^(Digest|Status): /.test(event.status ?? '');
}

/** Words that only a registry says. */
function isRefusal(reason: string): boolean {
  return /manifest unknown|manifest for .* not found|unauthorized|denied|toomanyrequests|rate limit/i.test(
    reason,
  );
}

function parseEvent(line: string): z.infer<typeof eventSchema> | undefined {
  if (line.trim() === '') return undefined;
  const parsed = eventSchema.safeParse(JSON.parse(line));
  return parsed.success ? parsed.data : undefined;
}
