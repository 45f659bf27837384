/** Which service sees which address: the routes of one proxy, and requests with what must come of them. */
import type { Route } from '../../../server/src/ports/proxy.ts';

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
  { host: 'odd.test', path: "/~a.b_c-d!$&'()+,;=:@", stripPath: true, to: 'one' },
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

/** What a service sees: the address as it was asked for, or another one, and these headers. */
type Asked = string | readonly [path: string, sees: string, headers?: Record<string, string>];

const at = (host: string, to: Target, ...asked: readonly Asked[]): Row[] =>
  asked.map((each) => {
    const [path, sees, headers] = typeof each === 'string' ? [each, undefined, undefined] : each;
    return {
      host,
      path,
      to,
      ...(sees === undefined ? {} : { sees }),
      ...(headers === undefined ? {} : { headers }),
    };
  });

export const rows: readonly Row[] = [
  // Hosts: exact, in any case, with a port; others none.
  at('a.test', 'one', [
    '/',
    '/',
    { host: 'a.test', 'x-forwarded-host': 'a.test', 'x-forwarded-proto': 'http' },
  ]),
  at('a.test:8081', 'one', ['/', '/', { host: 'a.test:8081' }]),
  ['A.Test', 'a.test:99'].flatMap((host) => at(host, 'one', '/')),
  ['aa.test', 'x.a.test', 'test', 'a.test.evil.test', 'evil-a.test', 'a.test.', '127.0.0.1'].flatMap((host) =>
    at(host, 'nobody', '/'),
  ),
  at('b.test', 'nobody', '/', '/onlyx'),
  at('b.test', 'one', '/only', '/only/x'),
  // The longest path wins, whole parts only, whatever its case.
  at('a.test', 'one', '/x', '/apix', '/ap', '/x/api', '/?p=/api', '/api;v=1', '/api.json'),
  at(
    'a.test',
    'two',
    '/api',
    '/api/',
    '/api/x/y',
    '/API/x',
    '/api?x=/api/v1',
    '/api/v10',
    '/Case',
    '/case/x',
    '/CASE',
  ),
  // A dot or a space at the end of a path is part of it; what is escaped without need is the same path.
  at('a.test', 'one', '/api%20', '/api.'),
  at('a.test', 'two', '/%61pi'),
  at(
    'a.test',
    'one',
    ['/api/v1', '/', { 'x-forwarded-prefix': '/api/v1' }],
    ['/api/v1/', '/'],
    ['/api/v1/x', '/x'],
    ['/api/v1?x', '/?x'],
    ['/api/v1/deeper', '/deeper'],
  ),
  at('a.test', 'two', ['/api/v1/deep', '/d/api/v1/deep'], ['/api/v1/deep/x', '/d/api/v1/deep/x']),
  // What a service sees is what was asked, to the character.
  at(
    'a.test',
    'one',
    '/a//b',
    '/a/./b',
    '/a%2Fb',
    '/a%2fb',
    '/%E2%82%AC?q=%E2%82%AC',
    '/a+b%20c',
    '/a?b?c&d=&e',
    '/a?',
    '/$1',
    '/*',
    '/a:b@c',
    `/${'x'.repeat(2000)}`,
  ),
  at('a.test', 'one', ['/{env.HOME}?{env.HOME}', '/%7Benv.HOME%7D?{env.HOME}']),
  // A prefix that is taken off, one that is put before, both.
  at(
    'strip.test',
    'one',
    ['/s', '/', { 'x-forwarded-prefix': '/s' }],
    ['/s/', '/'],
    ['/s/a', '/a'],
    ['/s//a', '/a'],
    ['/s/a/s/b', '/a/s/b'],
    ['/s/a%2Fb%20c', '/a%2Fb%20c'],
    ['/s?q=/s', '/?q=/s'],
    ['/S/a', '/a'],
    ['/s/tu', '/tu'],
  ),
  at('strip.test', 'nobody', '/ss', '/'),
  at(
    'strip.test',
    'two',
    ['/s/t', '/in/ner', { 'x-forwarded-prefix': '/s/t' }],
    ['/s/t/', '/in/ner/'],
    ['/s/t/u?v=w%26x', '/in/ner/u?v=w%26x'],
  ),
  at(
    'inner.test',
    'one',
    ['/', '/base/'],
    ['/a%2Fb?c', '/base/a%2Fb?c'],
    ['/base', '/base/base'],
    ['/xy', '/base/xy'],
  ),
  at('inner.test', 'two', ['/x', '/y/x'], ['/x/', '/y/x/']),
  at('odd.test', 'one', ["/~a.b_c-d!$&'()+,;=:@/x", '/x']),
  at('odd.test', 'two', ['/$1/x', '/$2/x']),
  at('odd.test', 'nobody', '/$10'),
  at('long.test', 'two', [`/${'p'.repeat(200)}/x`, '/x']),
  at('long.test', 'nobody', `/${'p'.repeat(201)}/x`),
  // Wildcards stand for one label; an exact host and a nearer wildcard come first.
  at('any.w.test', 'one', '/'),
  at('ANY.w.test', 'one', '/x'),
  at('any.w.test', 'two', '/api'),
  ['w.test', 'a.b.w.test', 'x.y.deep.w.test'].flatMap((host) => at(host, 'nobody', '/')),
  at('exact.w.test', 'two', '/', '/x'),
  ['deep.w.test', '*.w.test', '-.w.test'].flatMap((host) => at(host, 'one', '/')),
  at('x.deep.w.test', 'two', '/'),
  // Names in other scripts come in their ASCII form.
  ['xn--bcher-kva.test', 'XN--BCHER-KVA.test'].flatMap((host) => at(host, 'two', '/')),
  at('xn--fsq.xn--0zwm56d', 'one', '/'),
  at('bucher.test', 'nobody', '/'),
].flat();
