import { basename, dirname, join } from 'node:path';
import type { KeptFile, ProxyStore } from '../../ports/certificates/certificate-news.ts';
import { AppError } from '../../domain/errors.ts';
import type { FolderEntry, FolderFiles } from '../../ports/host/folder-files.ts';
import { localFolderFiles } from '../files/folder-files.ts';

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

/**
 * Most of one look at a store. It may be on a server whose root lies about what is there: a folder in each
 * folder, or files without end.
 */
export interface StoreLimits {
  folders: number;
  files: number;
  bytes: number;
  /** Levels below the first folder; Caddy's own paths have four. */
  depth: number;
}

const defaultLimits: StoreLimits = { folders: 20_000, files: 60_000, bytes: 256 * 1024 * 1024, depth: 5 };

/** `folder` is where the store is for `disk`, this process's own unless given. */
export function createCaddyStore(
  folder: string,
  disk: FolderFiles = localFolderFiles,
  limits: StoreLimits = defaultLimits,
): ProxyStore {
  const place: Store = { folder, disk, left: { ...limits } };
  /** Begins a look, which has all of the limits. */
  const look = (): Store => ({ folder, disk, left: { ...limits } });
  /** What stands before the paths of each storage: the installation's own, then those of the accounts. */
  const storages = async (store: Store): Promise<string[]> => [
    '',
    ...(await inside(store, accountsFolder)).map((path) => `${path}/`),
  ];
  const everywhere = async <T>(store: Store, work: (storage: string) => Promise<T[]>): Promise<T[]> =>
    (await Promise.all((await storages(store)).map(work))).flat();

  return {
    async files(host) {
      const store = look();
      if (host !== undefined) return everywhere(store, (storage) => filesOfHost(store, storage, host));
      return everywhere(store, async (storage) => [
        ...(await walk(store, `${storage}certificates`)),
        ...(await walk(store, `${storage}acme`)),
        ...(storage === '' ? await walk(store, 'pki') : []),
      ]);
    },
    async folders() {
      const store = look();
      const [authorities, users] = await Promise.all([
        everywhere(store, (storage) => inside(store, `${storage}certificates`)),
        everywhere(store, (storage) => inside(store, `${storage}acme`)),
      ]);
      const deeper = await Promise.all([
        ...authorities.map((path) => inside(store, path)),
        ...users.map((path) => inside(store, `${path}/users`)),
        inside(store, 'pki/authorities'),
      ]);
      return new Set(deeper.flat());
    },
    accounts: async () => ((await disk.list(join(folder, accountsFolder))) ?? []).map(({ name }) => name),
    async forget(account, { certificates }) {
      if (!pathPattern.test(`${accountFolder(account)}/acme/x`)) return;
      await disk.remove(join(folder, accountFolder(account), ...(certificates ? [] : ['acme'])));
    },
    putBack: (files) => putBack(place, files),
  };
}

interface Store {
  folder: string;
  disk: FolderFiles;
  left: StoreLimits;
}

/** Counts what a look takes; throws SERVICE_UNAVAILABLE when nothing is left of it. */
function take({ folder, left }: Store, what: 'folders' | 'files' | 'bytes', amount = 1): void {
  left[what] -= amount;
  if (left[what] >= 0) return;
  throw new AppError(
    'SERVICE_UNAVAILABLE',
    `The proxy's folder ${folder} holds more ${what} than a proxy makes, so its certificates are not ` +
      'copied. Look at what is there, and remove what is not of the proxy.',
  );
}

/** Paths of what is in a folder of the store. */
async function inside(store: Store, path: string): Promise<string[]> {
  return (await entriesOf(store, path)).map(({ name }) => `${path}/${name}`);
}

async function entriesOf(store: Store, path: string): Promise<FolderEntry[]> {
  take(store, 'folders');
  const entries = (await store.disk.list(join(store.folder, path))) ?? [];
  take(store, 'files', entries.length);
  return entries;
}

async function walk(store: Store, path: string, depth = store.left.depth): Promise<KeptFile[]> {
  const { folder, disk } = store;
  if (path === unkept) return [];
  const found: KeptFile[] = [];
  for (const { name, kind } of await entriesOf(store, path)) {
    const below = `${path}/${name}`;
    if (kind === 'folder' && depth > 0) found.push(...(await walk(store, below, depth - 1)));
    if (kind !== 'file' || !wanted.test(name) || !pathPattern.test(below)) continue;
    const content = await disk.read(join(folder, below));
    // Renewed in between: it is read the next time.
    if (content === undefined) continue;
    take(store, 'bytes', content.length);
    found.push({ path: below, content });
  }
  return found;
}

/** Certificates of the host with the account that got them. */
async function filesOfHost(store: Store, storage: string, host: string): Promise<KeptFile[]> {
  const authorities = await inside(store, `${storage}certificates`);
  const kept = authorities.filter((path) => path !== unkept);
  const own = (await Promise.all(kept.map((path) => walk(store, `${path}/${host}`)))).flat();
  return own.length === 0 ? [] : [...own, ...(await walk(store, `${storage}acme`))];
}

async function putBack({ folder, disk }: Store, files: readonly KeptFile[]): Promise<void> {
  // A folder is there as a whole or not at all, also when Berth is killed meanwhile: of one without its
  // key another certificate would be asked for.
  const part = join(folder, 'part');
  for (const [path, own] of Map.groupBy(
    files.filter((file) => pathPattern.test(file.path)),
    (file) => dirname(file.path),
  )) {
    await disk.remove(part);
    await disk.makeFolder(part);
    for (const file of own) await disk.write(join(part, basename(file.path)), file.content, 0o600);
    await disk.makeFolder(dirname(join(folder, path)));
    await disk.renameFolder(part, join(folder, path));
  }
  await disk.remove(part);
}
