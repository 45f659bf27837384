/** The one-time token for the first account, for whoever makes it elsewhere than on this machine. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { z } from 'zod';
import { firstSignUpHash } from '../server/src/domain/first-sign-up.ts';
import type { SetupContext } from './context.ts';
import { apiAddress } from './health.ts';
import { writePrivate } from './record.ts';

const stateSchema = z.object({ awaitsFirstAccount: z.boolean() });
const limitMs = 10_000;

/**
 * A new token as long as the Berth that runs has no account yet; the one before is void, since only the hash
 * of this one is kept. Undefined when there is an account.
 */
export async function newFirstSignUpToken({
  settings,
  layout,
  signal,
}: SetupContext): Promise<string | undefined> {
  const answer = await fetch(`${apiAddress(settings)}/api/auth/state`, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
  });
  if (!stateSchema.parse(await answer.json()).awaitsFirstAccount) {
    rmSync(layout.firstSignUp, { force: true });
    return undefined;
  }
  const token = randomBytes(32).toString('base64url');
  writePrivate(layout.firstSignUp, `${firstSignUpHash(token)}\n`);
  return token;
}
