import { expect, test } from 'vitest';
import { documentOf, route } from '../../../../../test/caddy-document.ts';
import { withoutCookies } from './caddy-cookies.ts';

interface Documented {
  apps: { http: { servers: Record<string, { routes: object[] }> } };
}
const routesOf = (document: unknown, server: string): object[] =>
  (document as Documented).apps.http.servers[server]?.routes ?? [];

test('cookies are taken out of what goes to services', () => {
  const pattern = '(^|;)\\s*(?:__Host-|__Secure-)?(?:one|two)\\s*=[^;]*';
  expect(withoutCookies(['one', 'two'], { vars: { a: ['b'] } })).toEqual([
    {
      match: [{ header_regexp: { Cookie: { pattern } }, not: [{ vars: { a: ['b'] } }] }],
      handle: [
        {
          handler: 'headers',
          request: {
            replace: {
              Cookie: [
                { search_regexp: pattern, replace: '' },
                { search_regexp: '^[;\\s]+', replace: '' },
              ],
            },
          },
        },
        {
          handler: 'subroute',
          routes: [
            {
              match: [{ not: [{ header_regexp: { Cookie: { pattern: '.' } } }] }],
              handle: [{ handler: 'headers', request: { delete: ['Cookie'] } }],
            },
          ],
        },
      ],
    },
  ]);
});

test('on both ports, before every service; and nowhere when no names are given', () => {
  const own = withoutCookies(['berth_session', 'berth_device'], { vars: { berth_proxy: ['berth'] } });
  for (const server of ['plain', 'secure']) {
    const routes = routesOf(documentOf([route()]), server);
    expect(routes).toContainEqual(own[0]);
    const later = routes.slice(routes.findIndex((each) => JSON.stringify(each) === JSON.stringify(own[0])));
    expect(JSON.stringify(later)).not.toContain('"group":"domain"');
    expect(JSON.stringify(routes.slice(0, -later.length))).not.toContain('reverse_proxy');
  }
  expect(JSON.stringify(documentOf([route()], { keptCookies: [] }))).not.toContain('Cookie');
});

test('what is for Berth goes to its socket; what has no release gets an answer', () => {
  const berth = route({ id: 'berth', host: 'berth.test', https: true, service: null, isBerth: true });
  const secure = routesOf(
    documentOf([berth, route({ service: null, host: 'new.test', https: true })]),
    'secure',
  );
  expect(secure).toContainEqual({
    match: [{ vars: { berth_proxy: ['berth'] } }],
    terminal: true,
    handle: [
      {
        handler: 'reverse_proxy',
        upstreams: [{ dial: 'unix//run/berth-proxy/berth.sock' }],
        stream_close_delay: '6h',
      },
    ],
  });
  expect(JSON.stringify(secure)).toContain('Nothing has been deployed here yet.');
  expect(JSON.stringify(secure)).not.toContain('tasks.');
});
