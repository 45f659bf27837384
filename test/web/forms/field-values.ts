/** Values that a person might type into a field, other than what stands in it. */
import { databaseKindNames } from '../../../server/src/domain/database-kind.ts';
import { certificateChain } from '../../world/certificates.ts';

export interface FieldKind {
  as: 'switch' | 'several' | 'select' | 'secret' | 'text';
  /** Values of a select. */
  options: readonly string[];
  type: string | undefined;
  min: number | undefined;
  max: number | undefined;
}

export interface FieldRequest extends FieldKind {
  procedure: string;
  name: string;
  /** What stands in it. */
  former: string;
}

/** Fields whose texts have a form, by their names; `procedure name` where the name alone says too little. */
const typed: Readonly<Record<string, readonly string[]>> = {
  host: ['other.example.com'],
  previewWildcard: ['*.other.example.com'],
  recipients: ['age1xp8u0qculgmqd637p5sjut8u0l7rre67s0m3vuzy8aknscly954qaehnpy'],
  // In pieces: scanners of repositories take it for a key otherwise.
  'destination.update identity': [
    ['AGE-SECRET', 'KEY-1LH59WDWJV54RGDVLJARM92YVQ6KKYSZ32E82ULHJJZRL4RM354YSW9HDXT'].join('-'),
  ],
  schedule: ['15 5 * * *'],
  verifySchedule: ['15 6 * * 0'],
  cleanupSchedule: ['15 5 * * *'],
  cron: ['15 5 * * *'],
  timeZone: ['Europe/Berlin'],
  memoryLimit: ['512m'],
  memoryReservation: ['64m'],
  cpuLimit: ['1.5'],
  cpuReservation: ['0.25'],
  env: ['CHANGED=yes'],
  previewEnv: ['CHANGED=yes'],
  customGitUrl: ['https://example.com/other.git'],
  baseUrl: ['https://127.0.0.1:2'],
  apiUrl: ['https://127.0.0.1:1/api/v2'],
  publishedPort: ['31000'],
  eab: ['{"keyId": "key-2", "hmacKey": "aGlkZGVuLWVhYi1rZXktMg"}'],
  rootCertificates: [certificateChain.certificate],
  'registry.update registryUrl': ['127.0.0.1:2'],
  'templateCatalogue.update url': ['https://git.example.com/other.git'],
  'templateCatalogue.update folder': ['blueprints'],
  'schedule.update command': ["node clean-up.js 'a b'"],
  ...Object.fromEntries(
    databaseKindNames.map((kind, index) => [`${kind}.saveExternalPort externalPort`, [`${15_001 + index}`]]),
  ),
  trustedProxies: ['private'],
  allowOnDemand: ['/berth/allow'],
  allowedAddresses: ['203.0.113.0/24'],
  deniedAddresses: ['203.0.113.9'],
  errorPages: ['{"404": "<h1>Gone</h1>"}'],
  responseHeaders: ['{"X-Shop": "changed"}'],
  serverIp: ['203.0.113.7'],
  baseDomain: ['apps.localhost'],
  'project.update baseDomain': ['shop.localhost'],
  'server.update baseDomain': ['edge.localhost'],
  dnsResolver: ['9.9.9.9'],
  acmeEmail: ['ops@example.com'],
  acmeDirectory: ['https://acme.example.com/directory'],
  acmeRoots: [certificateChain.certificate],
  buildMemory: ['1g'],
  buildCpu: ['1.5'],
  builderReleases: ['https://releases.example.com/pack-v1-linux.tgz'],
  networkPool: ['10.208.0.0/12'],
  allowedPrivateNetworks: ['127.0.0.0/8\n10.1.0.0/16'],
  localRepositoryPaths: ['/srv/git'],
  placement: ['node.role==worker'],
  preReleaseCommand: ["npm run 'a b'"],
  postReleaseCommand: ["npm run 'a b'"],
  'dnsProvider.update rfc2136.server': ['127.0.0.1:2'],
  'dnsProvider.update rfc2136.secret': ['Y2hhbmdlZC1TZWNyZXQtMQ=='],
  'application.update command': ["node check.js 'a b'"],
};

/** Fields that the server takes only with others: a stored secret is never sent to another address. */
export const companions: Readonly<Record<string, readonly (readonly [field: string, value: string])[]>> = {
  'application.saveContainerProvider registryUrl': [['password', 'changed-Secret-1']],
  'gitProvider.update baseUrl': [['accessToken', 'changed-Secret-1']],
  'gitProvider.update apiUrl': [['accessToken', 'changed-Secret-1']],
  'registry.update registryUrl': [['password', 'changed-Secret-1']],
  'templateCatalogue.update url': [['password', 'changed-Secret-1']],
  'dnsProvider.update rfc2136.server': [['rfc2136.secret', 'Y2hhbmdlZC1TZWNyZXQtMQ==']],
  'mount.update type': [['hostPath', '/srv/data']],
};

/** Fields whose other value may rightly be refused here, and what is said then. */
export const refused: Readonly<Record<string, RegExp>> = {
  'organization.update requireTwoFactor': /Set two-factor sign-in up for yourself first/,
  // After lists of addresses were saved, which the proxy holds behind the installation's proxies alone.
  'domain.update allowOnDemand': /needs https/,
  'domain.update trustedProxies': /only this domain trusts/,
};

/** Fields that the server may decide otherwise, with a notice that the page shows. */
export const decided: Readonly<Record<string, string>> = {
  'port.update publishMode': 'a machine without the kernel module of the routing mesh publishes on itself',
};

/** Fields that change with another one: the server makes them up. */
export const follows: Readonly<Record<string, string>> = {
  'compose.update randomize': 'suffix',
  'gitProvider.update baseUrl': 'apiUrl',
};

/** Secrets that are not shown again although their field is no password. */
export const hidden: ReadonlySet<string> = new Set(['certificateResolver.update eab']);

/** In the order in which they are tried; the first that is saved counts. */
export function otherValues(field: FieldRequest): readonly string[] {
  const { as, options, procedure, name, former } = field;
  if (as === 'switch' || as === 'several') {
    const states = former.split(' ');
    return [[...states.slice(0, -1), states.at(-1) === 'on' ? 'off' : 'on'].join(' ')];
  }
  if (as === 'select') return options.filter((one) => one !== former && one !== '');
  if (as === 'secret') return typed[`${procedure} ${name}`] ?? ['changed-Secret-1'];
  return typed[`${procedure} ${name}`] ?? typed[name] ?? byType(field);
}

function byType({ type, former, min = 1, max = Infinity }: FieldRequest): readonly string[] {
  if (type === 'number' && /[a-z]$/i.test(former)) return ['3 GiB', '30 MiB', '3 MiB'];
  if (type === 'number') {
    const number = former === '' ? min : Number(former);
    return [String(number + 1 <= max ? number + 1 : number - 1)];
  }
  if (type === 'json') return ['{"a": "b"}', '["a"]'];
  if (type === 'list') return [former === '' ? 'changed' : `${former}\nchanged`];
  return [`${former}changed`];
}
