import { expect, it } from 'vitest';
import { cookiePattern, ownCookies } from './own-cookies.ts';

/** As the proxy does it. */
const without = (header: string): string =>
  header.replaceAll(new RegExp(cookiePattern(ownCookies), 'g'), '').replace(/^[;\s]+/, '');

it.each([
  ['berth_session=secret', ''],
  ['__Host-berth_session=secret', ''],
  ['berth_device=secret', ''],
  ['__Host-berth_device=a.b', ''],
  ['berth_session=secret; a=1', 'a=1'],
  ['a=1; berth_session=secret', 'a=1'],
  ['a=1; berth_session=secret; b="2, 3"', 'a=1; b="2, 3"'],
  ['a=1;berth_session=secret;b=2', 'a=1;b=2'],
  ['a=1;  berth_session = secret ;  b=2', 'a=1;  b=2'],
  ['\tberth_session\t=secret;b=2', 'b=2'],
  ['berth_session=one; berth_session=two; __Host-berth_session=three', ''],
  ['berth_session="secret=="; c=3', 'c=3'],
  [';; berth_session=secret; c=3', 'c=3'],
  ['berth_session=; c=3', 'c=3'],
])('%j leaves %j', (header, left) => expect(without(header)).toBe(left));

it.each([
  'a=1; b=2',
  'my_berth_session=1',
  'berth_sessions=1',
  'a=berth_session',
  'a=x berth_session=1',
  'BERTH_SESSION=1',
  'session=1;  spaced=2 ; =nameless',
])('%j stays as it is', (header) => expect(without(header)).toBe(header));
