import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { layoutOf } from '../layout.ts';
import { readSettings } from '../settings/settings.ts';
import { restoreInstallation } from './restore-installation.ts';

let folder: string;
let said: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-restore-'));
  said = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The words of the refusal, and what was printed before. */
async function restored(manifest: string): Promise<string> {
  const [source, data] = [join(folder, 'source'), join(folder, 'data')];
  for (const path of [source, data]) mkdirSync(path);
  writeFileSync(join(source, 'berth-backup.json'), manifest);
  const names = ['berth-backup.json', 'berth.key.sealed', 'berth.dump'] as const;
  for (const name of names.slice(1)) writeFileSync(join(source, name), 'x');
  const file = join(folder, 'backup.tar.gz');
  const pack = ['--create', '--gzip', `--file=${file}`, `--directory=${source}`, '--', ...names];
  execFileSync('tar', pack, { timeout: 30_000 });
  return restoredFrom(file, data);
}

async function restoredFrom(file: string, data: string): Promise<string> {
  const context = {
    layout: layoutOf(data),
    settings: readSettings({}, {}),
    signal: AbortSignal.timeout(30_000),
    say: (line: string) => void said.push(line),
  };
  const refused: unknown = await restoreInstallation(context, file).catch((error: unknown) => error);
  return refused instanceof Error ? refused.message.replaceAll(file, 'FILE') : 'restored';
}

test('an encrypted backup is told with the way to open it', async () => {
  const file = join(folder, 'berth.tar.gz.age');
  writeFileSync(file, 'age-encryption.org/v1\n-> X25519 abc\n');
  expect(await restoredFrom(file, folder)).toMatch(/^FILE is encrypted\. .* age -d -i key\.txt FILE /);
});

const hostile = '\u001b]0;owned\u0007\u001b[2J\u009b2J';

test("a stranger's manifest is printed without what a terminal obeys", async () => {
  const manifest = { form: 'berth-backup-1', database: 'berth.dump', version: `0.1${hostile}` };
  await restored(JSON.stringify({ ...manifest, createdAt: `today${hostile}` }));
  expect(said).toHaveLength(1);
  expect(said.join()).toMatch(/made today.* by Berth 0\.1/);
  expect(said.join()).not.toMatch(/\p{Cc}/u);
});

test.each([
  ['no JSON', `${hostile}{`],
  ['another form', JSON.stringify({ form: hostile })],
  ['without an end', `"${'x'.repeat(70_000)}"`],
])('a manifest that is %s is refused in the words of Berth alone', async (_kind, manifest) => {
  expect(await restored(manifest)).toBe(
    'FILE is not a backup that this Berth understands. Use the version that made it, or a newer one.',
  );
  expect(said).toEqual([]);
});
