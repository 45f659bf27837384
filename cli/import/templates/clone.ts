/** A catalogue at a git address, cloned into a folder for as long as it is read. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programArgv, theirWord } from '../../program-argv.ts';
import type { Terminal } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';

/** https://, ssh:// and git@host:path; everything else is a folder. */
export const isGitAddress = (text: string): boolean =>
  /^(?:https?|ssh):\/\//.test(text) || /^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:/.test(text);

/** By the git of this machine, whose own words a person sees. */
export async function withClone<T>(
  address: string,
  terminal: Pick<Terminal, 'runProgram'>,
  read: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-catalogue-'));
  try {
    const options = ['--quiet', '--depth=1', '--no-tags', '--'];
    const argv = programArgv('git', 'clone', ...options, theirWord(address), folder);
    const code = await terminal.runProgram(argv, { GIT_TERMINAL_PROMPT: '0' });
    if (code !== 0) throw new UsageError(`git could not clone ${address}.`);
    return await read(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
