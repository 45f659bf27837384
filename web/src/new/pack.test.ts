import { Readable } from 'node:stream';
import { extract } from 'tar-stream';
import { expect, it } from 'vitest';
import { packFolder } from './pack.ts';

/** What another program reads of the archive. */
async function unpacked(file: Blob): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const reader = extract();
  Readable.from(Buffer.from(await file.arrayBuffer())).pipe(reader);
  for await (const entry of reader) {
    const parts: Buffer[] = [];
    for await (const part of entry as AsyncIterable<Buffer>) parts.push(part);
    found[entry.header.name] = Buffer.concat(parts).toString();
  }
  return found;
}

const picked = (path: string, text: string) => ({ path, file: new File([text], 'x') });

it('a folder is read again whole, without what no source needs', async () => {
  const long = `${'folder/'.repeat(18)}file.txt`;
  const whole = 'x'.repeat(512);
  const file = await packFolder([
    picked('Dockerfile', 'FROM scratch\n'),
    picked('src/größe.txt', 'ü'),
    picked(long, whole),
    picked('empty', ''),
    picked('.git/HEAD', 'ref'),
    picked('web/node_modules/a/index.js', 'a'),
  ]);
  expect(await unpacked(file)).toEqual({
    Dockerfile: 'FROM scratch\n',
    'src/größe.txt': 'ü',
    [long]: whole,
    empty: '',
  });
});

it('an empty folder and a path that no archive takes are refused in words', async () => {
  await expect(packFolder([picked('.git/HEAD', '')])).rejects.toThrow('There is no file');
  await expect(packFolder([picked('a'.repeat(101), '')])).rejects.toThrow('too long for an archive');
});
