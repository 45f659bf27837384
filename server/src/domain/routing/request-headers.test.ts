import { expect, test } from 'vitest';
import { parseRequestHeaders } from './request-headers.ts';

test.each<Record<string, string>>([
  {},
  { 'X-Tenant': 'a' },
  { Host: 'inner.test', 'x-a': '' },
  { 'X-A': 'a "b" <c>; d=~e|f' },
])('%j is taken as it is', (headers) => {
  expect(parseRequestHeaders(headers)).toEqual(headers);
});

test.each<[Record<string, string>, string]>([
  [{ 'X A': 'a' }, 'not the name of a header'],
  [{ '': 'a' }, 'not the name of a header'],
  [{ X_A: 'a' }, 'not the name of a header'],
  [{ 'X-A:': 'a' }, 'not the name of a header'],
  [{ 'X-{env.HOME}': 'a' }, 'not the name of a header'],
  [{ 'X-Ä': 'a' }, 'not the name of a header'],
  [{ connection: 'close' }, 'sets itself'],
  [{ 'Transfer-Encoding': 'x' }, 'sets itself'],
  [{ 'X-Forwarded-For': '1' }, 'sets itself'],
  [{ 'x-real-ip': '1' }, 'sets itself'],
  [{ 'Proxy-Connection': '1' }, 'sets itself'],
  [{ 'X-A': 'a\r\nX-B: c' }, 'cannot be sent'],
  [{ 'X-A': '{env.HOME}' }, 'cannot be sent'],
  [{ 'X-A': ' a' }, 'cannot be sent'],
  [{ 'X-A': 'ä' }, 'cannot be sent'],
  [{ 'X-A': 'a'.repeat(1001) }, 'cannot be sent'],
  [{ 'X-A': 'a', 'x-a': 'b' }, 'twice'],
  [Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`X-${index}`, 'a'])), 'at most 20'],
])('%j is refused', (headers, why) => {
  expect(() => parseRequestHeaders(headers)).toThrow(why);
});
