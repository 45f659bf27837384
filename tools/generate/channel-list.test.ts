import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { channelListFile } from './channel-list.ts';

const folders: string[] = [];
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

async function listOf(...files: string[]): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'channels-'));
  folders.push(root);
  const folder = join(root, 'server/src/modules/notification/channels');
  await mkdir(folder, { recursive: true });
  for (const file of files) await writeFile(join(folder, file), '');
  return channelListFile(root)[1];
}

test('a new channel comes after the first six; tests and shared files are none', async () => {
  const list = await listOf('channel.ts', 'channels.ts', 'gotify.ts', 'ntfy.ts', 'ntfy.test.ts', 'email.ts');
  expect(list).toContain('export const channels = { email, ntfy, gotify };');
  expect(list.match(/^import/gm)).toHaveLength(3);
});

test('a file that could be no channel by its name is refused, not left out', async () => {
  await expect(listOf('google-chat.ts')).rejects.toThrow('google-chat.ts must be named by one word');
});
