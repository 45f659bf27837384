/**
 * ACME authorities on a host of the bed: Debian's pebble with its DNS, one open, one that wants an account
 * binding (RFC 8555).
 */
import { writeFile } from 'node:fs/promises';
import { inject } from 'vitest';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import type { BedHost } from '../../bed/host/host.ts';
import { makeCertificate, type MadeCertificate } from '../../certificates/authority.ts';
import { until } from '../../engine-suite/fixture.ts';
import { httpPort, httpsPort } from './proxy-fixture.ts';
import { fetched } from '../../certificates/fetched.ts';

export interface AcmeServer {
  directoryUrl: string;
  /** Of the one that wants a binding, with what it takes: this one, or the other. */
  bound: { directoryUrl: string; keyId: string; hmacKey: string; other: typeof otherBinding };
  /** Of one whose certificates end within seconds. */
  brief: { directoryUrl: string; seconds: number };
  /** PEM that the https of all is checked with. */
  rootCertificates: string;
  /** PEM of the root of the certificates it issues; another with each start. */
  issuingRoot(): Promise<string>;
  /** Its DNS, as a resolver. */
  dns: string;
  /** Orders the open one was asked for so far. */
  orders(): Promise<number>;
  /** What its DNS answers for a host; for all others it is the proxy's host. */
  resolve(host: string, addresses: string[]): Promise<void>;
  /** Lets its DNS fail for a host. */
  fail(host: string): Promise<void>;
  /** Ends the host. */
  close(): Promise<void>;
}

const kinds = ['open', 'bound', 'brief'] as const;
const briefSeconds = 16;
const ports = { open: 14_000, bound: 14_001, brief: 14_002, management: 15_000, dns: 8_053, names: 8_055 };
const binding = {
  keyId: 'kid-1',
  hmacKey: 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W',
};
const otherBinding = {
  keyId: 'kid-2',
  hmacKey: 'b10lLJs8l1GPIzsLP0s6pMt8O0XVGnfTaCeROxQ0BIt2XrJMDHJrBNuQm4VAFYmZ',
};

/** Where it looks for the proxy: its DNS leads there for every name, and it checks names at these ports. */
export interface CheckedAt {
  ip: string;
  httpPort: number;
  tlsPort: number;
}

/**
 * `index` is the host's in the bed, another for each test file: the machine remembers for a while whose
 * address it was.
 */
export async function acmeServer(
  index: number,
  at: CheckedAt = { ip: inject('servers').m1.ip, httpPort, tlsPort: httpsPort },
): Promise<AcmeServer> {
  const bed = await bedOfRun();
  const host = await bed.host(`acme-${index}`, { index });
  const { ip } = host;
  const root = makeCertificate({ name: 'Directory Root', isAuthority: true });
  await writeSettings(host, root, at);
  await launchServers(host, at.ip);
  const told = (what: string, body: object): Promise<void> => tellDns(ip, what, body);
  const address = (port: number): string => `https://${ip}:${port}/dir`;
  return {
    directoryUrl: address(ports.open),
    bound: { directoryUrl: address(ports.bound), ...binding, other: otherBinding },
    brief: { directoryUrl: address(ports.brief), seconds: briefSeconds },
    dns: `${ip}:${ports.dns}`,
    rootCertificates: root.pem,
    issuingRoot: () => fetched(`https://${ip}:${ports.management}/roots/0`, root.pem),
    async orders() {
      const { stdout } = await host.exec([
        'grep',
        '-c',
        'POST /order-plz -> calling handler',
        '/run/bed/open.log',
      ]);
      return Number(stdout);
    },
    async resolve(name, addresses) {
      // Else they would be added to those that it has.
      await told('clear-a', { host: `${name}.` });
      await told('add-a', { host: `${name}.`, addresses });
    },
    fail: (name) => told('set-servfail', { host: `${name}.` }),
    close: () => host.kill(),
  };
}

/** What the servers read: their own certificate, and each its settings. */
async function writeSettings(host: BedHost, root: MadeCertificate, at: CheckedAt): Promise<void> {
  const own = makeCertificate({ name: 'directory', hosts: [host.ip], issuer: root });
  await writeFile(host.path('/run/bed/own.pem'), own.pem);
  await writeFile(host.path('/run/bed/own.key'), own.key);
  for (const kind of kinds)
    await writeFile(host.path(`/run/bed/${kind}.json`), JSON.stringify({ pebble: settings(kind, at) }));
}

/** Starts the DNS, which leads every name to `ip`, and the authorities; all listen when it is over. */
async function launchServers(host: BedHost, ip: string): Promise<void> {
  await host.launch('names', [
    'pebble-challtestsrv',
    '-defaultIPv4',
    ip,
    '-defaultIPv6',
    '',
    '-dns01',
    `:${ports.dns}`,
    '-http01',
    '',
    '-https01',
    '',
    '-tlsalpn01',
    '',
    '-management',
    `:${ports.names}`,
  ]);
  for (const kind of kinds)
    await host.launch(kind, [
      'env',
      'PEBBLE_VA_NOSLEEP=1',
      'PEBBLE_WFE_NONCEREJECT=0',
      'pebble',
      '-config',
      `/run/bed/${kind}.json`,
      '-dnsserver',
      `127.0.0.1:${ports.dns}`,
    ]);
  const listened = async (): Promise<boolean> => {
    const { stdout } = await host.exec(['ss', '-lntH']);
    return [...kinds.map((kind) => ports[kind]), ports.management, ports.names].every((port) =>
      stdout.includes(`:${port} `),
    );
  };
  await until('the ACME servers', listened);
}

async function tellDns(ip: string, what: string, body: object): Promise<void> {
  const answer = await fetch(`http://${ip}:${ports.names}/${what}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`The DNS did not take ${what}: ${answer.status}`);
}

function settings(kind: (typeof kinds)[number], at: CheckedAt): object {
  return {
    listenAddress: `0.0.0.0:${ports[kind]}`,
    managementListenAddress:
      kind === 'open' ? `0.0.0.0:${ports.management}` : `127.0.0.1:${ports[kind] + 1100}`,
    certificate: '/run/bed/own.pem',
    privateKey: '/run/bed/own.key',
    ...(kind === 'brief' ? { certificateValidityPeriod: briefSeconds } : {}),
    domainBlocklist: ['blocked.test'],
    httpPort: at.httpPort,
    tlsPort: at.tlsPort,
    ocspResponderURL: '',
    externalAccountBindingRequired: kind === 'bound',
    externalAccountMACKeys:
      kind === 'bound'
        ? Object.fromEntries([binding, otherBinding].map(({ keyId, hmacKey }) => [keyId, hmacKey]))
        : {},
  };
}
