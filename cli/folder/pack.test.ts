import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { unpackUpload } from '../../server/src/adapters/archive/unpack-upload.ts';
import { chunkBytes, chunkNameBytes } from '../../server/src/domain/chunked-archive.ts';
import { chunksOf } from './chunks.ts';
import { dockerRules, gitRules } from './ignore-rules.ts';
import { packFolder } from './pack.ts';
import { tarOf } from './tar.ts';
import { archivePath, filesToSend, isExecutable } from './walk.ts';
import { nameFromFolder, whatItIs } from './what-it-is.ts';

let folder: string;
let elsewhere: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-pack-'));
  elsewhere = mkdtempSync(join(tmpdir(), 'berth-unpacked-'));
});
afterEach(() => {
  for (const place of [folder, elsewhere]) rmSync(place, { recursive: true, force: true });
});

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const sent = async (): Promise<string[]> => (await filesToSend(folder)).map(({ path }) => path);
const never = new AbortController().signal;
const bytesOf = async ({ file }: { file: File }): Promise<Buffer> => Buffer.from(await file.arrayBuffer());

describe('what is left out', () => {
  test('is what git leaves out, by every .gitignore on the way', async () => {
    const files = {
      '.gitignore':
        '# all logs\n*.log\n/build\nnode_modules/\n!keep.log\ndocs/**/draft.md\n\\#odd\nspace\\ \n',
      'a.log': '',
      'keep.log': '',
      'sub/b.log': '',
      'sub/.gitignore': '!b.log\nonly-here\n',
      'sub/only-here': '',
      'only-here': '',
      'build/x': '',
      'sub/build/x': '',
      'node_modules/m/index.js': '',
      'sub/node_modules/m.js': '',
      'docs/a/b/draft.md': '',
      'docs/a/final.md': '',
      '#odd': '',
      'x[1].txt': '',
      'name.with.dots': '',
    };
    write(files);
    execFileSync('git', ['init', '-q'], { cwd: folder });
    const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: folder });
    expect(await sent()).toEqual(listed.toString().split('\0').filter(Boolean).toSorted());
  });

  test.each([
    ['**/temp', 'a/temp/x', true],
    ['*.md', 'README.md', true],
    ['*.md', 'docs/README.md', false],
    ['/src', 'src/a', true],
    ['a?c', 'abc', true],
    ['[!a]b', 'ab', false],
    ['**', 'any/thing', true],
  ])('.dockerignore: %s and %s: %s', (rule, path, isLeftOut) => {
    expect(dockerRules(rule).ignores(path, false) === true).toBe(isLeftOut);
  });

  test('.dockerignore brings back with !, and never leaves out what the builder reads', async () => {
    write({ '.dockerignore': '*\n!src\n', Dockerfile: '', 'src/a': '', 'src/b/c': '', 'other/d': '' });
    expect(await sent()).toEqual(['.dockerignore', 'Dockerfile', 'src/a', 'src/b/c']);
  });

  test("git's own folder and what systems put everywhere", async () => {
    write({ '.git/config': '', '.DS_Store': '', '._a': '', 'sub/Thumbs.db': '', '.env.example': '', a: '' });
    expect(await sent()).toEqual(['.env.example', 'a']);
  });

  test('a rule of a folder holds for it and what is below', () => {
    const rules = gitRules('/build/\n', 'sub');
    expect(rules.ignores('sub/build', true)).toBe(true);
    expect(rules.ignores('sub/build', false)).toBeUndefined();
    expect(rules.ignores('build', true)).toBeUndefined();
  });
});

