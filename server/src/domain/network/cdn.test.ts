import { expect, test } from 'vitest';
import { cdnOf } from './cdn.ts';

test.each<[string, string | undefined]>([
  ['104.16.0.1', 'Cloudflare'],
  ['104.27.255.255', 'Cloudflare'],
  ['104.28.0.1', undefined],
  ['2606:4700::1111', 'Cloudflare'],
  ['151.101.1.1', 'Fastly'],
  ['2a04:4e42::1', 'Fastly'],
  ['203.0.113.7', undefined],
  ['2001:db8::1', undefined],
])('%s: %s', (address, name) => expect(cdnOf(address)).toBe(name));
