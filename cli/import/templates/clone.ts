/** A catalogue at a git address, cloned into a folder for as long as it is read. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { UsageError } from '../../usage-error.ts';

const run = promisify(execFile);
const cloneLimitMs = 300_000;

/** https://, ssh:// and git@host:path; everything else is a folder. */
export const isGitAddress = (text: string): boolean =>
  /^(?:https?|ssh):\/\//.test(text) || /^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:/.test(text);

export async function withClone<T>(
  address: string,
  signal: AbortSignal,
  read: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-catalogue-'));
  try {
    await run('git', ['clone', '--quiet', '--depth=1', '--no-tags', '--', address, folder], {
      signal,
      timeout: cloneLimitMs,
      maxBuffer: 1_000_000,
      env: { ...process.env, GIT_TERMINAL_PROMPT: '0' },
    }).catch((cause: unknown) => {
      const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : '';
      throw new UsageError(`git could not clone ${address}: ${said || 'it is not installed here'}`, {
        cause,
      });
    });
    return await read(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
