import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGzip, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { pack } from 'tar-stream';
import { paxPart, tarHeader, tarOf, zipOf } from '../../../../test/archives/hostile-archives.ts';
import type { TarPart, ZipPart } from '../../../../test/archives/hostile-archives.ts';
import { unpackUpload } from './unpack-upload.ts';
import type { UploadLimits } from './unpack-upload.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'unpack-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const MiB = 1024 * 1024;
const small: UploadLimits = { packedBytes: 4 * MiB, unpackedBytes: MiB, entries: 100 };
const unpack = (archive: Buffer | AsyncIterable<Uint8Array> | string, limits = small) =>
  unpackUpload(
    Buffer.isBuffer(archive) ? Readable.from([archive.subarray(0, 700), archive.subarray(700)]) : archive,
    join(folder, 'out'),
    limits,
  );
const tree = () =>
  Object.fromEntries(
    readdirSync(join(folder, 'out'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length + 5), readFileSync(path, 'utf8')]),
  );
const mode = (path: string) => lstatSync(join(folder, 'out', path)).mode & 0o7777;

describe('good archives', () => {
  const long = `${'directory-'.repeat(9)}/${'file-'.repeat(30)}.txt`;
  const files = {
    'a.txt': 'a',
    'dir/b ü 日本.txt': 'b'.repeat(200_000),
    'run.sh': '#!/bin/sh',
    [long]: 'long',
  };

  async function zip(): Promise<Buffer> {
    const archive = new ZipFile();
    for (const [name, text] of Object.entries(files)) archive.addBuffer(Buffer.from(text), name);
    archive.end();
    const chunks: Buffer[] = [];
    for await (const chunk of archive.outputStream) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  }

  async function tar(): Promise<Buffer> {
    const archive = pack();
    for (const [name, text] of Object.entries(files))
      archive.entry({ name, mode: name === 'run.sh' ? 0o4777 : 0o600 }, text);
    archive.finalize();
    const chunks: Uint8Array[] = [];
    archive.on('data', (chunk) => chunks.push(Buffer.isBuffer(chunk) ? chunk : Buffer.alloc(0)));
    await once(archive, 'end');
    return Buffer.concat(chunks);
  }

  test.each([
    ['zip', zip],
    ['tar', tar],
    ['tar.gz', async () => gzipSync(await tar())],
  ])('%s', async (_, make) => {
    expect(await unpack(await make())).toEqual({ files: 4, bytes: Object.values(files).join('').length });
    expect(tree()).toEqual(files);
    expect(readdirSync(folder)).toEqual(['out']);
  });

  test('modes are 0644 and 0755 whatever the archive says', async () => {
    for (const archive of [
      zipOf([
        { name: 'empty/', mode: 0o040700 },
        { name: 'a', content: 'a', mode: 0o100600 },
        { name: 'b', content: 'b', mode: 0o104777 },
      ]),
      tarOf([
        { name: 'empty/', type: '5', mode: 0o700 },
        { name: 'a', content: 'a', mode: 0o600 },
        { name: 'b', content: 'b', mode: 0o6777 },
      ]),
    ]) {
      await unpack(archive);
      expect([mode('empty'), mode('a'), mode('b')]).toEqual([0o755, 0o644, 0o755]);
    }
  });

  test('from a file, which stays', async () => {
    const path = join(folder, 'upload');
    writeFileSync(path, await zip());
    await unpack(path);
    expect(tree()).toEqual(files);
    expect(existsSync(path)).toBe(true);
  });

  test('tars of many makers', async () => {
    const parts: TarPart[] = [
      paxPart({ comment: 'a'.repeat(40) }, 'g'),
      { name: './', type: '5' },
      { name: './old/', content: '' },
      { name: 'old/file', type: '\0', content: '1' },
      { name: '././@LongLink', type: 'L', content: `gnu/${'x'.repeat(150)}\0` },
      { name: 'cut', content: '2', magic: 'ustar  \0' },
      paxPart({ path: 'pax/ö', size: '1', mtime: '1.5' }),
      { name: 'other', content: '3', size: 0 },
      { name: 'c', prefix: 'a/b', content: '4' },
      { name: 'contiguous', type: '7', content: '5' },
    ];
    await unpack(tarOf(parts, { closing: false }));
    expect(tree()).toEqual({
      'old/file': '1',
      [`gnu/${'x'.repeat(150)}`]: '2',
      'pax/ö': '3',
      'a/b/c': '4',
      contiguous: '5',
    });
  });
});

const badNames: [string | Buffer, string][] = [
  ['../evil', 'leads out of its folder'],
  ['a/../../evil', 'leads out of its folder'],
  ['a/..', 'leads out of its folder'],
  ['/etc/evil', 'has an absolute path'],
  ['//evil', 'has an absolute path'],
  ['C:/evil', 'has an absolute path'],
  ['c:evil', 'has an absolute path'],
  ['..\\evil', 'has a backslash'],
  ['a\\b', 'has a backslash'],
  ['a\nb', 'has a control character'],
  ['a\x1b[2Jb', 'has a control character'],
  [Buffer.from([0x61, 0xff, 0xfe]), 'is not valid UTF-8'],
  [`${'x'.repeat(256)}`, 'has a path that is too long'],
  [`${'d/'.repeat(101)}f`, 'has a path that is too long'],
];

