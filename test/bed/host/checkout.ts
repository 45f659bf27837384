import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../../../images/build-context.ts';
import { mustRun } from '../../../images/command.ts';
import type { BedHost } from './host.ts';

const limits = { limitMs: 180_000 };

/**
 * Puts the project into a host as a fresh clone would: history included, nothing that git ignores. Without a
 * revision the working tree's files as they are now; with one, the files of that commit.
 */
export async function copyCheckout(host: BedHost, target: string, revision?: string): Promise<void> {
  // Made on the machine first: git resolves the path of a host's files and then no longer finds them.
  const scratch = await mkdtemp(join(tmpdir(), 'berth-checkout-'));
  try {
    const clone = join(scratch, 'clone');
    await mustRun(['git', 'clone', '--quiet', '--no-hardlinks', repositoryRoot, clone], limits);
    if (revision === undefined) await layWorkingTree(scratch, clone);
    else await mustRun(['git', '-C', clone, 'checkout', '--quiet', '--detach', revision], limits);
    await mkdir(host.path(target), { recursive: true });
    await mustRun(['cp', '-a', '--no-preserve=ownership', `${clone}/.`, host.path(target)], limits);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function layWorkingTree(scratch: string, clone: string): Promise<void> {
  const listed = await mustRun(
    ['git', '-C', repositoryRoot, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    limits,
  );
  const files = listed.split('\0').filter((file) => file !== '');
  const list = join(scratch, 'list');
  const archive = join(scratch, 'files.tar');
  await writeFile(list, files.filter((file) => existsSync(join(repositoryRoot, file))).join('\0'));
  await mustRun(
    ['tar', '-C', repositoryRoot, '--null', '--no-recursion', '-cf', archive, '-T', list],
    limits,
  );
  await mustRun(['tar', '-C', clone, '-xf', archive, '--no-same-owner'], limits);
  const removed = files.filter((file) => !existsSync(join(repositoryRoot, file)));
  await Promise.all(removed.map((file) => rm(join(clone, file), { force: true })));
}
