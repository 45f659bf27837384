import { answerOf, send, type Connection } from './call.ts';

export interface SignInOptions {
  url: string;
  email: string;
  password: string;
  /** Of an invitation: the user joins its organization, and the session acts there. */
  token?: string | undefined;
  /** Of the second factor: six digits of the app, or a recovery code. */
  code?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Signs in and gives a connection that carries the session; throws BerthError with UNAUTHORIZED for a wrong
 * password, and with `needs: 'code'` besides where the account has a second factor and the code is absent or
 * wrong.
 */
export function signIn({ url, email, password, token, code, signal }: SignInOptions): Promise<Connection> {
  return openSession(url, 'auth/sign-in/email', { email, password, token, code }, signal);
}

/**
 * Makes the first user, who owns the installation, with the token that set-up printed (none on the machine
 * itself), or with the token of an invitation another; throws BerthError with FORBIDDEN otherwise.
 */
export function signUp({
  url,
  email,
  password,
  token,
  signal,
  name,
}: SignInOptions & { name: string }): Promise<Connection> {
  return openSession(url, 'auth/sign-up/email', { email, password, name, token }, signal);
}

/** Ends the session that the connection carries. */
export async function signOut(connection: Connection): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  await answerOf(await send(connection, 'auth/sign-out', { method: 'POST', signal }), connection);
}

async function openSession(
  url: string,
  path: string,
  body: unknown,
  signal: AbortSignal | undefined,
): Promise<Connection> {
  const limit = AbortSignal.timeout(60_000);
  const response = await send({ url }, path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', origin: new URL(url).origin },
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  });
  await answerOf(response, { url });
  const cookie = response.headers
    .getSetCookie()
    .map((text) => text.split(';')[0])
    .join('; ');
  return { url, cookie };
}
