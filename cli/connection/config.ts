/** Where Berth is and who calls: the environment, else the file that login wrote (0600). */
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Connection } from '../../client/call.ts';
import { addressOf } from './address.ts';
import { quickFetch } from './quick-fetch.ts';
import { UsageError } from '../usage-error.ts';

export interface StoredLogin {
  url: string;
  apiKey: string;
  /** Of a key that login made; logout revokes it. */
  apiKeyId?: string | undefined;
}

/** The folder of what this program keeps, and a file in it. */
export function configPath(environment: NodeJS.ProcessEnv, file = 'config.json'): string {
  const home = environment['HOME'] || environment['USERPROFILE'] || '/';
  return join(environment['XDG_CONFIG_HOME'] || join(home, '.config'), 'berth', file);
}

/** The connection to call with; throws UsageError when there is none. */
export async function readConnection(environment: NodeJS.ProcessEnv): Promise<Connection> {
  return { ...(await readKey(environment)), fetch: quickFetch };
}

async function readKey(environment: NodeJS.ProcessEnv): Promise<{ url: string; apiKey: string }> {
  const { BERTH_URL: url } = environment;
  // A secret of a runner often ends with a line break.
  const apiKey = environment['BERTH_API_KEY']?.trim();
  if (apiKey && !/^[\x21-\x7E]+$/.test(apiKey))
    throw new UsageError(
      'The API key has a blank, a line break or a letter in it that no key has. Copy it again.',
    );
  if (url && apiKey) return { url: addressOf(url, 'BERTH_URL'), apiKey };
  const login = await readLogin(environment);
  if (!login && !apiKey)
    throw new UsageError('Not signed in. Run `berth login --url URL`, or set BERTH_URL and BERTH_API_KEY.');
  if (!login) throw new UsageError('BERTH_API_KEY is set, but not BERTH_URL. Set the address too.');
  const address = url ? addressOf(url, 'BERTH_URL') : login.url;
  if (!apiKey && !isSamePlace(address, login.url))
    throw new UsageError(
      `You are signed in to ${login.url}, and that key is not sent to ${address}. Give a key for it too ` +
        '(--key or BERTH_API_KEY), or run `berth login --url` for it.',
    );
  return { url: address, apiKey: apiKey || login.apiKey };
}

function isSamePlace(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin;
}

/**
 * What login stored; undefined when nobody is signed in. Throws UsageError when others may read it or it is
 * damaged.
 */
export async function readLogin(environment: NodeJS.ProcessEnv): Promise<StoredLogin | undefined> {
  const path = configPath(environment);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const { mode } = await stat(path);
  // Windows has no such modes; a file of one's profile is one's own there.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new UsageError(`${path} holds a key and others may read it. Run: chmod 600 ${path}`);
  const login = loginOf(parseJson(text));
  if (!login) throw new UsageError(`${path} is damaged. Run \`berth login\` again.`);
  return login;
}

export async function writeLogin(environment: NodeJS.ProcessEnv, login: StoredLogin): Promise<void> {
  const path = configPath(environment);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 });
  // A file that was there before keeps its mode.
  await chmod(path, 0o600);
}

export async function forgetLogin(environment: NodeJS.ProcessEnv): Promise<void> {
  await rm(configPath(environment), { force: true });
}

/**
 * The file by hand and not by a schema: the words of the command line begin in a third of the time without
 * one.
 */
function loginOf(value: unknown): StoredLogin | undefined {
  const { url, apiKey, apiKeyId } = fieldsOf(value);
  if (typeof url !== 'string' || !URL.canParse(url) || typeof apiKey !== 'string') return undefined;
  return { url, apiKey, apiKeyId: typeof apiKeyId === 'string' ? apiKeyId : undefined };
}

/** The fields of what should be an object; none of anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

/** JSON of a file of our own; undefined where it is damaged. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whoever asked says what a damaged file means there.
    return undefined;
  }
}
