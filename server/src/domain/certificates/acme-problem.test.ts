import { describe, expect, it } from 'vitest';
import { explainFault, explainProblem } from './acme-problem.ts';

/** As authorities send them: Let's Encrypt's Boulder, pebble, step-ca. */
const documents: readonly [string, string, string][] = [
  [
    'dns',
    'DNS problem: NXDOMAIN looking up A for shop.test - check that a DNS record exists for this domain; ' +
      'DNS problem: NXDOMAIN looking up AAAA for shop.test - check that a DNS record exists for this ' +
      'domain',
    'The DNS has no address for shop.test.',
  ],
  [
    'dns',
    'no valid A records found for shop.test; no valid AAAA records found for shop.test',
    'The DNS has no address for shop.test.',
  ],
  [
    'dns',
    "DNS problem: SERVFAIL looking up A for shop.test - the domain's nameservers may be malfunctioning",
    'The DNS servers of shop.test did not answer',
  ],
  [
    'dns',
    'DNS problem: query timed out looking up CAA for shop.test',
    'The DNS servers of shop.test did not answer',
  ],
  ['dns', 'something new', 'could not look shop.test up'],
  [
    'connection',
    '203.0.113.7: Fetching http://shop.test/.well-known/acme-challenge/x: Timeout during connect ' +
      '(likely firewall problem)',
    'could not reach port 80 of the address of shop.test',
  ],
  [
    'connection',
    '203.0.113.7: Fetching http://shop.test/.well-known/acme-challenge/x: Connection refused',
    'nothing listens on its port 80',
  ],
  [
    'connection',
    '2001:db8::7: Fetching http://shop.test/.well-known/acme-challenge/x: Timeout during connect ' +
      '(likely firewall problem)',
    'the IPv6 address of shop.test',
  ],
  [
    'connection',
    'Get "http://shop.test:80/.well-known/acme-challenge/x": dial tcp 203.0.113.7:80: connect: ' +
      'connection refused',
    'nothing listens on its port 80',
  ],
  [
    'connection',
    '203.0.113.7: Fetching http://shop.test/.well-known/acme-challenge/x: Error getting validation data',
    'could not reach port 80',
  ],
  [
    'unauthorized',
    'Failed to connect to 203.0.113.7:443 for the tls-alpn-01 challenge',
    'could not reach port 443 of the address of shop.test',
  ],
  [
    'unauthorized',
    '203.0.113.9: Invalid response from http://shop.test/.well-known/acme-challenge/x: 404',
    'Another server answered for shop.test.',
  ],
  [
    'unauthorized',
    'Non-200 status code from HTTP: http://shop.test:80/.well-known/acme-challenge/x returned 404',
    'Another server answered for shop.test.',
  ],
  [
    'unauthorized',
    'The key authorization file from the server did not match this challenge. Expected "a" (got "b")',
    'Another server answered for shop.test.',
  ],
  [
    'unauthorized',
    '104.16.0.1: Invalid response from https://shop.test/.well-known/acme-challenge/x: ' +
      '"<title>Attention Required! | Cloudflare</title>"',
    'A CDN answered for shop.test',
  ],
  [
    'unauthorized',
    'During secondary validation: 203.0.113.9: Invalid response from ' +
      'http://shop.test/.well-known/acme-challenge/x: 404',
    'Some places of the internet still see shop.test elsewhere.',
  ],
  [
    'unauthorized',
    'Account is not authorized: invalid external account binding',
    'Check the account binding',
  ],
  [
    'caa',
    'CAA record for shop.test prevents issuance',
    'A CAA record of shop.test allows other certificate authorities only.',
  ],
  [
    'rateLimited',
    'too many certificates (5) already issued for this exact set of identifiers in the last 168h0m0s, ' +
      'retry after 2026-11-25 10:00:00 UTC: see https://letsencrypt.org/docs/rate-limits/',
    'issues no more certificates for shop.test before 2026-11-25 10:00:00 UTC',
  ],
  ['rateLimited', 'Service busy; retry later.', 'issues no more certificates for shop.test now'],
  ['tls', '203.0.113.7: remote error: tls: no application protocol', 'on port 443'],
  ['incorrectResponse', 'The challenge response was wrong', 'a wrong answer for shop.test'],
  [
    'rejectedIdentifier',
    'Error creating new order :: Cannot issue for "shop.test": Domain name does not end with a valid ' +
      'public suffix (TLD)',
    'by its policy',
  ],
  [
    'externalAccountRequired',
    'ACME server policy requires newAccount requests must include a value for the ' +
      "'externalAccountBinding' field",
    'requires an account binding',
  ],
  ['userActionRequired', 'Terms of service have changed', 'requires its account to be confirmed'],
  [
    'invalidContact',
    'Error creating new account :: contact email has forbidden domain "example.com"',
    'does not accept the e-mail address',
  ],
  ['malformed', 'invalid external account binding', 'does not accept the account binding'],
  ['serverInternal', 'Error finalizing order', 'reports an internal error'],
];

