/**
 * What a folder and an address were told to mean: `berth link` and `berth use`. Kept outside the folder, so
 * that nothing of it comes into a repository.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { configPath, fieldsOf, parseJson } from './connection/config.ts';

/** The service of a folder, at one Berth. */
export interface FolderLink {
  url: string;
  /** Id of the service; its name may change. */
  serviceId: string;
  /** As it was called then, `project/service`. */
  name: string;
}

interface Links {
  /** By folder. */
  folders: Record<string, FolderLink>;
  /** By address: the project, or `project/environment`, that names without one belong to. */
  scopes: Record<string, string>;
}

type Place = { environment: NodeJS.ProcessEnv; folder: string };

/** The link of the folder, or of one that it stands in; undefined without one at this address. */
export async function linkOf({ environment, folder }: Place, url: string): Promise<FolderLink | undefined> {
  const { folders } = await read(environment);
  for (let path = resolve(folder); ; path = dirname(path)) {
    const link = folders[path];
    if (link?.url === url) return link;
    if (dirname(path) === path) return undefined;
  }
}

export async function saveLink({ environment, folder }: Place, link: FolderLink): Promise<void> {
  const links = await read(environment);
  await write(environment, { ...links, folders: { ...links.folders, [resolve(folder)]: link } });
}

/** Says whether there was one. */
export async function removeLink({ environment, folder }: Place): Promise<boolean> {
  const links = await read(environment);
  const { [resolve(folder)]: removed, ...folders } = links.folders;
  await write(environment, { ...links, folders });
  return removed !== undefined;
}

export async function scopeOf({ environment }: Place, url: string): Promise<string | undefined> {
  return (await read(environment)).scopes[url];
}

export async function saveScope(
  { environment }: Place,
  url: string,
  scope: string | undefined,
): Promise<void> {
  const links = await read(environment);
  const { [url]: _former, ...scopes } = links.scopes;
  await write(environment, { ...links, scopes: scope === undefined ? scopes : { ...scopes, [url]: scope } });
}

const file = 'folders.json';

async function read(environment: NodeJS.ProcessEnv): Promise<Links> {
  // Without the file nothing is linked; a damaged one is made anew by the next link.
  const text = await readFile(configPath(environment, file), 'utf8').catch(() => '{}');
  const { folders, scopes } = fieldsOf(parseJson(text));
  return {
    folders: Object.fromEntries(
      Object.entries(fieldsOf(folders)).flatMap(([folder, value]) => {
        const { url, serviceId, name } = fieldsOf(value);
        if (typeof url !== 'string' || typeof serviceId !== 'string' || typeof name !== 'string') return [];
        return [[folder, { url, serviceId, name }]];
      }),
    ),
    scopes: Object.fromEntries(
      Object.entries(fieldsOf(scopes)).flatMap(([url, scope]) =>
        typeof scope === 'string' ? [[url, scope]] : [],
      ),
    ),
  };
}

async function write(environment: NodeJS.ProcessEnv, links: Links): Promise<void> {
  const path = configPath(environment, file);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const beside = `${path}.${process.pid}`;
  await writeFile(beside, `${JSON.stringify(links, null, 2)}\n`, { mode: 0o600 });
  await rename(beside, path);
}