describe('what is refused, by name, and leaves nothing', () => {
  /** How the archive was refused, and what is left in the folder. */
  const refusal = async (archive: Buffer) => {
    const error: unknown = await unpack(archive).then(
      () => new Error('it was unpacked'),
      (thrown: unknown) => thrown,
    );
    return { error, left: readdirSync(folder) };
  };
  const says = (sentence: string, code = 'BAD_REQUEST') => ({
    error: expect.objectContaining({ code, message: expect.stringMatching(sentence) }),
    left: [],
  });
  const first = { name: 'good.txt', content: 'good' };

  test.each(badNames)('the name %j', async (name, sentence) => {
    expect(await refusal(zipOf([first, { name, content: 'x' }]))).toEqual(says(sentence));
    const text = Buffer.isBuffer(name) ? name : Buffer.from(name);
    const part =
      text.length > 100
        ? [
            { name: 'x', type: 'L', content: Buffer.concat([text, Buffer.alloc(1)]) },
            { name: 'cut', content: 'x' },
          ]
        : [{ name, content: 'x' }];
    expect(await refusal(tarOf([first, ...part]))).toEqual(says(sentence));
    expect(await refusal(gzipSync(tarOf([first, ...part])))).toEqual(says(sentence));
  });

  test.each(badNames.filter(([name]) => typeof name === 'string'))(
    'the name %j in an extended header',
    async (name, sentence) => {
      expect(
        await refusal(tarOf([first, paxPart({ path: name.toString() }), { name: 'innocent', content: 'x' }])),
      ).toEqual(says(sentence));
    },
  );

  test('a NUL in a name', async () => {
    expect(await refusal(zipOf([first, { name: 'a\0b', content: 'x' }]))).toEqual(
      says('has a control character'),
    );
    expect(await refusal(tarOf([first, paxPart({ path: 'a\0b' }), { name: 'x', content: 'x' }]))).toEqual(
      says('has a control character'),
    );
  });

  test.each([
    ['1', 'is a hard link'],
    ['2', 'is a symbolic link'],
    ['3', 'is a device'],
    ['4', 'is a device'],
    ['6', 'is a pipe'],
    ['S', 'is a sparse file'],
    ['D', 'is neither'],
    ['V', 'is neither'],
    ['?', 'is neither'],
  ])('a tar entry of type %s', async (type, sentence) =>
    expect(await refusal(tarOf([first, { name: 'odd', type, link: '/etc/passwd' }]))).toEqual(
      says(`holds "odd", which ${sentence}`),
    ),
  );

  test.each([
    [0o120777, 'is a symbolic link'],
    [0o020666, 'is a device'],
    [0o060666, 'is a device'],
    [0o010666, 'is a pipe'],
    [0o140777, 'is a socket'],
  ])('a zip entry of mode %o', async (attributes, sentence) =>
    expect(await refusal(zipOf([first, { name: 'odd', content: '/etc/passwd', mode: attributes }]))).toEqual(
      says(`holds "odd", which ${sentence}`),
    ),
  );

  test('a link first and then a file through it', async () => {
    expect(
      await refusal(
        tarOf([
          { name: 'dir', type: '2', link: '/tmp' },
          { name: 'dir/evil', content: 'x' },
        ]),
      ),
    ).toEqual(says('is a symbolic link'));
    expect(
      await refusal(
        zipOf([
          { name: 'dir', content: '/tmp', mode: 0o120777 },
          { name: 'dir/evil', content: 'x' },
        ]),
      ),
    ).toEqual(says('is a symbolic link'));
  });

  test.each([
    [['a', 'a'], 'occurs twice'],
    [['a', './a'], 'occurs twice'],
    [['a', 'a/b'], 'occurs twice'],
    [['a/b', 'a'], 'occurs twice'],
    [['README', 'readme'], 'in the form of its letters only'],
    [['Dir/x', 'dir/y'], 'in the form of its letters only'],
    [['caf\u00e9', 'cafe\u0301'], 'in the form of its letters only'],
  ])('names that meet: %j', async (names, sentence) => {
    const parts = names.map((name) => ({ name, content: 'x' }));
    expect(await refusal(zipOf(parts))).toEqual(says(sentence));
    expect(await refusal(tarOf(parts))).toEqual(says(sentence));
  });

  test('encrypted, unknown compression, wrong checksum, wrong size', async () => {
    const bad: [ZipPart, string][] = [
      [{ name: 'x', content: 'x', flags: 0x801 }, 'is encrypted'],
      [{ name: 'x', content: 'x', method: 12 }, 'is compressed in a way that is not known'],
      [{ name: 'x', content: 'x', sum: 1 }, 'its entry "x" is damaged'],
      [{ name: 'x', content: 'xxxx', size: 2 }, 'its entry "x" is damaged'],
      [{ name: 'x', content: 'x', size: 20 }, 'its entry "x" is damaged'],
    ];
    for (const [part, sentence] of bad) expect(await refusal(zipOf([first, part]))).toEqual(says(sentence));
  });

  test.each([
    ['nothing', Buffer.alloc(0), 'it is empty'],
    ['text', Buffer.from('hello'.repeat(1000)), 'neither zip nor tar'],
    ['half a zip', zipOf([{ name: 'a', content: 'x'.repeat(5000) }]).subarray(0, 60), 'not a zip archive'],
    ['an empty zip', zipOf([]), 'it holds no files'],
    ['an empty tar', tarOf([{ name: 'dir/', type: '5' }]), 'it holds no files'],
    [
      'a tar cut in a file',
      tarOf([{ name: 'a', content: 'x'.repeat(5000) }]).subarray(0, 1500),
      'it is cut off',
    ],
    [
      'a tar cut in a header',
      tarOf([{ name: 'a', content: 'x'.repeat(512) }]).subarray(0, 1100),
      'it is cut off',
    ],
    [
      'a damaged header',
      Buffer.concat([tarOf([{ name: 'a', content: 'x' }], { closing: false }), Buffer.alloc(512, 'x')]),
      'it is damaged',
    ],
    [
      'a damaged gzip',
      Buffer.concat([
        gzipSync(tarOf([{ name: 'a', content: 'x'.repeat(5000) }])).subarray(0, 40),
        Buffer.alloc(200, 7),
      ]),
      'compression is damaged',
    ],
    [
      'a damaged extended header',
      tarOf([
        { name: 'p', type: 'x', content: '99 path=a\n' },
        { name: 'a', content: 'x' },
      ]),
      'extended headers is damaged',
    ],
    ['an impossible size', tarOf([{ name: 'a', content: 'x', size: 2 ** 63 }]), 'states an impossible size'],
  ])('%s', async (_, archive, sentence) => expect(await refusal(archive)).toEqual(says(sentence)));

  test('what is too large', async () => {
    expect(await refusal(zipOf([{ name: 'a', content: Buffer.alloc(2 * MiB) }]))).toEqual(
      says('larger than 1 MiB when unpacked', 'PAYLOAD_TOO_LARGE'),
    );
    expect(await refusal(gzipSync(tarOf([{ name: 'a', content: Buffer.alloc(2 * MiB) }])))).toEqual(
      says('larger than 1 MiB when unpacked', 'PAYLOAD_TOO_LARGE'),
    );
    const many = Array.from({ length: 101 }, (_, index) => ({ name: `f${index}` }));
    expect(await refusal(zipOf(many))).toEqual(says('more than 100 files and folders', 'PAYLOAD_TOO_LARGE'));
    expect(await refusal(tarOf(many))).toEqual(says('more than 100 files and folders', 'PAYLOAD_TOO_LARGE'));
    expect(await refusal(tarOf([{ name: 'p', type: 'x', size: 2 ** 33, content: '' }]))).toEqual(
      says('larger than 64 KiB'),
    );
    expect(await refusal(Buffer.alloc(5 * MiB))).toEqual(says('larger than 4 MiB', 'PAYLOAD_TOO_LARGE'));
  });

  test('many small files beyond the limit together', async () => {
    expect(
      await refusal(
        zipOf(
          Array.from({ length: 20 }, (_, index) => ({ name: `f${index}`, content: Buffer.alloc(100_000) })),
        ),
      ),
    ).toEqual(says('larger than 1 MiB', 'PAYLOAD_TOO_LARGE'));
  });
});

test('an abort and a broken stream leave nothing', async () => {
  const reason = new Error('gone');
  const slow = async function* () {
    yield tarOf([{ name: 'a', content: 'x' }]).subarray(0, 600);
    throw reason;
  };
  await expect(unpack(slow())).rejects.toBe(reason);
  await expect(
    unpackUpload(Readable.from([Buffer.from('x')]), join(folder, 'out'), small, AbortSignal.abort(reason)),
  ).rejects.toBe(reason);
  expect(readdirSync(folder)).toEqual([]);
});

test('a bomb that states gigabytes costs neither memory nor disk', async () => {
  const bytes = async function* () {
    yield tarHeader({ name: 'bomb', size: 3 * 1024 ** 3 }, 0);
    for (let count = 0; count < 256; count += 1) yield Buffer.alloc(MiB);
  };
  const before = process.memoryUsage.rss();
  await expect(
    unpack(Readable.from(bytes()).pipe(createGzip({ level: 1 })), {
      packedBytes: 64 * MiB,
      unpackedBytes: 8 * MiB,
      entries: 10,
    }),
  ).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  expect(process.memoryUsage.rss() - before).toBeLessThan(200 * MiB);
  expect(readdirSync(folder)).toEqual([]);
}, 60_000);