describe('a problem document', () => {
  it.each(documents)('%s: %s', (type, detail, sentence) => {
    const told = explainProblem({ type: `urn:ietf:params:acme:error:${type}`, detail }, 'shop.test');
    expect(told).toContain(sentence);
    expect(told).toContain(`(${detail})`);
    expect(told).not.toMatch(/\{host\}|\$[0-9]/);
  });

  it('of several parts is told by its first', () => {
    const parts = [
      { type: 'urn:ietf:params:acme:error:caa', detail: 'CAA record for shop.test prevents issuance' },
    ];
    expect(
      explainProblem(
        {
          type: 'urn:ietf:params:acme:error:compound',
          detail: 'Errors during validation',
          subproblems: parts,
        },
        'shop.test',
      ),
    ).toContain('A CAA record of shop.test');
    expect(
      explainProblem(
        { type: 'urn:ietf:params:acme:error:compound', detail: 'Errors during validation' },
        'shop.test',
      ),
    ).toBe('No certificate for shop.test yet: Errors during validation');
  });

  it('that is not known is given in its own words, one bounded line', () => {
    expect(explainProblem({ type: 'urn:example:new', detail: 'a\nb\u001b[31m' }, 'shop.test')).toBe(
      'No certificate for shop.test yet: a b [31m',
    );
    expect(explainProblem({ type: '', detail: '' }, 'shop.test')).toBe(
      'No certificate for shop.test yet: the certificate authority gave no reason',
    );
    expect(
      explainProblem({ type: 'urn:ietf:params:acme:error:caa', detail: 'x'.repeat(5000) }, 'shop.test')
        .length,
    ).toBeLessThan(500);
  });

  it('puts nothing of the authority’s words into the sentence but its time', () => {
    expect(
      explainProblem(
        {
          type: 'urn:ietf:params:acme:error:rateLimited',
          detail: 'retry after 2026-11-25 10:00:00 UTC $1 {host}',
        },
        'shop.test',
      ),
    ).toContain('before 2026-11-25 10:00:00 UTC, since');
  });
});

describe('a fault before any order', () => {
  it.each([
    [
      'provisioning client: performing request: Get "https://acme.test/dir": x509: certificate signed ' +
        'by unknown authority',
      'is not trusted',
    ],
    [
      'provisioning client: performing request: Get "https://acme.test/dir": dial tcp: lookup acme.test ' +
        'on 127.0.0.11:53: no such host',
      'has no address',
    ],
    [
      'provisioning client: performing request: Get "https://acme.test/dir": dial tcp 203.0.113.9:443: ' +
        'connect: connection refused',
      'does not answer',
    ],
    [
      'provisioning client: performing request: Get "https://acme.test/dir": context deadline exceeded',
      'does not answer',
    ],
    ['provisioning client: getting directory: HTTP 404: not found', 'There is no ACME directory'],
    [
      'creating account: HTTP 401 urn:ietf:params:acme:error:externalAccountRequired - ACME server ' +
        'policy requires externalAccountBinding',
      'requires an account binding',
    ],
    [
      '[shop.test] creating new order: attempt 1: https://acme.test/order: HTTP 429 ' +
        'urn:ietf:params:acme:error:rateLimited - too many failed authorizations (5) for "shop.test" in ' +
        'the last 1h0m0s, retry after 2026-11-25 10:00:00 UTC',
      'before 2026-11-25 10:00:00 UTC',
    ],
    ['something else', 'No certificate for shop.test yet: something else'],
  ])('%s', (words, sentence) => {
    expect(explainFault(words, 'shop.test')).toContain(sentence);
  });
});
