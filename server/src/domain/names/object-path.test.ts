import { describe, expect, it } from 'vitest';
import { parseObjectPath } from './object-path.ts';

describe('the path of an object', () => {
  it('is relative, its slashes and dots taken off', () => {
    for (const [text, path] of [
      ['', ''],
      ['/', ''],
      ['shop', 'shop'],
      ['/shop/nightly/', 'shop/nightly'],
      ['a//b', 'a/b'],
      ['./a/./b', 'a/b'],
      ['a b/ü', 'a b/ü'],
      ['...', '...'],
      ['a/-b', 'a/-b'],
    ] as const) {
      expect(parseObjectPath(text, 'prefix')).toBe(path);
    }
  });

  it('never leads out of its place, nor is taken for an option', () => {
    for (const text of [
      '..',
      '../a',
      'a/..',
      'a/../../b',
      '/../a',
      'a\nb',
      'a\u0000',
      'a\\..\\b',
      '-a',
      '--config=x',
      '/-a',
      './-a',
      'a\ud800',
    ])
      expect(() => parseObjectPath(text, 'prefix'), text).toThrow('prefix: ');
    expect(parseObjectPath('ü'.repeat(512), 'prefix')).toHaveLength(512);
    expect(() => parseObjectPath(`${'ü'.repeat(512)}x`, 'prefix')).toThrow('at most 1024 bytes');
  });
});
