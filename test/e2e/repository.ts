/** Git repositories laid out on a bed host, written to as their author would. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BedHost } from '../bed/host.ts';

export type Files = Record<string, string | Uint8Array>;

export interface Repository {
  /** Path of the bare repository inside its host. */
  readonly path: string;
  /** `file://` address for a Berth on the same host. */
  readonly url: string;
  /** A further commit, pushed to the branch; gives its id. */
  commit(files: Files, branch?: string): Promise<string>;
  /** Pushes a tag of the newest commit. */
  tag(name: string): Promise<void>;
  /** Puts another repository of the same host into a folder of this one; the next commit takes it. Its address is relative. */
  addSubmodule(other: Repository, folder: string): Promise<void>;
}

/** Folder of the host below which the repositories lie. */
export const repositoriesFolder = '/srv/git';

/** A repository with these files in one commit on `main`. */
export async function createRepository(host: BedHost, name: string, files: Files): Promise<Repository> {
  const path = join(repositoriesFolder, `${name}.git`);
  const work = join(repositoriesFolder, `${name}-work`);
  const git = async (...args: string[]): Promise<string> => {
    const settings = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'protocol.file.allow=always', '-c', 'advice.detachedHead=false'];
    // Git cannot work in a folder of another mount namespace, so it runs on the host.
    const { code, stdout, stderr } = await host.exec(['git', '-C', work, ...settings, ...args]);
    if (code !== 0) throw new Error(`git ${args.join(' ')} of ${name} failed: ${stderr}`);
    return stdout.trim();
  };
  const write = async (file: string, content: string | Uint8Array): Promise<void> => {
    const target = host.path(join(work, file));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content, { mode: isProgram(content) ? 0o755 : 0o644 });
  };
  await mkdir(host.path(work), { recursive: true });
  await git('init', '-q', '--bare', '-b', 'main', path);
  await git('init', '-q', '-b', 'main');
  await git('remote', 'add', 'origin', path);
  const repository: Repository = {
    path, url: `file://${path}`,
    async commit(changed, branch = 'main') {
      for (const [file, content] of Object.entries(changed)) await write(file, content);
      await git('add', '-A');
      await git('commit', '-q', '--allow-empty', '-m', `Change ${Object.keys(changed).join(', ')}`);
      await git('push', '-q', '-f', 'origin', `HEAD:refs/heads/${branch}`);
      return git('rev-parse', 'HEAD');
    },
    async tag(label) {
      await git('tag', '-f', label);
      await git('push', '-q', '-f', 'origin', `refs/tags/${label}`);
    },
    async addSubmodule(other, folder) {
      await git('submodule', '--quiet', 'add', other.path, folder);
      await write('.gitmodules', `[submodule "${folder}"]\n path = ${folder}\n url = ../${other.path.slice(repositoriesFolder.length + 1)}\n`);
    },
  };
  await repository.commit(files);
  return repository;
}

/** A script or a binary program (ELF). */
function isProgram(content: string | Uint8Array): boolean {
  return typeof content === 'string' ? content.startsWith('#!') : content[1] === 0x45;
}
