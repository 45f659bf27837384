import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createGit } from '../../../server/src/adapters/git/cli.ts';
import type { Outgoing } from '../../../server/src/ports/outgoing.ts';
import { homeOutgoing } from './outgoing-fixture.ts';
import type { Git, GitSource } from '../../../server/src/ports/git.ts';

export interface GitFixture extends Disposable {
  folder: string;
  knownHostsPath: string;
  scratchRoot: string;
  lines: string[];
  git: Git;
  /** Checks out into `<folder>/out`. */
  checkout(
    source: Partial<GitSource> & { url: string },
    options?: { commit?: string; signal?: AbortSignal; limitMs?: number },
  ): ReturnType<Git['checkout']>;
}

export function createGitFixture(outgoing: Outgoing = homeOutgoing): GitFixture {
  const folder = mkdtempSync(join(tmpdir(), 'git-test-'));
  const knownHostsPath = join(folder, 'known hosts');
  const scratchRoot = join(folder, "scratch it's $(here)");
  const lines: string[] = [];
  const git = createGit({ gitPath: '/usr/bin/git', scratchRoot, knownHostsPath, outgoing });
  return {
    folder,
    knownHostsPath,
    scratchRoot,
    lines,
    git,
    checkout: (source, options = {}) =>
      git.checkout(
        { organizationId: 'o1', branch: 'main', submodules: false, ...source },
        join(folder, 'out'),
        {
          signal: new AbortController().signal,
          limitMs: 60_000,
          onLine: (line) => lines.push(line),
          onChild: async () => undefined,
          ...options,
        },
      ),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Git as the author of a repository runs it. */
export function author(directory: string, ...args: string[]): string {
  return execFileSync(
    'git',
    [
      '-c',
      'user.name=A',
      '-c',
      'user.email=a@example.com',
      '-c',
      'protocol.file.allow=always',
      '-c',
      'init.defaultBranch=main',
      ...args,
    ],
    {
      cwd: directory,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
    },
  ).trim();
}

/** A bare repository with these files in one commit on `main`; gives the commit. */
export function makeRepository(bare: string, files: Record<string, string>): string {
  const work = `${bare}-work`;
  mkdirSync(work, { recursive: true });
  author(work, 'init', '-q', '-b', 'main');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(work, name)), { recursive: true });
    writeFileSync(join(work, name), text);
  }
  author(work, 'add', '-A');
  author(work, 'commit', '-q', '-m', 'First');
  author(dirname(bare), 'clone', '-q', '--bare', work, bare);
  author(work, 'remote', 'add', 'origin', bare);
  return author(work, 'rev-parse', 'HEAD');
}

/** A further commit on a branch of a repository made by `makeRepository`; gives the commit. */
export function addCommit(bare: string, branch: string, files: Record<string, string>): string {
  const work = `${bare}-work`;
  author(work, 'checkout', '-q', '-B', branch);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(work, name), text);
  author(work, 'add', '-A');
  author(work, 'commit', '-q', '-m', `Change on ${branch}`);
  author(work, 'push', '-q', '-f', 'origin', `HEAD:refs/heads/${branch}`);
  return author(work, 'rev-parse', 'HEAD');
}