describe('the archive', () => {
  const long = `${'a-long-folder-name/'.repeat(8)}${'ü'.repeat(60)}.txt`;

  test('is what Berth unpacks: long names, executable bits, links as what they lead to', async () => {
    write({ [long]: 'long', 'run.sh': '#!/bin/sh\n', 'shared/a.txt': 'shared', empty: '' });
    chmodSync(join(folder, 'run.sh'), 0o750);
    symlinkSync('shared', join(folder, 'linked'));
    symlinkSync('../shared/a.txt', join(folder, 'shared', 'again.txt'));
    await using packed = await packFolder(folder, never);
    expect(packed).toMatchObject({ files: 7, bytes: 4 + 10 + 4 * 6 });
    const out = join(elsewhere, 'out');
    writeFileSync(join(elsewhere, 'packed'), await bytesOf(packed));
    expect(await unpackUpload(join(elsewhere, 'packed'), out)).toEqual({ files: 7, bytes: 38 });
    expect(readFileSync(join(out, long), 'utf8')).toBe('long');
    expect(readFileSync(join(out, 'linked/again.txt'), 'utf8')).toBe('shared');
    expect([statSync(join(out, 'run.sh')).mode & 0o777, statSync(join(out, 'empty')).mode & 0o777]).toEqual([
      0o755, 0o644,
    ]);
    writeFileSync(join(elsewhere, 'source.tar'), Buffer.concat([...tarOf(await filesToSend(folder))]));
    const names = execFileSync('tar', ['-tf', join(elsewhere, 'source.tar')]).toString();
    expect(names.split('\n')).toContain('linked/a.txt');
  });

  test('holds files of every size, whole in a chunk or cut, as tar reads them', async () => {
    const sizes = [0, 1, 511, 512, 513, 13_824, 13_825, 20_000, 256 * 1024, 256 * 1024 + 1];
    const names = sizes.flatMap((size) => [`of-${size}`, `${'ü'.repeat(60)}/of-${size}`]);
    const text = (name: string): string => `${name} `.repeat(20_000).slice(0, Number(name.split('of-')[1]));
    write(Object.fromEntries(names.map((name) => [name, text(name)])));
    const archive = Buffer.concat([...tarOf(await filesToSend(folder))]);
    const chunks = [...chunksOf(tarOf(await filesToSend(folder)))];
    expect(Buffer.concat(chunks).equals(archive)).toBe(true);
    const small = chunks.slice(0, -1).filter(({ length }) => length < chunkBytes.least);
    expect([small, chunks.filter(({ length }) => length > chunkBytes.most)]).toEqual([[], []]);
    execFileSync('tar', ['-x', '-C', elsewhere], { input: archive });
    for (const name of names) expect(readFileSync(join(elsewhere, name), 'utf8')).toBe(text(name));
  });

  test('cuts files of long names as often as others, so that a change stays near them', async () => {
    const names = Array.from({ length: 200 }, (_, at) => `${'long-name/'.repeat(15)}${at}`);
    write(Object.fromEntries(names.map((name) => [name, name.repeat(5)])));
    const digests = async (): Promise<string[]> =>
      [...chunksOf(tarOf(await filesToSend(folder)))].map((chunk) =>
        createHash('sha256').update(chunk).digest('hex'),
      );
    const before = new Set(await digests());
    write({ [names[0] ?? '']: 'longer'.repeat(500) });
    const fresh = (await digests()).filter((digest) => !before.has(digest));
    expect(fresh.length).toBeLessThan(5);
  });

  test('is the same for the same files', async () => {
    write({ a: '1', b: '2' });
    await using once = await packFolder(folder, never);
    await using again = await packFolder(folder, never);
    expect((await bytesOf(once)).equals(await bytesOf(again))).toBe(true);
  });

  test('of a folder of several megabytes a change of one byte sends less than 100 kB', async () => {
    const numbers = (file: number): string =>
      Array.from({ length: 6000 }, (_, at) => Math.imul(file * 6000 + at, 0x9e37_79b9)).join('\n');
    write(Object.fromEntries(Array.from({ length: 60 }, (_, file) => [`src/${file}.txt`, numbers(file)])));
    const names = [...chunksOf(tarOf(await filesToSend(folder)))].map((chunk) =>
      createHash('sha256').update(chunk).digest().subarray(0, chunkNameBytes),
    );
    const base = { upload: 'first', names: Buffer.concat(names) };
    const text = numbers(30);
    write({ 'src/30.txt': `${text.slice(0, 20_000)}x${text.slice(20_001)}` });
    await using whole = await packFolder(folder, never);
    await using changed = await packFolder(folder, never, base);
    expect(whole.packedBytes).toBeGreaterThan(1_000_000);
    expect(changed.packedBytes).toBeLessThan(100_000);
  });

  test.each([
    ['out', '/etc/passwd', /out is a link out of the folder/],
    ['lost', 'nowhere', /lost is a broken link/],
    ['round', '.', /round is a link to a folder that contains it/],
  ])('refuses the link %s to %s', async (name, target, sentence) => {
    symlinkSync(target, join(folder, name));
    await expect(packFolder(folder, never)).rejects.toThrow(sentence);
  });

  test('has paths of other systems as Berth reads them', () => {
    // macOS gives letters and their marks apart.
    expect(archivePath('docs', 'u\u0308ber.md')).toBe('docs/\u00fcber.md');
    // Windows has no executable bits, and its own separator never comes into a path.
    expect(archivePath(archivePath('', 'src'), 'main.ts')).toBe('src/main.ts');
    expect(isExecutable(0o666, 'start.sh', 'win32')).toBe(true);
    expect(isExecutable(0o777, 'notes.txt', 'win32')).toBe(false);
    expect(isExecutable(0o755, 'start', 'darwin')).toBe(true);
  });
});

describe('what a folder is', () => {
  test.each([
    [
      { Dockerfile: 'FROM x\nEXPOSE 80\nEXPOSE 8080/tcp\n', 'compose.yml': '' },
      { kind: 'dockerfile', port: 8080 },
    ],
    [
      { 'docker-compose.yml': '', 'package.json': '' },
      { kind: 'compose', composeFile: 'docker-compose.yml' },
    ],
    [
      { 'package.json': '', 'index.html': '' },
      { kind: 'auto', because: 'package.json' },
    ],
    [{ 'requirements.txt': '' }, { kind: 'auto' }],
    [{ 'index.html': '' }, { kind: 'static' }],
    [{ 'README.md': '' }, undefined],
  ])('%j', async (files, facts) => {
    write(files);
    const found = await whatItIs(folder);
    expect({ ...found }).toMatchObject(facts ?? {});
    expect(found === undefined).toBe(facts === undefined);
  });

  test('that is none, or not what it was said to be, is refused', async () => {
    write({ Dockerfile: 'FROM x\n' });
    await expect(whatItIs(join(folder, 'nowhere'))).rejects.toThrow(/^There is no folder .*nowhere\.$/);
    await expect(whatItIs(join(folder, 'Dockerfile'))).rejects.toThrow(/is a file; name the folder it is in/);
    await expect(whatItIs(folder, 'compose')).rejects.toThrow(/has no compose file for --as compose/);
  });

  test('is a name that Berth takes', () => {
    expect(
      ['/srv/My Shop (2)', '/srv/Größe', '/srv/Ça_va', '/srv/日本', '/'].map((one) => nameFromFolder(one)),
    ).toEqual(['my-shop-2', 'grosse', 'ca-va', undefined, undefined]);
  });
});
