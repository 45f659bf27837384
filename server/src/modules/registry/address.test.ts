import { describe, expect, it } from 'vitest';
import { parseImagePrefix, parseRegistryAddress, serverOf } from './address.ts';

describe('the address of a registry', () => {
  it('is host[:port][/prefix], https and last slashes taken off', () => {
    for (const [text, address] of [
      ['registry.example.com', 'registry.example.com'],
      ['https://Registry.Example.com/', 'registry.example.com'],
      ['HTTPS://r.example.com:5000/team/apps//', 'r.example.com:5000/team/apps'],
      ['localhost:5000', 'localhost:5000'],
      ['10.0.0.5:5000/a', '10.0.0.5:5000/a'],
      [' registry.example.com ', 'registry.example.com'],
      ['', ''],
      ['https://', ''],
    ] as const)
      expect(parseRegistryAddress(text)).toBe(address);
  });

  it('is nothing else', () => {
    for (const text of [
      'http://r.example.com',
      'ftp://x',
      'user:secret@r.example.com',
      'r.example.com:0',
      'r.example.com:65536',
      'r.example.com:5000:1',
      'r.example.com:',
      'r example.com',
      'r.example.com/Team',
      'r.example.com/a//b',
      'r.example.com/../x',
      '*.example.com',
      '-r.example.com',
      'r.example.com?x=1',
      'r.example.com#x',
      'r.example.com/a b',
      'r.example.com\nx',
      '/team',
      '--help',
      '$(id)',
    ])
      expect(() => parseRegistryAddress(text), text).toThrow('registryUrl');
  });

  it('is signed in at by its host and port alone', () => {
    expect([serverOf('r.example.com:5000/team'), serverOf('r.example.com'), serverOf('')]).toEqual([
      'r.example.com:5000',
      'r.example.com',
      '',
    ]);
  });
});

it('an image prefix is a lower-case path without slashes at its ends', () => {
  for (const [text, prefix] of [
    ['team/apps', 'team/apps'],
    ['/team/', 'team'],
    ['', ''],
    ['a.b/c_d/e--f/g__h', 'a.b/c_d/e--f/g__h'],
  ] as const)
    expect(parseImagePrefix(text)).toBe(prefix);
  for (const text of ['Team', 'a//b', 'a/../b', 'a/.b', 'a b', 'a:tag', 'a@sha256', '-a', 'a-', 'a___b'])
    expect(() => parseImagePrefix(text), text).toThrow('imagePrefix');
});
