/** Where Berth is and who calls: the environment, else the file that login wrote (0600). */
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { addressOf } from './address.ts';
import { UsageError } from './usage-error.ts';

const stored = z.object({
  url: z.url(),
  apiKey: z.string(),
  apiKeyId: z.string().optional().describe('Of a key that login made; logout revokes it'),
});

export type StoredLogin = z.infer<typeof stored>;

export function configPath(environment: NodeJS.ProcessEnv): string {
  const base = environment['XDG_CONFIG_HOME'] || join(environment['HOME'] ?? '/', '.config');
  return join(base, 'berth/config.json');
}

/** The connection to call with; throws UsageError when there is none. */
export async function readConnection(
  environment: NodeJS.ProcessEnv,
): Promise<{ url: string; apiKey: string }> {
  const { BERTH_URL: url, BERTH_API_KEY: apiKey } = environment;
  if (url && apiKey) return { url: addressOf(url, 'BERTH_URL'), apiKey };
  const login = await readLogin(environment);
  if (!login && !apiKey)
    throw new UsageError('Not signed in. Run `berth login --url URL`, or set BERTH_URL and BERTH_API_KEY.');
  if (!login) throw new UsageError('BERTH_API_KEY is set, but not BERTH_URL. Set the address too.');
  return { url: url ? addressOf(url, 'BERTH_URL') : login.url, apiKey: apiKey || login.apiKey };
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
  if ((mode & 0o077) !== 0)
    throw new UsageError(`${path} holds a key and others may read it. Run: chmod 600 ${path}`);
  const login = stored.safeParse(parse(text));
  if (!login.success) throw new UsageError(`${path} is damaged. Run \`berth login\` again.`);
  return login.data;
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The schema refuses it with the sentence for a damaged file.
    return undefined;
  }
}
