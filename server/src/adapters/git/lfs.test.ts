import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { AppError } from '../../domain/errors.ts';
import { parseGitUrl } from '../../domain/git/git-source.ts';
import type { OutgoingAnswer } from '../../ports/outgoing.ts';
import { fetchLfs } from './lfs.ts';

const exec = promisify(execFile);
const directory = await mkdtemp(join(tmpdir(), 'berth-lfs-'));
afterAll(() => rm(directory, { recursive: true, force: true }));

const content = 'the file';
const oid = createHash('sha256').update(content).digest('hex');
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${content.length}\n`;

/** Answers as a server of Git LFS does. */
async function answer({ method }: { method: string }): Promise<OutgoingAnswer> {
  const objects = [{ oid, actions: { download: { href: 'https://git.example.com/file' } } }];
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(method === 'POST' ? JSON.stringify({ objects }) : content);
  }
  return { status: 200, body: body() };
}

it('ends with its checkout, however many pointers name a file that has come', async () => {
  const git = (...args: string[]) => exec('git', args, { cwd: directory });
  await git('init', '--quiet');
  const names = Array.from({ length: 500 }, (_, at) => `${at}.bin`);
  await writeFile(join(directory, '.gitattributes'), '*.bin filter=lfs\n');
  for (const name of names) await writeFile(join(directory, name), pointer);
  await git('add', '.');
  const read = (name: string): Promise<string> => readFile(join(directory, name), 'utf8');
  const ended = new AbortController();
  /** As the watch over the disk does, once the second file stands there. */
  const watching = (async () => {
    const [, second = ''] = (await git('ls-files', '*.bin')).stdout.split('\n');
    while ((await read(second)) !== content) await new Promise(setImmediate);
    ended.abort(new AppError('PRECONDITION_FAILED', 'The disk is full.'));
  })();
  const fetching = fetchLfs(
    {
      call: async (args) => ({ ok: true, lines: [], lastLine: '', stdout: (await git(...args)).stdout }),
      directory,
      source: parseGitUrl('https://git.example.com/shop.git', 'url'),
      credentials: undefined,
      outgoing: { request: answer },
      by: { organizationId: 'one' },
      git: { signal: ended.signal, onLine: () => undefined },
      deadline: Infinity,
    },
    [],
  );
  await expect(fetching).rejects.toThrow('The disk is full.');
  await watching;
  const texts = await Promise.all(names.map(read));
  expect(texts).toContain(pointer);
});
