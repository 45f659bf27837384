import { expect, test } from 'vitest';
import { builderProgramOf, parseRelease } from './builder-programs.ts';

test.each([
  ['https://example.com/v0.36.0/pack-v0.36.0-linux.tgz', 'pack'],
  ['https://example.com/nixpacks-v1.39.0-x86_64-unknown-linux-musl.tar.gz?download=1', 'nixpacks'],
  ['http://10.0.0.5/railpack', 'railpack'],
])('%s is a release of %s', (address, program) => {
  expect(builderProgramOf(parseRelease(address))).toBe(program);
});

test.each([
  ['ftp://example.com/pack-1.tgz', 'must be an https address'],
  ['pack-1.tgz', 'must be an https address'],
  ['https://somebody:secret@example.com/pack-1.tgz', 'no user and no password'],
  ['https://example.com/packer-1.tgz', 'a file name that begins with'],
  ['https://example.com/pack-1/', 'a file name that begins with'],
])('%s is refused', (address, words) => expect(() => parseRelease(address)).toThrow(words));
