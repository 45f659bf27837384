/**
 * Examples for the OpenAPI document and for tests: a value that a JSON Schema allows, in the words of the
 * field's name.
 */
import { isSchema, propertiesOf, type Schema } from './describe-type.ts';
import { isTimeName } from './field-words.ts';
import { jsonSchemaOf, resolved, type ReferringSchema } from './json-schema.ts';
import type { Procedure } from '../procedure.ts';

type Definitions = ReferringSchema['definitions'];

/** The example written with the procedure, else its required fields. */
export function exampleInput({ input, example }: Procedure): Record<string, unknown> {
  if (isSchema(example)) return { ...example };
  const { schema, definitions } = jsonSchemaOf(input, 'input');
  const required = propertiesOf(resolved(schema, definitions)).filter((property) => property.required);
  return Object.fromEntries(
    required.map(({ name, schema: field }) => [name, exampleOf(field, definitions, name)]),
  );
}

/** The schema's own example, else the plainest value with every field. */
export function exampleOf(referring: Schema, definitions: Definitions = {}, name = ''): unknown {
  const schema = resolved(referring, definitions);
  if (Array.isArray(schema['examples']) && schema['examples'].length > 0) return schema['examples'][0];
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const [alternative] = [schema['anyOf'], schema['oneOf']].flatMap((list) =>
    Array.isArray(list) ? list.filter(isSchema) : [],
  );
  if (alternative) return exampleOf(alternative, definitions, name);
  if ('default' in schema) return schema['default'];
  return plainest(schema, definitions, name);
}

function plainest(schema: Schema, definitions: Definitions, name: string): unknown {
  const types: unknown[] = [schema['type']].flat();
  // Where nothing better is known than "text", nothing is the better example.
  if (types.includes('null') && types.includes('string') && textOf(name) === undefined) return null;
  const [type] = types;
  switch (type) {
    case 'string':
      return exampleText(schema, name);
    case 'number':
    case 'integer':
      return exampleNumber(schema, name);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return exampleList(schema, definitions, name);
    case 'object':
      return Object.fromEntries(
        propertiesOf(schema).map((field) => [field.name, exampleOf(field.schema, definitions, field.name)]),
      );
    default:
      return {};
  }
}

function exampleList(schema: Schema, definitions: Definitions, name: string): unknown[] {
  const items = isSchema(schema['items']) ? schema['items'] : {};
  const single = name.replace(/s$/, '');
  const isUnknown =
    items['type'] === 'string' && !Array.isArray(items['enum']) && textOf(single) === undefined;
  const mayBeEmpty = bound(schema['minItems'], 0) === 0;
  // A list of what can never be, or of nothing better than "text".
  return 'not' in items || (isUnknown && mayBeEmpty) ? [] : [exampleOf(items, definitions, single)];
}

function exampleNumber(schema: Schema, name: string): number {
  const within = (value: number): boolean =>
    value >= bound(schema['minimum'], -Infinity) && value <= bound(schema['maximum'], Infinity);
  const byName = numbers[name];
  if (byName !== undefined && within(byName)) return byName;
  return within(1) ? 1 : bound(schema['minimum'], 0);
}

