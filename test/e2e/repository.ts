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
  /**
   * Puts another repository of the same host into a folder of this one; the next commit takes it. Its address
   * is relative.
   */
  addSubmodule(other: Repository, folder: string): Promise<void>;
}

/** Folder of the host below which the repositories lie. */
export const repositoriesFolder = '/srv/git';

/** A repository with these files in one commit on `main`. */
export async function createRepository(host: BedHost, name: string, files: Files): Promise<Repository> {
  const path = join(repositoriesFolder, `${name}.git`);
  const work = join(repositoriesFolder, `${name}-work`);
  // Git cannot work in a folder of another mount namespace, so it runs on the host.
  const git = async (script: string, ...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await host.exec(['sh', '-e', '-c', script, 'sh', ...words], {
      cwd: work,
      env: { ...author, GIT_DIR: path, GIT_WORK_TREE: work },
    });
    if (code !== 0) throw new Error(`git of ${name} failed: ${script} ${words.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  const write = async (file: string, content: string | Uint8Array): Promise<void> => {
    const target = host.path(join(work, file));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content, { mode: isProgram(content) ? 0o755 : 0o644 });
  };
  let newest = '';
  await mkdir(host.path(work), { recursive: true });
  for (const folder of ['objects', 'refs']) await mkdir(host.path(join(path, folder)), { recursive: true });
  await writeFile(host.path(join(path, 'HEAD')), 'ref: refs/heads/main\n');
  // Compressing programs of megabytes over and over was most of git's work in tests.
  await writeFile(
    host.path(join(path, 'config')),
    '[core]\n repositoryFormatVersion = 0\n bare = true\n compression = 0\n',
  );
  const repository: Repository = {
    path,
    url: `file://${path}`,
    async commit(changed, branch = 'main') {
      for (const [file, content] of Object.entries(changed)) await write(file, content);
      const message = `Change ${Object.keys(changed).join(', ')}`;
      newest = await git(
        'git add -A; new=$(git commit-tree "$(git write-tree)" ${3:+-p "$3"} -m "$2"); git update-ref ' +
          '"refs/heads/$1" "$new"; echo "$new"',
        branch,
        message,
        newest,
      );
      return newest;
    },
    async tag(label) {
      await git('git tag -f "$1" "$2"', label, newest);
    },
    async addSubmodule(other, folder) {
      await git('git -c protocol.file.allow=always submodule --quiet add "$1" "$2"', other.path, folder);
      await write(
        '.gitmodules',
        `[submodule "${folder}"]\n path = ${folder}\n url = ` +
          `../${other.path.slice(repositoriesFolder.length + 1)}\n`,
      );
    },
  };
  await repository.commit(files);
  return repository;
}

const author = {
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};

/** A script or a binary program (ELF). */
function isProgram(content: string | Uint8Array): boolean {
  return typeof content === 'string' ? content.startsWith('#!') : content[1] === 0x45;
}
