/**
 * Certificates made on the spot (RFC 5280 in DER), with any names and any times; no program and no network.
 */
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

export interface MadeCertificate {
  pem: string;
  /** PKCS #8 PEM. */
  key: string;
  name: string;
  privateKey: KeyObject;
}

export interface CertificateWishes {
  name: string;
  /** `DNS` names; one that is an IPv4 address becomes an address. */
  hosts?: string[];
  /** Absent: signed by itself. */
  issuer?: MadeCertificate;
  /** May issue others (RFC 5280, 4.2.1.9). */
  isAuthority?: boolean;
  notBefore?: Date;
  notAfter?: Date;
  /** P-256 unless given. */
  curve?: string;
}

const day = 24 * 3_600_000;

export function makeCertificate({
  name,
  hosts = [],
  issuer,
  isAuthority = false,
  notBefore = new Date(Date.now() - day),
  notAfter = new Date(Date.now() + 365 * day),
  curve = 'P-256',
}: CertificateWishes): MadeCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: curve });
  const extensions = [
    ...(hosts.length === 0 ? [] : [sequence(oid('551d11'), octets(sequence(...hosts.map(alternativeName))))]),
    ...(isAuthority ? [sequence(oid('551d13'), isCritical, octets(sequence(yes)))] : []),
  ];
  const body = sequence(
    der(0xa0, integer(2)),
    integer(Math.floor(Math.random() * 2 ** 30) + 1),
    sequence(ecdsaWithSha256),
    nameOf(issuer?.name ?? name),
    sequence(time(notBefore), time(notAfter)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length === 0 ? [] : [der(0xa3, sequence(...extensions))]),
  );
  const signature = sign('sha256', body, issuer?.privateKey ?? privateKey);
  const text = sequence(body, sequence(ecdsaWithSha256), der(0x03, Buffer.from([0]), signature))
    .toString('base64')
    .replace(/.{64}(?=.)/g, '$&\n');
  return {
    name,
    privateKey,
    pem: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** Root, intermediate, and a leaf for these hosts. */
export function makeChain(
  hosts: string[],
  wishes: Partial<CertificateWishes> = {},
): { root: MadeCertificate; intermediate: MadeCertificate; leaf: MadeCertificate } {
  const root = makeCertificate({ name: 'Test Root', isAuthority: true });
  const intermediate = makeCertificate({ name: 'Test Intermediate', issuer: root, isAuthority: true });
  return {
    root,
    intermediate,
    leaf: makeCertificate({ name: hosts[0] ?? 'leaf', hosts, issuer: intermediate, ...wishes }),
  };
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const octets = (content: Buffer): Buffer => der(0x04, content);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const yes = Buffer.from([0x01, 0x01, 0xff]);
const isCritical = yes;
const ecdsaWithSha256 = oid('2a8648ce3d040302');

function integer(value: number): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return der(0x02, (bytes[0] ?? 0) > 127 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

function nameOf(commonName: string): Buffer {
  return sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(commonName)))));
}

/** GeneralizedTime, seconds precise. */
function time(date: Date): Buffer {
  return der(0x18, Buffer.from(`${date.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`));
}

function alternativeName(host: string): Buffer {
  return /^[0-9.]+$/.test(host)
    ? der(0x87, Buffer.from(host.split('.').map(Number)))
    : der(0x82, Buffer.from(host));
}
