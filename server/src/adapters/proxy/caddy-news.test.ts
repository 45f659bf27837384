import { expect, test } from 'vitest';
import { newsReader } from './caddy-news.ts';

/** Lines of Caddy 2.6.2, as it wrote them while it asked pebble. */
const asked =
  '{"level":"info","ts":1795289059.4,"logger":"tls.obtain","msg":"obtaining ' +
  'certificate","identifier":"else.test"}';
const http01 =
  '{"level":"error","ts":1795289062.1,"logger":"http.acme_client","msg":"challenge ' +
  'failed","identifier":"else.test","challenge_type":"http-01","status_code":400,' +
  '"problem_type":"urn:ietf:params:acme:error:connection","error":"Get ' +
  '\\"http://else.test:80/x\\": dial tcp 10.98.5.99:80: connect: no route to host"}';
const alpn =
  '{"level":"error","ts":1795289065.2,"logger":"http.acme_client","msg":"challenge ' +
  'failed","identifier":"else.test","challenge_type":"tls-alpn-01","status_code":403,' +
  '"problem_type":"urn:ietf:params:acme:error:unauthorized","error":"Failed ' +
  'to connect to 10.98.5.99:443"}';
const failed =
  '{"level":"error","ts":1795289068.3,"logger":"tls.obtain","msg":"could not get certificate from ' +
  'issuer","identifier":"else.test","issuer":"10.98.5.11:14000-dir","error":"[else.test] solving ' +
  'challenges: no solvers available"}';
const retry =
  '{"level":"error","ts":1795289068.3,"logger":"tls.obtain","msg":"will retry","error":"[else.test] ' +
  'Obtain: x","attempt":1,"retrying_in":60}';
const done = (msg: string): string => JSON.stringify({ logger: 'tls.obtain', msg, identifier: 'shop.test' });

test.each([
  ['first', [http01, alpn]],
  ['last', [alpn, http01]],
])(
  'a failed attempt is told with the authority’s problem of the check by HTTP, be it made %s',
  (_, checks) => {
    const read = newsReader();
    expect([asked, ...checks, failed, retry].map(read)).toEqual([
      undefined,
      undefined,
      undefined,
      {
        kind: 'failed',
        host: 'else.test',
        authority: '10.98.5.11-14000-dir',
        words: '[else.test] solving challenges: no solvers available',
        problem: {
          type: 'urn:ietf:params:acme:error:connection',
          detail: 'Get "http://else.test:80/x": dial tcp 10.98.5.99:80: connect: no route to host',
        },
      },
      undefined,
    ]);
    // The next attempt has problems of its own.
    expect(read(failed)).toMatchObject({ problem: undefined });
  },
);

test('a certificate is told when it came, first or again', () => {
  const read = newsReader();
  expect(read(done('certificate obtained successfully'))).toEqual({ kind: 'issued', host: 'shop.test' });
  expect(read(done('certificate renewed successfully'))).toEqual({ kind: 'issued', host: 'shop.test' });
});

test.each([
  '',
  '{',
  '[]',
  'null',
  '{"logger":"tls","msg":"cleaning storage unit"}',
  '{"logger":1,"msg":2,"identifier":3}',
])('%s is no news', (text) => {
  expect(newsReader()(text)).toBeUndefined();
});
