/**
 * What an ACME authority says when it refuses (RFC 8555, 6.7; RFC 7807), in sentences for the person whose
 * domain it is: what happened and what to do. Pure.
 */

export interface AcmeProblem {
  /** urn:ietf:params:acme:error:… */
  type: string;
  detail: string;
  subproblems?: readonly { type: string; detail: string }[] | undefined;
}

interface Row {
  /** Last part of the problem's type; absent: any. */
  type?: string;
  /** Of its detail; absent: any. */
  detail?: RegExp;
  /** `{host}` stands for the domain's host, `$1` … for groups of the detail. */
  sentence: string;
}

/** How an authority checks a host: by asking it, or by a TXT record. */
export type AcmeCheck = 'http-01' | 'dns-01';

/** Told before the others of a check by DNS, where addresses and ports do not count. */
const dnsRows: readonly Row[] = [
  {
    type: 'unauthorized',
    detail: /\bCAA\b/i,
    sentence:
      'A CAA record of {host} allows other certificate authorities only, or forbids wildcards (issuewild). ' +
      'Add this authority to it, or remove it, at your DNS provider.',
  },
  {
    type: 'caa',
    sentence:
      'A CAA record of {host} allows other certificate authorities only, or forbids wildcards (issuewild). ' +
      'Add this authority to it, or remove it, at your DNS provider.',
  },
  {
    type: 'unauthorized',
    detail: /secondary validation/i,
    sentence:
      'Some places of the internet do not see the TXT record at _acme-challenge.{host} yet. The next ' +
      'attempt is automatic.',
  },
  {
    type: 'unauthorized',
    detail: /\bTXT\b|key authorization|did not match/i,
    sentence:
      'The certificate authority did not find the TXT record that Berth set at _acme-challenge.{host}. A ' +
      'name server of the zone still has the former state, or the zone is served elsewhere than at this ' +
      'DNS provider. The next attempt is automatic.',
  },
  {
    type: 'dns',
    detail: /NXDOMAIN|no such host|no TXT/i,
    sentence:
      'The certificate authority found no name _acme-challenge.{host}. Check that the zone is delegated to ' +
      'the name servers of this DNS provider (NS records). The next attempt is automatic.',
  },
  {
    type: 'dns',
    sentence:
      'The name servers of {host} did not answer the certificate authority. Check them, and DNSSEC if the ' +
      'zone has it, at your DNS provider.',
  },
];

const unresolved =
  'The certificate authority could not look {host} up in the DNS. Check its A and AAAA records, and ' +
  'that its DNS servers answer.';

