import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { KeptFile, ProxyStore } from '../../ports/certificate-news.ts';

/**
 * Folder of Caddy's storage beside the admin socket (https://caddyserver.com/docs/json/storage/file_system/).
 */
export const storeFolder = 'store';

/** Folder in it with a storage for each account that is not the installation's. */
const accountsFolder = 'accounts';

/** The storage of an account, in the folder above. */
export function accountFolder(account: string): string {
  return `${accountsFolder}/${account}`;
}

/**
 * Certificates of Caddy's own authority live for hours and are made anew at once; what it is itself, clients
 * may have learnt to trust.
 */
const unkept = 'certificates/local';

/** Letters of Caddy's own file names; no part of a path begins with a dot. */
const pathPattern = /^(?:accounts\/[\w-]+\/)?(?:certificates|acme|pki)(?:\/[\w@+-][\w@.+-]*)+$/;
const wanted = /\.(?:crt|key|json)$/;

/** `folder` is where the store is for this process. */
export function createCaddyStore(folder: string): ProxyStore {
  /** What stands before the paths of each storage: the installation's own, then those of the accounts. */
  const storages = async (): Promise<string[]> => [
    '',
    ...(await inside(folder, accountsFolder)).map((path) => `${path}/`),
  ];
  const everywhere = async <T>(work: (storage: string) => Promise<T[]>): Promise<T[]> =>
    (await Promise.all((await storages()).map(work))).flat();

  return {
    async files(host) {
      if (host !== undefined) return everywhere((storage) => filesOfHost(folder, storage, host));
      return everywhere(async (storage) => [
        ...(await walk(folder, `${storage}certificates`)),
        ...(await walk(folder, `${storage}acme`)),
        ...(storage === '' ? await walk(folder, 'pki') : []),
      ]);
    },
    async folders() {
      const [authorities, users] = await Promise.all([
        everywhere((storage) => inside(folder, `${storage}certificates`)),
        everywhere((storage) => inside(folder, `${storage}acme`)),
      ]);
      const deeper = await Promise.all([
        ...authorities.map((path) => inside(folder, path)),
        ...users.map((path) => inside(folder, `${path}/users`)),
        inside(folder, 'pki/authorities'),
      ]);
      return new Set(deeper.flat());
    },
    accounts: async () => (await readdir(join(folder, accountsFolder)).catch(absent)) ?? [],
    async forget(account, { certificates }) {
      if (!pathPattern.test(`${accountFolder(account)}/acme/x`)) return;
      await rm(join(folder, accountFolder(account), ...(certificates ? [] : ['acme'])), {
        recursive: true,
        force: true,
      });
    },
    putBack: (files) => putBack(folder, files),
  };
}

/** Paths of what is in a folder of the store. */
async function inside(folder: string, path: string): Promise<string[]> {
  return ((await readdir(join(folder, path)).catch(absent)) ?? []).map((name) => `${path}/${name}`);
}

async function walk(folder: string, path: string): Promise<KeptFile[]> {
  if (path === unkept) return [];
  const entries = await readdir(join(folder, path), { withFileTypes: true }).catch(absent);
  const found: KeptFile[] = [];
  for (const entry of entries ?? []) {
    const below = `${path}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await walk(folder, below)));
    else if (entry.isFile() && wanted.test(entry.name) && pathPattern.test(below))
      found.push({ path: below, content: await readFile(join(folder, below), 'utf8') });
  }
  return found;
}

/** Certificates of the host with the account that got them. */
async function filesOfHost(folder: string, storage: string, host: string): Promise<KeptFile[]> {
  const authorities = await inside(folder, `${storage}certificates`);
  const kept = authorities.filter((path) => path !== unkept);
  const own = (await Promise.all(kept.map((path) => walk(folder, `${path}/${host}`)))).flat();
  return own.length === 0 ? [] : [...own, ...(await walk(folder, `${storage}acme`))];
}

async function putBack(folder: string, files: readonly KeptFile[]): Promise<void> {
  // A folder is there as a whole or not at all, also when Berth is killed meanwhile: of one without its
  // key another certificate would be asked for.
  const part = join(folder, 'part');
  for (const [path, own] of Map.groupBy(
    files.filter((file) => pathPattern.test(file.path)),
    (file) => dirname(file.path),
  )) {
    await rm(part, { recursive: true, force: true });
    await mkdir(part, { recursive: true, mode: 0o700 });
    for (const file of own) await writeFile(join(part, basename(file.path)), file.content, { mode: 0o600 });
    await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    await rename(part, join(folder, path)).catch(present);
  }
  await rm(part, { recursive: true, force: true });
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
    return undefined;
  throw error;
}

function present(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && (error.code === 'EEXIST' || error.code === 'ENOTEMPTY')))
    throw error;
}
