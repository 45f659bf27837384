/** ACME authorities on a host of the bed: Debian's pebble with its DNS, one open, one that wants an account binding (RFC 8555). */
import { request } from 'node:https';
import { writeFile } from 'node:fs/promises';
import { inject } from 'vitest';
import { findBed } from '../bed/bed.ts';
import { makeCertificate } from '../certificates/authority.ts';
import { until } from './engine-fixture.ts';
import { httpPort, httpsPort } from './proxy-fixture.ts';

export interface AcmeServer {
  directoryUrl: string;
  /** Of the one that wants a binding, with what it takes. */
  bound: { directoryUrl: string; keyId: string; hmacKey: string };
  /** PEM that the https of both is checked with. */
  rootCertificates: string;
  /** PEM of the root of the certificates it issues; another with each start. */
  issuingRoot(): Promise<string>;
  /** Orders it was asked for so far. */
  orders(): Promise<number>;
  /** What its DNS answers for a host; for all others it is m1. */
  resolve(host: string, addresses: string[]): Promise<void>;
  /** Ends the host. */
  close(): Promise<void>;
}

const ports = { open: 14_000, bound: 14_001, management: 15_000, dns: 8_053, names: 8_055 };
const binding = { keyId: 'kid-1', hmacKey: 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W' };

export async function acmeServer(): Promise<AcmeServer> {
  const bed = await findBed(inject('bed').name, new AbortController().signal);
  if (bed === null) throw new Error('The bed of this run is gone.');
  const host = await bed.host('acme', { index: 60 });
  const { ip } = host;
  const root = makeCertificate({ name: 'Directory Root', isAuthority: true });
  const own = makeCertificate({ name: 'directory', hosts: [ip], issuer: root });
  await writeFile(host.path('/run/bed/own.pem'), own.pem);
  await writeFile(host.path('/run/bed/own.key'), own.key);
  for (const kind of ['open', 'bound'] as const) await writeFile(host.path(`/run/bed/${kind}.json`), JSON.stringify({ pebble: settings(kind) }));

  await host.launch('names', ['pebble-challtestsrv', '-defaultIPv4', inject('servers').m1.ip, '-defaultIPv6', '', '-dns01', `:${ports.dns}`, '-http01', '', '-https01', '', '-tlsalpn01', '', '-management', `:${ports.names}`]);
  for (const kind of ['open', 'bound']) await host.launch(kind, ['env', 'PEBBLE_VA_NOSLEEP=1', 'PEBBLE_WFE_NONCEREJECT=0', 'pebble', '-config', `/run/bed/${kind}.json`, '-dnsserver', `127.0.0.1:${ports.dns}`]);
  const listened = async (): Promise<boolean> => {
    const { stdout } = await host.exec(['ss', '-lntH']);
    return [ports.open, ports.bound, ports.management, ports.names].every((port) => stdout.includes(`:${port} `));
  };
  await until('the ACME servers', listened);
  const address = (port: number): string => `https://${ip}:${port}/dir`;
  return {
    directoryUrl: address(ports.open), bound: { directoryUrl: address(ports.bound), ...binding }, rootCertificates: root.pem,
    issuingRoot: () => fetched(`https://${ip}:${ports.management}/roots/0`, root.pem),
    async orders() {
      const { stdout } = await host.exec(['grep', '-c', 'POST /order-plz -> calling handler', '/run/bed/open.log']);
      return Number(stdout);
    },
    async resolve(name, addresses) {
      const answer = await fetch(`http://${ip}:${ports.names}/add-a`, { method: 'POST', body: JSON.stringify({ host: `${name}.`, addresses }) });
      if (!answer.ok) throw new Error(`The DNS did not take ${name}: ${answer.status}`);
    },
    close: () => host.kill(),
  };
}

/** It checks names at the ports under which the bed's proxy is published. */
function settings(kind: 'open' | 'bound'): object {
  return {
    listenAddress: `0.0.0.0:${ports[kind]}`, managementListenAddress: kind === 'open' ? `0.0.0.0:${ports.management}` : '127.0.0.1:15001', certificate: '/run/bed/own.pem', privateKey: '/run/bed/own.key',
    httpPort, tlsPort: httpsPort, ocspResponderURL: '', externalAccountBindingRequired: kind === 'bound', externalAccountMACKeys: kind === 'bound' ? { [binding.keyId]: binding.hmacKey } : {},
  };
}

function fetched(url: string, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ca, agent: false, signal: AbortSignal.timeout(5_000) }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)).on('end', () => resolve(text)).on('error', reject);
    });
    sent.on('error', reject).end();
  });
}
