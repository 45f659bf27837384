import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mustRun, type Argv } from '../../images/command.ts';
import { changesFolder } from './host/host-process.ts';
import type { HostRecord } from './host/host-record.ts';
import { bedFolder, diskFolder, hostFolder } from './layout.ts';
import { addressOf } from './machine/network.ts';
import { waitUntil } from './machine/process-identity.ts';

/**
 * The registries run in a host of their own, so that they end with the bed; its index is not for other hosts.
 */
export const registryHost = { name: 'registry', index: 200 } as const;

/** Two image registries of a bed: one open over HTTP, one over TLS that wants a login. */
export interface Registries {
  /** "address:port" of the open one; every engine of the bed accepts it without TLS. */
  open: string;
  /** "address:port" of the one with TLS and login; every engine of the bed trusts its certificate. */
  secured: string;
  username: string;
  password: string;
  /** The certificate authority of the secured one, a PEM file on the machine. */
  caPath: string;
}

const login = { username: 'tester', password: 'only-for-tests' } as const;

export function registriesOf(bed: { name: string; net: string }): Registries {
  const address = addressOf(bed.net, registryHost.index);
  return { open: `${address}:5000`, secured: `${address}:5001`, ...login, caPath: caPath(bed.name) };
}

/** Where the bed's open registry keeps what it holds, a folder on the machine. */
export function openStorage(bed: string): string {
  return join(diskFolder(bed), registryHost.name, 'docker', 'open');
}

/**
 * The open registry as engines must be told of it: BuildKit takes it for an HTTPS one unless the scheme is
 * written out.
 */
export function insecureRegistryOption(net: string): string {
  return `http://${addressOf(net, registryHost.index)}:5000`;
}

/**
 * Makes the certificate authority of the bed's secured registry, before any host, so that each can trust it.
 */
export async function makeAuthority(bed: string): Promise<void> {
  const limits = { limitMs: 10_000 };
  await mustRun(
    [
      'openssl',
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      keyPath(bed),
      '-out',
      caPath(bed),
      '-days',
      '30',
      '-subj',
      '/CN=berth test bed',
      '-addext',
      'basicConstraints=critical,CA:TRUE',
    ],
    limits,
  );
}

/** Lets an engine of the host trust the secured registry. */
export async function trustRegistry(record: HostRecord): Promise<void> {
  const folder = join(
    changesFolder(record),
    'upper/etc/docker/certs.d',
    registriesOf({ name: record.bed, net: record.net }).secured,
  );
  await mkdir(folder, { recursive: true });
  await copyFile(caPath(record.bed), join(folder, 'ca.crt'));
}

/** Lays out certificate, login and settings below the registry host's /run/bed. */
export async function layOutRegistries(record: HostRecord): Promise<void> {
  const run = join(hostFolder(record.bed, record.name), 'run');
  await makeServerCertificate(record, run);
  const passwords = await mustRun(['htpasswd', '-Bbn', login.username, login.password], { limitMs: 10_000 });
  await writeFile(join(run, 'htpasswd'), passwords);
  await writeFile(join(run, 'open.yml'), settings('open', '    addr: ":5000"'));
  await writeFile(
    join(run, 'secured.yml'),
    settings(
      'secured',
      '    addr: ":5001"\n    tls: {certificate: /run/bed/server.pem, key: /run/bed/server.key}',
      'auth: {htpasswd: {realm: berth-test, path: /run/bed/htpasswd}}\n',
    ),
  );
}

/** Starts both in the running registry host and waits until they listen. */
export async function startRegistries(
  launchIn: (name: string, argv: Argv) => Promise<void>,
  listening: () => Promise<boolean>,
): Promise<void> {
  for (const name of ['open', 'secured'])
    await launchIn(`registry-${name}`, ['docker-registry', 'serve', `/run/bed/${name}.yml`]);
  if (!(await waitUntil(listening, 20_000)))
    throw new Error('The registries of the bed did not listen within 20 s.');
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'] as const;

async function makeServerCertificate(record: HostRecord, run: string): Promise<void> {
  const limits = { limitMs: 10_000 };
  const request = join(run, 'server.csr');
  const name = `subjectAltName=IP:${addressOf(record.net, record.index)}`;
  await mustRun(
    [
      'openssl',
      'req',
      ...newKey,
      '-keyout',
      join(run, 'server.key'),
      '-out',
      request,
      '-subj',
      '/CN=registry',
      '-addext',
      name,
    ],
    limits,
  );
  await mustRun(
    [
      'openssl',
      'x509',
      '-req',
      '-in',
      request,
      '-CA',
      caPath(record.bed),
      '-CAkey',
      keyPath(record.bed),
      '-CAcreateserial',
      '-days',
      '30',
      '-copy_extensions',
      'copy',
      '-out',
      join(run, 'server.pem'),
    ],
    limits,
  );
}

function settings(name: string, http: string, more = ''): string {
  // Layers go to the host's disk folder: they are too large for its files in memory.
  return (
    `version: 0.1\nlog: {level: warn}\nstorage: {filesystem: {rootdirectory: /var/lib/docker/${name}}, ` +
    `delete: {enabled: true}}\n${more}http:\n${http}\n`
  );
}

function caPath(bed: string): string {
  return join(bedFolder(bed), 'registry-ca.pem');
}

function keyPath(bed: string): string {
  return join(bedFolder(bed), 'registry-ca.key');
}
