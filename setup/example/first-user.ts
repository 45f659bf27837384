/** Signs up the example's user, or finds that it was signed up before, and makes an API key that works. */
import { z } from 'zod';
import { AppError } from '../../server/src/domain/errors.ts';
import type { SetupContext } from '../context.ts';
import { accept, apiWith, call, faultOf } from './api.ts';
import { ensureCredentials, saveCredentials } from './credentials.ts';
import type { Credentials } from './credentials.ts';

const userSchema = z.object({ organizationId: z.string() });
const keySchema = z.object({ key: z.string() });

export type Owner = Required<Pick<Credentials, 'email' | 'password' | 'apiKey' | 'organizationId'>> & Credentials;

/** Throws PRECONDITION_FAILED when another person was first, or the saved credentials were changed. */
export async function ensureOwner(context: SetupContext): Promise<{ owner: Owner; fresh: boolean }> {
  const credentials = ensureCredentials(context.layout);
  const kept = await verified(context, credentials);
  if (kept !== undefined) return { owner: kept, fresh: false };
  const cookie = (await signUp(context, credentials)) ?? (await signIn(context, credentials));
  const session = apiWith({ settings: context.settings, headers: { cookie }, signal: context.signal });
  const { organizationId } = await session.get('user.get', {}, userSchema);
  const { key } = await session.post('user.createApiKey', { name: 'bin/up --example', metadata: { organizationId } }, keySchema);
  const owner = { ...credentials, apiKey: key, organizationId };
  saveCredentials(context.layout, owner);
  return { owner, fresh: true };
}

async function verified({ settings, signal }: SetupContext, credentials: Credentials): Promise<Owner | undefined> {
  const { apiKey } = credentials;
  if (apiKey === undefined) return undefined;
  const answer = await call({ settings, headers: { 'x-api-key': apiKey }, signal }, 'GET', '/api/user.get');
  if (answer.status === 401) return undefined;
  const { organizationId } = accept('user.get', answer, userSchema);
  return { ...credentials, apiKey, organizationId };
}

/** The new session's cookie; undefined when sign-up is closed since a first user exists. */
async function signUp({ settings, signal }: SetupContext, { email, password }: Credentials): Promise<string | undefined> {
  const answer = await call({ settings, headers: {}, signal }, 'POST', '/api/auth/sign-up/email', { name: 'Owner', email, password });
  if (answer.status === 403 || answer.status === 409) return undefined;
  accept('sign-up', answer, z.unknown());
  return cookieOf(answer.cookie);
}

async function signIn({ settings, layout, signal }: SetupContext, { email, password }: Credentials): Promise<string> {
  const answer = await call({ settings, headers: {}, signal }, 'POST', '/api/auth/sign-in/email', { email, password });
  if (answer.status === 200) return cookieOf(answer.cookie);
  throw new AppError(
    'PRECONDITION_FAILED',
    `Berth has its users already, and those saved in ${layout.credentials} do not work (${answer.status}: ${faultOf(answer.body)}). ` +
      `Berth itself runs: sign in at ${settings.url} with your own account; the example is not needed. To have it all the same, write an Owner's email and password into that file.`,
  );
}

function cookieOf(cookie: string | undefined): string {
  if (cookie === undefined) throw new AppError('INTERNAL_SERVER_ERROR', 'Berth accepted the sign-in but set no session cookie.');
  return cookie;
}
