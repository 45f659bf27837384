import { describe, expect, test } from 'vitest';
import { documentOf, proxies, route, servers } from '../../../../../test/caddy-document.ts';

describe('https', () => {
  test('answers on 443 and is redirected to from 80', () => {
    const { plain, secure } = servers([route({ https: true })]);
    expect(plain?.routes[0]?.handle).toEqual([
      {
        handler: 'static_response',
        status_code: 308,
        headers: { Location: ['https://{http.request.host}{http.request.uri}'] },
      },
    ]);
    expect(secure?.routes.map(({ handle }) => handle.map(({ handler }) => handler))).toEqual([
      ['vars'],
      ['reverse_proxy'],
      ['reverse_proxy'],
      ['static_response'],
    ]);
    // gRPC first.
    expect(proxies({ https: true }, 'secure')).toMatchObject([
      { protocol: 'grpc', transport: { versions: ['h2c', '2'] } },
      { transport: { protocol: 'http' } },
    ]);
    expect(proxies({ https: true })).toEqual([]);
    expect(secure).toMatchObject({ listen: [':443'], tls_connection_policies: [{}] });
  });

  test('of a proxy on another port is redirected to there', () => {
    const { plain } = servers([route({ https: true })], { publicHttpsPort: 8443 });
    expect(plain?.routes[0]?.handle[0]).toMatchObject({
      headers: { Location: ['https://{http.request.host}:8443{http.request.uri}'] },
    });
    // HTTP/3 is offered where browsers find it.
    const { secure } = servers([route({ https: true })], { publicHttpsPort: 8443 });
    expect(secure?.routes[0]?.handle[0]).toEqual({
      handler: 'headers',
      response: { deferred: true, set: { 'Alt-Svc': ['h3=":8443"; ma=2592000'] } },
    });
  });

  test('has certificates of our own authority, for each host once', () => {
    expect(
      documentOf([route({ https: true }), route({ https: true, path: '/x' }), route({ host: 'plain.test' })]),
    ).toMatchObject({
      apps: {
        tls: {
          certificates: { automate: ['a.test'] },
          automation: { policies: [{ subjects: ['a.test'], issuers: [{ module: 'internal' }] }] },
        },
        pki: { certificate_authorities: { local: { install_trust: false } } },
      },
    });
  });

  test('leaves a plain host on 80 alone', () => {
    const { plain, secure } = servers([route({ host: 'plain.test' }), route({ https: true })]);
    expect(
      plain?.routes
        .map(({ match, handle }) => [match?.[0]?.host?.join(), handle[0]?.['handler']])
        .slice(0, 2)
        .toSorted(),
    ).toEqual([
      ['a.test', 'static_response'],
      ['plain.test', 'vars'],
    ]);
    expect(secure?.routes[0]?.match).toEqual([{ host: ['a.test'] }]);
  });
});
