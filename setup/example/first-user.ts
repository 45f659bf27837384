/** Signs up the example's user, or finds that it was signed up before, and makes an API key that works. */
import { BerthError } from '../../client/berth-error.ts';
import type { Connection } from '../../client/call.ts';
import { createClient } from '../../client/client.ts';
import { signIn, signUp } from '../../client/sign-in.ts';
import { AppError } from '../../server/src/domain/errors.ts';
import type { SetupContext } from '../context.ts';
import { newFirstSignUpToken } from '../first-sign-up.ts';
import { apiAddress } from '../machine/health.ts';
import { ensureCredentials, readCredentials, saveCredentials } from './credentials.ts';
import type { Credentials } from './credentials.ts';

export type Owner = Required<Pick<Credentials, 'email' | 'password' | 'apiKey' | 'organizationId'>> &
  Credentials;

/** Throws PRECONDITION_FAILED when another person was first, or the saved credentials were changed. */
export async function ensureOwner(context: SetupContext): Promise<{ owner: Owner; fresh: boolean }> {
  const kept = await workingOwner(context);
  if (kept !== undefined) return { owner: kept, fresh: false };
  const credentials = ensureCredentials(context.layout);
  const client = createClient(await openSession(context, credentials));
  const { organizationId } = await client.user.get();
  const { key } = await client.user.createApiKey({ name: 'bin/up --example', metadata: { organizationId } });
  const owner = { ...credentials, apiKey: key, organizationId };
  saveCredentials(context.layout, owner);
  return { owner, fresh: true };
}

/**
 * The saved user when its API key works in the Berth that runs now; undefined when there is none, or it is of
 * another database.
 */
export async function workingOwner({ settings, layout, signal }: SetupContext): Promise<Owner | undefined> {
  const credentials = readCredentials(layout);
  const apiKey = credentials?.apiKey;
  if (credentials === undefined || apiKey === undefined) return undefined;
  try {
    const { organizationId } = await createClient({ url: apiAddress(settings), apiKey }).user.get(
      {},
      { signal },
    );
    return { ...credentials, apiKey, organizationId };
  } catch (error) {
    if (error instanceof BerthError && error.code === 'UNAUTHORIZED') return undefined;
    throw error;
  }
}

/** By sign-up where Berth has no user yet, else by sign-in with the saved password. */
async function openSession(context: SetupContext, { email, password }: Credentials): Promise<Connection> {
  const { settings, layout, signal } = context;
  const url = apiAddress(settings);
  try {
    // Where Berth listens on one address alone, even this machine is not known as such.
    const token = await newFirstSignUpToken(context);
    return await signUp({ url, name: 'Owner', email, password, token, signal });
  } catch (error) {
    if (!(error instanceof BerthError && (error.code === 'FORBIDDEN' || error.code === 'CONFLICT')))
      throw error;
  }
  try {
    return await signIn({ url, email, password, signal });
  } catch (cause) {
    if (!(cause instanceof BerthError && cause.code === 'UNAUTHORIZED')) throw cause;
    throw new AppError(
      'PRECONDITION_FAILED',
      `Berth has its users already, and the one saved in ${layout.credentials} cannot sign in ` +
        `(${cause.message}). Berth itself runs: sign in at ${settings.url} with your own account; ` +
        (`the example is not needed. To have it anyway, write an Owner's email and password into ` +
          'that file and run the command again.'),
      { cause },
    );
  }
}