/** The first row that fits is told. Details are those of Let's Encrypt's Boulder, pebble and step-ca. */
const rows: readonly Row[] = [
  {
    type: 'dns',
    detail: /NXDOMAIN|no (?:valid )?(?:A|AAAA|IP)|no such host|No valid IP/i,
    sentence:
      'The DNS has no address for {host}. Create an A or AAAA record that points to this server; ' +
      'domain.validateDomain tells when it is there.',
  },
  {
    type: 'dns',
    detail: /SERVFAIL|timed? ?out|REFUSED|DNSSEC|bogus/i,
    sentence:
      'The DNS servers of {host} did not answer the certificate authority. Check them, and DNSSEC if ' +
      'the zone has it, at your DNS provider.',
  },
  { type: 'dns', sentence: unresolved },
  { type: 'connection', detail: /could not resolve|no such host/i, sentence: unresolved },
  { type: 'malformed', detail: /could not resolve/i, sentence: unresolved },
  {
    detail: /failed to connect .*tls-alpn-01/i,
    sentence:
      'The certificate authority could not reach port 443 of the address of {host}. Check that its A and ' +
      'AAAA records point to this server, that the proxy has port 443, and that no firewall or router ' +
      'closes it.',
  },
  {
    type: 'connection',
    detail: /\bAAAA\b|(?:[0-9a-f]{1,4}:){3,}|[0-9a-f]{1,4}::/i,
    sentence:
      'The certificate authority could not connect to the IPv6 address of {host}. Point its AAAA record ' +
      'to this server, or remove it, and open port 80 for IPv6.',
  },
  {
    type: 'connection',
    detail: /refused/i,
    sentence:
      'The certificate authority reached the address of {host}, but nothing listens on its port 80. ' +
      'Check that its A record points to this server and that the proxy has port 80.',
  },
  {
    type: 'connection',
    sentence:
      'The certificate authority could not reach port 80 of the address of {host}. Check that its A ' +
      'record points to this server and that no firewall or router closes port 80.',
  },
  {
    type: 'unauthorized',
    detail: /cloudflare|fastly|cloudfront|akamai|sucuri|cdn/i,
    sentence:
      'A CDN answered for {host} instead of this server. Switch its proxying off until the certificate ' +
      'is there, or let it pass /.well-known/acme-challenge/ through.',
  },
  {
    type: 'unauthorized',
    detail: /secondary validation/i,
    sentence:
      'Some places of the internet still see {host} elsewhere. A DNS change may not have reached them ' +
      'yet; the next attempt is automatic.',
  },
  {
    type: 'unauthorized',
    detail: /\b(?:404|403|301|302|200|5[0-9]{2})\b|invalid response|did not match|key authorization/i,
    sentence:
      'Another server answered for {host}. Its A and AAAA records point elsewhere, or another web ' +
      'server or a CDN is in front of this one; point them to this server.',
  },
  {
    type: 'unauthorized',
    detail: /CAA/i,
    sentence:
      'A CAA record of {host} allows other certificate authorities only. Add this authority to it, or ' +
      'remove it, at your DNS provider.',
  },
  {
    type: 'unauthorized',
    detail: /account|external|binding|mac|jws|signature/i,
    sentence:
      'The certificate authority does not accept this account. Check the account binding (eab) of the ' +
      'certificate resolver.',
  },
  {
    type: 'unauthorized',
    sentence:
      'The certificate authority does not believe that {host} leads to this server. Check its A and ' +
      'AAAA records.',
  },
  {
    type: 'caa',
    sentence:
      'A CAA record of {host} allows other certificate authorities only. Add this authority to it, or ' +
      'remove it, at your DNS provider.',
  },
  {
    type: 'rateLimited',
    detail: /retry after ([0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:]{5,8}(?: ?UTC|Z)?)/i,
    sentence:
      'The certificate authority issues no more certificates for {host} before $1, since its limit is ' +
      'reached. It is asked again automatically.',
  },
  {
    type: 'rateLimited',
    sentence:
      'The certificate authority issues no more certificates for {host} now, since its limit is ' +
      'reached. It is asked again automatically; fewer names, or another authority, help sooner.',
  },
  {
    type: 'tls',
    sentence:
      'The certificate authority could not finish its check of {host} on port 443: something other than ' +
      'this proxy answers there. Check its A and AAAA records, and what is in front of this server.',
  },
  {
    type: 'incorrectResponse',
    sentence:
      'The certificate authority got a wrong answer for {host}: another server answers for it. Point its ' +
      'A and AAAA records to this server.',
  },
  {
    type: 'rejectedIdentifier',
    sentence:
      'The certificate authority issues no certificate for {host} by its policy. Choose another host or ' +
      'another authority.',
  },
  {
    type: 'unsupportedIdentifier',
    sentence:
      'The certificate authority issues no certificates for names of this kind. Choose another host or ' +
      'another authority.',
  },
  {
    type: 'externalAccountRequired',
    sentence:
      'The certificate authority requires an account binding. Give key id and key as eab of the ' +
      'certificate resolver.',
  },
  {
    type: 'userActionRequired',
    sentence:
      'The certificate authority requires its account to be confirmed first, perhaps new terms of service. ' +
      'See its website.',
  },
  {
    type: 'badSignatureAlgorithm',
    sentence: "The certificate authority does not accept the proxy's kind of keys. Choose another authority.",
  },
  {
    type: 'invalidContact',
    sentence:
      'The certificate authority does not accept the e-mail address of the account. Change acmeEmail in ' +
      'the settings, or email of the certificate resolver.',
  },
  {
    type: 'unsupportedContact',
    sentence:
      'The certificate authority does not accept the e-mail address of the account. Change acmeEmail in ' +
      'the settings, or email of the certificate resolver.',
  },
  {
    type: 'accountDoesNotExist',
    sentence: 'The certificate authority no longer knows the account. The next attempt creates a new one.',
  },
  {
    type: 'malformed',
    detail: /external|eab|binding/i,
    sentence:
      'The certificate authority does not accept the account binding. Check key id and key (eab) of the ' +
      'certificate resolver.',
  },
  {
    type: 'serverInternal',
    sentence: 'The certificate authority reports an internal error. It is asked again automatically.',
  },
];