function bound(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

const time = '2026-11-20T09:30:00.000Z';
const someId = 'V1StGXR8Z5jdHi6BmyT3k';

function exampleText(schema: Schema, name: string): string {
  const format = schema['format'];
  const byFormat = typeof format === 'string' ? formats[format] : undefined;
  const shortest = bound(schema['minLength'], 0);
  const text = textOf(name) ?? byFormat ?? 'text';
  return text.padEnd(shortest, 'x').slice(0, bound(schema['maxLength'], Infinity));
}

function textOf(name: string): string | undefined {
  return texts[name] ?? (/Ids?$/.test(name) || name === 'id' ? someId : isTimeName(name) ? time : undefined);
}

const formats: Readonly<Record<string, string>> = {
  'date-time': time,
  email: 'ann@example.com',
  uri: 'https://example.com/',
  ipv4: '203.0.113.7',
};

const numbers: Readonly<Record<string, number>> = {
  limit: 50,
  port: 3000,
  targetPort: 3000,
  publishedPort: 8080,
  externalPort: 5432,
  httpStatus: 400,
  rateLimitTimeWindow: 60_000,
  rateLimitMax: 100,
  remaining: 1000,
  refillAmount: 100,
  refillInterval: 3_600_000,
  pullRequestNumber: 12,
  previewPort: 3000,
  previewLimit: 3,
  replicas: 2,
  percent: 42,
};

const texts: Readonly<Record<string, string>> = {
  name: 'shop',
  appName: 'shop',
  title: 'Manual deployment',
  description: 'The web shop',
  email: 'ann@example.com',
  cursor: someId,
  env: 'LOG_LEVEL=info\nREGION=eu',
  buildArgs: 'VERSION=1.4',
  buildSecrets: 'NPM_TOKEN=…',
  branch: 'main',
  repository: 'shop',
  owner: 'example',
  customGitUrl: 'https://git.example.com/example/shop.git',
  customGitBranch: 'main',
  buildPath: '/',
  dockerfile: 'Dockerfile',
  containerImage: 'nginx:1.29',
  memoryLimit: '512m',
  memoryReservation: '256m',
  cpuLimit: '1.5',
  cpuReservation: '0.5',
  command: 'node server.js',
  refreshToken: someId,
  digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  host: 'shop.example.com',
  asciiHost: 'shop.example.com',
  path: '/',
  internalPath: '/',
  domain: 'shop.example.com',
  serviceName: 'web',
  customCertResolver: 'internal',
  hostPath: '/srv/shop',
  mountPath: '/data',
  volumeName: 'data',
  filePath: 'app.conf',
  content: 'level=info\n',
  registryUrl: 'registry.example.com',
  username: 'deploy',
  password: 'correct-horse-battery',
  imagePrefix: 'team/apps',
  regex: '^/old/(.*)$',
  replacement: '/new/$1',
  databaseName: 'shop',
  databaseUser: 'shop',
  databasePassword: 'correct-horse-battery',
  databaseRootPassword: 'another-correct-horse',
  database: 'shop',
  schedule: '0 3 * * *',
  prefix: 'shop',
  bucket: 'backups',
  region: 'eu-central-1',
  endpoint: 'https://s3.example.com',
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI',
  backupFile: 'shop/2026-11-20T03-00-00.dump',
  ipAddress: '203.0.113.7',
  serverIp: '203.0.113.7',
  ip: '198.51.100.4',
  composeFile: 'services:\n  web:\n    image: nginx:1.29\n',
  composePath: 'compose.yaml',
  certificateData: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n',
  privateKey: '-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n',
  directoryUrl: 'https://acme.example.com/directory',
  commonName: 'shop.example.com',
  subjectAlternativeName: 'shop.example.com',
  issuer: 'Example CA',
  rootCertificates: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n',
  publicKey: 'ssh-ed25519 AAAA… deploy',
  fingerprint: 'SHA256:…',
  key: 'berth_3f9c…',
  start: 'berth_3f9c',
  url: 'http://203.0.113.7:4500/metrics',
  token: someId,
  nodeId: 'x8k2…',
  containerId: '4c01db0b339c',
  outcome: 'done',
  procedure: 'application.deploy',
  search: 'error',
  commit: '9fceb02d0ae598e95dc970b74767f19372d61af8',
  image: 'nginx:1.29',
  memory: '512m',
  networkPool: '10.192.0.0/12',
  dnsResolver: '9.9.9.9',
  buildMemory: '2g',
  builderRelease: 'https://github.com/buildpacks/pack/releases/download/v0.36.0/pack-v0.36.0-linux.tgz',
  buildCpu: '2',
  localRepositoryPath: '/srv/git',
  line: 'Listening on port 3000',
  text: 'Listening on port 3000',
  watchPath: 'web/**',
  previewWildcard: '*.preview.example.com',
  previewPath: '/',
  triggerType: 'push',
  updateOrder: 'start-first',
  serviceType: 'application',
};
