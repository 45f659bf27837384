/** Which service sees which address: the routes of one proxy, and requests with what must come of them. */
import type { Route } from '../../server/src/ports/proxy.ts';

export type Shop = Pick<Route, 'host'> & Partial<Route> & { to: Target };
/** Two services tell what they were asked; `nobody` is an answer of the proxy's own. */
export type Target = 'one' | 'two' | 'nobody';

export const routedDomains: readonly Shop[] = [
  { host: 'a.test', to: 'one' },
  { host: 'a.test', path: '/api', to: 'two' },
  { host: 'a.test', path: '/api/v1', stripPath: true, to: 'one' },
  { host: 'a.test', path: '/api/v1/deep/', internalPath: '/d', to: 'two' },
  { host: 'a.test', path: '/Case', to: 'two' },
  { host: 'b.test', path: '/only', to: 'one' },
  { host: 'strip.test', path: '/s', stripPath: true, to: 'one' },
  { host: 'strip.test', path: '/s/t', stripPath: true, internalPath: '/in/ner', to: 'two' },
  { host: 'inner.test', internalPath: '/base', to: 'one' },
  { host: 'inner.test', path: '/x', internalPath: '/y/', to: 'two' },
  { host: 'odd.test', path: '/~a.b_c-d!$&\'()+,;=:@', stripPath: true, to: 'one' },
  { host: 'odd.test', path: '/$1', stripPath: true, internalPath: '/$2', to: 'two' },
  { host: '*.w.test', to: 'one' },
  { host: '*.w.test', path: '/api', to: 'two' },
  { host: 'exact.w.test', to: 'two' },
  { host: '*.deep.w.test', to: 'two' },
  { host: 'xn--bcher-kva.test', to: 'two' },
  { host: 'xn--fsq.xn--0zwm56d', to: 'one' },
  { host: 'long.test', path: `/${'p'.repeat(200)}`, stripPath: true, to: 'two' },
];

export interface Row {
  host: string;
  path: string;
  to: Target;
  /** Address that the service sees; absent: as it was asked for. */
  sees?: string;
  /** Headers that the service sees. */
  headers?: Record<string, string>;
}

const row = (host: string, path: string, to: Target, sees?: string, headers?: Record<string, string>): Row => ({ host, path, to, ...(sees === undefined ? {} : { sees }), ...(headers === undefined ? {} : { headers }) });

