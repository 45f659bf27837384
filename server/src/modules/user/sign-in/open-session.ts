import { AppError } from '../../../domain/errors.ts';
import { hashToken } from '../../../ports/token.ts';
import type { SessionWithMember, UserStore } from '../store.ts';

/**
 * The open session of the cookies; undefined when there is none. A service on another port of the same host
 * can set a second cookie of our name, and nothing shows which one is ours. So a cookie without a session is
 * ignored, and two with a session are refused with UNAUTHORIZED. `now` in ms.
 */
export async function openSessionOf(
  store: UserStore,
  tokens: readonly string[],
  now: number,
): Promise<SessionWithMember | undefined> {
  const found: SessionWithMember[] = [];
  for (const token of tokens) {
    const record = await store.findSession(hashToken(token));
    if (record && record.expiresAt > now) found.push(record);
  }
  if (found.length > 1)
    throw new AppError(
      'UNAUTHORIZED',
      'Two session cookies came with the request, and both are good: one of them may have been planted by ' +
        "another program on this host. Clear this host's cookies in the browser and sign in again.",
    );
  return found[0];
}
