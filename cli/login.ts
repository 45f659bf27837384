/** sign-up, login, logout: the three commands that are no procedures. */
import { printable } from './output/printable.ts';
import { hostname } from 'node:os';
import { BerthError } from '../client/berth-error.ts';
import type { Connection } from '../client/call.ts';
import { createClient } from '../client/client.ts';
import { signIn, signOut, signUp, type SignInOptions } from '../client/sign-in.ts';
import { addressOf } from './connection/address.ts';
import { forgetLogin, readLogin, writeLogin, type StoredLogin } from './connection/config.ts';
import { textOf, type Flags } from './flags.ts';
import { askSecret, type Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

type Command = (flags: Flags, terminal: Terminal) => Promise<void>;

const makeAccount: Command = async (flags, terminal) => {
  const account = {
    url: required(flags, 'url'),
    email: required(flags, 'email'),
    name: required(flags, 'name'),
    token: textOf(flags, 'token'),
  };
  const password = await askSecret(terminal, 'New password: ');
  await keep(await keyFor(await signUp({ ...account, password, signal: terminal.signal })), terminal);
};

const login: Command = async (flags, terminal) => {
  const url = required(flags, 'url');
  const email = textOf(flags, 'email');
  if (email === undefined) {
    await keep({ url, apiKey: await askSecret(terminal, 'API key: ') }, terminal);
    return;
  }
  const password = await askSecret(terminal, 'Password: ');
  const session = await signInAsking({ url, email, password, token: textOf(flags, 'token') }, terminal);
  await keep(await keyFor(session), terminal);
};

/** Asks for the code of the second factor, once, where the account has one. */
export async function signInAsking(account: SignInOptions, terminal: Terminal): Promise<Connection> {
  try {
    return await signIn({ ...account, signal: terminal.signal });
  } catch (error) {
    if (!(error instanceof BerthError && error.needs === 'code')) throw error;
  }
  const code = await askSecret(terminal, 'Code of the authenticator app, or a recovery code: ');
  return signIn({ ...account, code, signal: terminal.signal });
}

const logout: Command = async (_flags, terminal) => {
  const stored = await readLogin(terminal.environment);
  if (stored?.apiKeyId !== undefined)
    await createClient(stored).user.deleteApiKey({ apiKeyId: stored.apiKeyId }, { signal: terminal.signal });
  await forgetLogin(terminal.environment);
  terminal.out(stored ? `Signed out of ${stored.url}.\n` : 'You were not signed in.\n');
};

export const loginCommands: ReadonlyMap<string, Command> = new Map([
  ['sign-up', makeAccount],
  ['login', login],
  ['logout', logout],
]);

/**
 * The session is given back for a key, since a program that changes things should not need a browser's
 * cookie.
 */
async function keyFor(session: Connection): Promise<StoredLogin> {
  const { user } = createClient(session);
  const { organizationId, email } = await user.get();
  try {
    const { id, key } = await user.createApiKey({
      name: `berth on ${hostname()}`.slice(0, 100),
      metadata: { organizationId },
    });
    return { url: session.url, apiKey: key, apiKeyId: id };
  } catch (cause) {
    if (!(cause instanceof BerthError && cause.code === 'FORBIDDEN')) throw cause;
    throw new BerthError(
      cause.code,
      `The account ${email} is valid, but this program needs an API key, and the account may not create ` +
        `one. ${cause.message}`,
      { httpStatus: cause.httpStatus },
    );
  } finally {
    await signOut(session);
  }
}

/** Keeps the login after it worked once. */
async function keep(login: StoredLogin, terminal: Terminal): Promise<void> {
  const { email, role } = await createClient(login).user.get({}, { signal: terminal.signal });
  await writeLogin(terminal.environment, login);
  terminal.out(`Signed in to ${login.url} as ${printable(email)} (${printable(role)}).\n`);
}

const examples: Readonly<Record<string, string>> = {
  url: ': the address of Berth, such as https://berth.example.com',
  email: ': the address of the account',
  name: ': your name, as other members see it',
};

function required(flags: Flags, name: string): string {
  const text = textOf(flags, name);
  if (text === undefined || text === 'true')
    throw new UsageError(`--${name} is required${examples[name] ?? ''}.`);
  return name === 'url' ? addressOf(text, '--url') : text;
}