/** What the proxy itself says when it gets no further than the directory. */
const otherRows: readonly Row[] = [
  {
    detail: /x509|certificate signed by unknown authority|certificate is not trusted|tls: failed to verify/i,
    sentence:
      "The https of the certificate authority's directory is not trusted. Give its root as " +
      'rootCertificates of the certificate resolver, or as acmeRoots of the settings.',
  },
  {
    detail: /no such host|server misbehaving|lookup/i,
    sentence:
      "The host of the certificate authority's directory has no address. Check directoryUrl of the " +
      'certificate resolver, or acmeDirectory of the settings.',
  },
  {
    detail: /connection refused|i\/o timeout|deadline exceeded|no route to host|unreachable/i,
    sentence:
      "The certificate authority's directory does not answer. Check directoryUrl of the certificate " +
      "resolver, or acmeDirectory of the settings, and this server's way to the internet. It is asked " +
      'again automatically.',
  },
  {
    detail: /MAC key|mac_key|base64|external account/i,
    sentence:
      'The account binding (eab) of the certificate resolver cannot be used: its key is not base64url.',
  },
  {
    detail: /HTTP 4[0-9]{2}|HTTP 5[0-9]{2}|invalid character|unexpected end of JSON|no directory/i,
    sentence:
      'There is no ACME directory at the address of the certificate authority. Check directoryUrl of ' +
      'the certificate resolver, or acmeDirectory of the settings.',
  },
];

const prefix = 'urn:ietf:params:acme:error:';

/** The sentence, and after it the authority's own words. */
export function explainProblem(problem: AcmeProblem, host: string, check: AcmeCheck = 'http-01'): string {
  // A compound problem hides the reason in its parts (RFC 8555, 6.7.1).
  const [inner] = problem.type.endsWith(':compound') ? (problem.subproblems ?? []) : [];
  const { type, detail } = inner ?? problem;
  const row = (check === 'dns-01' ? [...dnsRows, ...rows] : rows).find(
    (each) =>
      (each.type === undefined || `${prefix}${each.type}` === type) && (each.detail?.test(detail) ?? true),
  );
  return told(row, detail, host);
}

/** The same for a fault that is no problem document: the proxy's own words, in which one may stand. */
export function explainFault(words: string, host: string): string {
  const embedded = /(urn:ietf:params:acme:error:[A-Za-z]+) - (.*)/.exec(words);
  if (embedded) return explainProblem({ type: embedded[1] ?? '', detail: embedded[2] ?? '' }, host);
  return told(
    otherRows.find(({ detail }) => detail?.test(words)),
    words,
    host,
  );
}

function told(row: Row | undefined, detail: string, host: string): string {
  const words = cut(detail);
  if (!row) return `No certificate for ${host} yet: ${words || 'the certificate authority gave no reason'}`;
  const groups = row.detail?.exec(detail) ?? [];
  const sentence = row.sentence
    .replaceAll('{host}', host)
    .replace(/\$([0-9])/g, (_match, index: string) => groups[Number(index)] ?? '');
  return words === '' ? sentence : `${sentence} (${words})`;
}

/** One line of bounded length, whatever the authority quotes. */
function cut(words: string): string {
  const line = words.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length <= 300 ? line : `${line.slice(0, 300)}…`;
}
