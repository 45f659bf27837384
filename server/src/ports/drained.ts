import { once } from 'node:events';
import type { Writable } from 'node:stream';

/**
 * Whether a stream took what was written to it; false when it was closed or broke instead, or took nothing
 * for so many milliseconds.
 */
export async function drained(stream: Writable, limitMs?: number): Promise<boolean> {
  if (stream.destroyed) return false;
  const over = new AbortController();
  const { signal } = over;
  const timer = limitMs === undefined ? undefined : setTimeout(() => over.abort(), limitMs);
  try {
    const taken = once(stream, 'drain', { signal }).then(() => true);
    const closed = once(stream, 'close', { signal }).then(() => false);
    return await Promise.race([taken, closed]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}
