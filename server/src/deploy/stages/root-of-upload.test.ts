import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createWorkFiles } from '../../adapters/files/work-files.ts';
import { rootOfUpload, type UploadContext } from './root-of-upload.ts';

const folder = mkdtempSync(join(tmpdir(), 'upload-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const settings: UploadContext['application'] = {
  buildPath: '',
  dockerfile: 'Dockerfile',
  containerContextPath: null,
  publishDirectory: null,
};

async function rootOf(names: readonly string[], changed: Partial<typeof settings> = {}) {
  for (const name of names) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), '');
  }
  const lines: string[] = [];
  const root = await rootOfUpload(
    {
      application: { ...settings, ...changed },
      fileSystem: createWorkFiles(),
      log: { line: (text) => lines.push(text) },
    },
    folder,
  );
  return { root: root.slice(folder.length), lines };
}

test.each([
  ['the zip of a git host', ['shop-main/Dockerfile', 'shop-main/src/app.js']],
  ['the zip of a desktop', ['shop-main/index.html', '__MACOSX/._shop-main', '.DS_Store']],
])('%s: its folder is the source', async (_, names) => {
  expect(await rootOf(names)).toEqual({
    root: '/shop-main',
    lines: ['The upload has a single folder, shop-main, which is used as the source.'],
  });
});

test.each([
  ['a file beside the folder', ['shop/Dockerfile', 'README.md'], {}],
  ['two folders', ['web/index.html', 'api/main.py'], {}],
  ['a single file', ['Dockerfile'], {}],
  ['a build path that begins with the folder', ['apps/api/Dockerfile'], { buildPath: '/apps/api' }],
  ['a Dockerfile in the folder', ['docker/Dockerfile'], { dockerfile: 'docker/Dockerfile' }],
  ['pages in the folder', ['dist/index.html'], { publishDirectory: './dist' }],
])('%s: the upload is the source', async (_, names, changed) => {
  expect(await rootOf(names, changed)).toEqual({ root: '', lines: [] });
});