export const rows: readonly Row[] = [
  // Hosts: exact, in any case, with a port; others none.
  row('a.test', '/', 'one', '/', { host: 'a.test', 'x-forwarded-host': 'a.test', 'x-forwarded-proto': 'http' }),
  row('A.Test', '/', 'one'),
  row('a.test:8081', '/', 'one', '/', { host: 'a.test:8081' }),
  row('a.test:99', '/', 'one'),
  row('aa.test', '/', 'nobody'),
  row('x.a.test', '/', 'nobody'),
  row('test', '/', 'nobody'),
  row('a.test.evil.test', '/', 'nobody'),
  row('evil-a.test', '/', 'nobody'),
  row('a.test.', '/', 'nobody'),
  row('b.test', '/', 'nobody'),
  row('b.test', '/only', 'one'),
  row('b.test', '/onlyx', 'nobody'),
  row('b.test', '/only/x', 'one'),
  row('127.0.0.1', '/', 'nobody'),
  // The longest path wins, whole parts only, whatever its case.
  row('a.test', '/x', 'one'),
  row('a.test', '/api', 'two'),
  row('a.test', '/api/', 'two'),
  row('a.test', '/api/x/y', 'two'),
  row('a.test', '/apix', 'one'),
  row('a.test', '/ap', 'one'),
  row('a.test', '/API/x', 'two'),
  row('a.test', '/x/api', 'one'),
  row('a.test', '/api?x=/api/v1', 'two'),
  row('a.test', '/?p=/api', 'one'),
  row('a.test', '/api;v=1', 'one'),
  row('a.test', '/api.json', 'one'),
  // Caddy looks at a path without dots and spaces at its end, which some servers do not see.
  row('a.test', '/api%20', 'two'),
  row('a.test', '/api.', 'two'),
  row('a.test', '/%61pi', 'two'),
  row('a.test', '/api/v1', 'one', '/', { 'x-forwarded-prefix': '/api/v1' }),
  row('a.test', '/api/v1/', 'one', '/'),
  row('a.test', '/api/v1/x', 'one', '/x'),
  row('a.test', '/api/v1?x', 'one', '/?x'),
  row('a.test', '/api/v10', 'two'),
  row('a.test', '/api/v1/deep', 'two', '/d/api/v1/deep'),
  row('a.test', '/api/v1/deep/x', 'two', '/d/api/v1/deep/x'),
  row('a.test', '/api/v1/deeper', 'one', '/deeper'),
  row('a.test', '/Case', 'two'),
  row('a.test', '/case/x', 'two'),
  row('a.test', '/CASE', 'two'),
  // What a service sees is what was asked, to the character.
  row('a.test', '/a//b', 'one'),
  row('a.test', '/a/./b', 'one'),
  row('a.test', '/a%2Fb', 'one'),
  row('a.test', '/a%2fb', 'one'),
  row('a.test', '/%E2%82%AC?q=%E2%82%AC', 'one'),
  row('a.test', '/a+b%20c', 'one'),
  row('a.test', '/a?b?c&d=&e', 'one'),
  row('a.test', '/a?', 'one'),
  row('a.test', '/{env.HOME}?{env.HOME}', 'one', '/%7Benv.HOME%7D?{env.HOME}'),
  row('a.test', '/$1', 'one'),
  row('a.test', '/*', 'one'),
  row('a.test', '/a:b@c', 'one'),
  row('a.test', `/${'x'.repeat(2000)}`, 'one'),
  // A prefix that is taken off, one that is put before, both.
  row('strip.test', '/s', 'one', '/', { 'x-forwarded-prefix': '/s' }),
  row('strip.test', '/s/', 'one', '/'),
  row('strip.test', '/s/a', 'one', '/a'),
  row('strip.test', '/s//a', 'one', '/a'),
  row('strip.test', '/s/a/s/b', 'one', '/a/s/b'),
  row('strip.test', '/s/a%2Fb%20c', 'one', '/a%2Fb%20c'),
  row('strip.test', '/s?q=/s', 'one', '/?q=/s'),
  row('strip.test', '/S/a', 'one', '/a'),
  row('strip.test', '/ss', 'nobody'),
  row('strip.test', '/', 'nobody'),
  row('strip.test', '/s/t', 'two', '/in/ner', { 'x-forwarded-prefix': '/s/t' }),
  row('strip.test', '/s/t/', 'two', '/in/ner/'),
  row('strip.test', '/s/t/u?v=w%26x', 'two', '/in/ner/u?v=w%26x'),
  row('strip.test', '/s/tu', 'one', '/tu'),
  row('inner.test', '/', 'one', '/base/'),
  row('inner.test', '/a%2Fb?c', 'one', '/base/a%2Fb?c'),
  row('inner.test', '/base', 'one', '/base/base'),
  row('inner.test', '/x', 'two', '/y/x'),
  row('inner.test', '/x/', 'two', '/y/x/'),
  row('inner.test', '/xy', 'one', '/base/xy'),
  row('odd.test', '/~a.b_c-d!$&\'()+,;=:@/x', 'one', '/x'),
  row('odd.test', '/$1/x', 'two', '/$2/x'),
  row('odd.test', '/$10', 'nobody'),
  row('long.test', `/${'p'.repeat(200)}/x`, 'two', '/x'),
  row('long.test', `/${'p'.repeat(201)}/x`, 'nobody'),
  // Wildcards stand for one label; an exact host and a nearer wildcard come first.
  row('any.w.test', '/', 'one'),
  row('ANY.w.test', '/x', 'one'),
  row('any.w.test', '/api', 'two'),
  row('w.test', '/', 'nobody'),
  row('a.b.w.test', '/', 'nobody'),
  row('exact.w.test', '/', 'two'),
  row('exact.w.test', '/x', 'two'),
  row('deep.w.test', '/', 'one'),
  row('x.deep.w.test', '/', 'two'),
  row('x.y.deep.w.test', '/', 'nobody'),
  row('*.w.test', '/', 'one'),
  row('-.w.test', '/', 'one'),
  // Names in other scripts come in their ASCII form.
  row('xn--bcher-kva.test', '/', 'two'),
  row('XN--BCHER-KVA.test', '/', 'two'),
  row('xn--fsq.xn--0zwm56d', '/', 'one'),
  row('bucher.test', '/', 'nobody'),
];
