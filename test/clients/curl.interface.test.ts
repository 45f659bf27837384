/**
 * The calls of the interface document as a reader would type them: plain curl against the started program.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../../images/command.ts';
import { mismatch } from '../conformance/matching.ts';
import { any } from '../conformance/row.ts';
import { certificateChain } from '../world/certificates.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';

let program: Program;
let world: World;

beforeAll(async () => {
  ({ program, first: world } = await startWithWorlds());
});
afterAll(() => program[Symbol.asyncDispose]());

const json = 'Content-Type: application/json';
const key = 'x-api-key: <API_KEY>';
const bearer = 'Authorization: Bearer <API_KEY>';
const cookie = 'Cookie: <SESSION>';
const origin = 'Origin: {base_url}';
const data = (value: unknown): unknown => ({ result: { data: value } });
const envelope = (code: string, httpStatus: number): unknown => ({
  error: { message: any.text, code, data: { httpStatus } },
});

/** As a reader would type it. */
const post = (path: string, who: string, body: string): readonly string[] => [
  'curl',
  '-X',
  'POST',
  `{base_url}${path}`,
  '-H',
  who,
  '-H',
  json,
  '-d',
  body,
];

const asked = (path: string, input: string, who: string): readonly string[] => [
  'curl',
  '-G',
  `{base_url}${path}`,
  '--data-urlencode',
  input,
  '-H',
  who,
];

interface Example {
  argv: readonly string[];
  status: number;
  gives?: unknown;
}

const examples: readonly Example[] = [
  // Authentication-related and general, form A.
  {
    argv: [
      'curl',
      '-X',
      'POST',
      '{base_url}/api/trpc/user.createApiKey',
      '-H',
      cookie,
      '-H',
      origin,
      '-H',
      json,
      '-d',
      '{"name":"ci","prefix":"ci","expiresIn":86400000,"metadata":{"organizationId":"<organizationId>"},' +
        '"rateLimitEnabled":true,"rateLimitTimeWindow":60000,"rateLimitMax":100,' +
        '"remaining":1000,"refillAmount":100,"refillInterval":3600000}',
    ],
    status: 200,
    gives: data({ id: any.id, key: any.matching(/^ci_/), name: 'ci', createdAt: any.time }),
  },
  {
    argv: ['curl', '{base_url}/api/trpc/user.get', '-H', key],
    status: 200,
    gives: data({ email: any.text, apiKeys: any.list }),
  },
  {
    argv: ['curl', '{base_url}/api/trpc/project.all', '-H', bearer],
    status: 200,
    gives: data(any.listOf({ projectId: any.id, name: any.text })),
  },
  { argv: ['curl', '{base_url}/api/trpc/project.all'], status: 401, gives: envelope('UNAUTHORIZED', 401) },
  {
    argv: ['curl', '{base_url}/api/project.all', '-H', 'x-api-key: wrong'],
    status: 401,
    gives: envelope('UNAUTHORIZED', 401),
  },
  {
    argv: post('/api/trpc/user.deleteApiKey', key, '{"apiKeyId":"none"}'),
    status: 404,
    gives: envelope('NOT_FOUND', 404),
  },
  // Applications; create and deploy in both forms.
  {
    argv: post(
      '/api/application.create',
      key,
      '{"name":"my-app","environmentId":"<environmentId>","description":"My application"}',
    ),
    status: 200,
    gives: { applicationId: any.id, name: 'my-app', appName: any.text },
  },
  {
    argv: post('/api/trpc/application.create', bearer, '{"name":"my-app","environmentId":"<environmentId>"}'),
    status: 200,
    gives: data({ applicationId: any.id, name: 'my-app' }),
  },
  {
    argv: ['curl', '{base_url}/api/application.one?applicationId=<applicationId>', '-H', bearer],
    status: 200,
    gives: { applicationId: '<applicationId>', applicationStatus: any.text, environment: any.object },
  },
  {
    argv: asked('/api/application.one', 'input={"applicationId":"<applicationId>"}', key),
    status: 200,
    gives: { applicationId: '<applicationId>' },
  },
  {
    argv: asked('/api/trpc/application.one', 'input={"json":{"applicationId":"<applicationId>"}}', key),
    status: 200,
    gives: data({ json: { applicationId: '<applicationId>' } }),
  },
  {
    argv: post(
      '/api/application.update',
      bearer,
      '{"applicationId":"<applicationId>","memoryLimit":"512m","cpuLimit":"1.5","replicas":2,' +
        '"args":["--verbose"]}',
    ),
    status: 200,
    gives: { success: true },
  },
  {
    argv: post(
      '/api/application.saveEnvironment',
      key,
      '{"applicationId":"<applicationId>","env":"A=1\\nB=2","createEnvFile":true}',
    ),
    status: 200,
    gives: { env: 'A=••••\nB=••••' },
  },
  {
    argv: post('/api/application.deploy', key, '{"applicationId":"<applicationId>","title":"Release"}'),
    status: 200,
    gives: true,
  },
  {
    argv: post('/api/trpc/application.deploy', key, '{"applicationId":"<otherApplicationId>"}'),
    status: 200,
    gives: data(true),
  },
  {
    argv: post('/api/application.cancelDeployment', key, '{"applicationId":"<applicationId>"}'),
    status: 412,
    gives: envelope('PRECONDITION_FAILED', 412),
  },
  {
    argv: post(
      '/api/application.move',
      key,
      '{"applicationId":"<otherApplicationId>","targetEnvironmentId":"<otherEnvironmentId>"}',
    ),
    status: 200,
    gives: { applicationId: '<otherApplicationId>', environmentId: '<otherEnvironmentId>' },
  },
  {
    argv: ['curl', '{base_url}/api/application.one?applicationId=<foreign>', '-H', key],
    status: 403,
    gives: { ...Object(envelope('FORBIDDEN', 403)), code: 'FORBIDDEN', message: any.text },
  },
  // Databases.
  {
    argv: post(
      '/api/postgres.create',
      key,
      '{"name":"Database","appName":"curl-postgres","databaseName":"app","databaseUser":"app",' +
        '"databasePassword":"s3cret","environmentId":"<environmentId>"}',
    ),
    status: 200,
    gives: { postgresId: any.id, containerImage: 'postgres:18', applicationStatus: 'idle' },
  },
  {
    argv: post(
      '/api/redis.create',
      key,
      '{"name":"Cache","appName":"curl-redis","databasePassword":"s3cret","environmentId":"<environmentId>"}',
    ),
    status: 200,
    gives: { redisId: any.id, containerImage: 'redis:8' },
  },
  {
    argv: ['curl', '{base_url}/api/mysql.one?mysqlId=<mysqlId>', '-H', key],
    status: 200,
    gives: { mysqlId: '<mysqlId>', databasePassword: any.text },
  },
  {
    argv: post('/api/mongo.changeStatus', key, '{"mongoId":"<mongoId>","applicationStatus":"done"}'),
    status: 200,
    gives: { applicationStatus: 'done' },
  },
  {
    argv: post('/api/mariadb.saveExternalPort', key, '{"mariadbId":"<mariadbId>","externalPort":null}'),
    status: 200,
    gives: { externalPort: null },
  },
  {
    argv: post('/api/mysql.create', key, '{"name":"Database"}'),
    status: 400,
    gives: {
      error: { code: 'BAD_REQUEST', data: { issues: any.listOf({ path: any.text, message: any.text }) } },
    },
  },
  // Domains and environments, form A.
  {
    argv: post(
      '/api/trpc/domain.create',
      bearer,
      '{"host":"new.example.com","https":true,"applicationId":"<applicationId>"}',
    ),
    status: 400,
    gives: envelope('BAD_REQUEST', 400),
  },
  {
    argv: ['curl', '{base_url}/api/trpc/domain.byApplicationId?applicationId=<applicationId>', '-H', bearer],
    status: 200,
    gives: data(any.listOf({ domainId: any.id, host: any.text })),
  },
  {
    argv: post('/api/trpc/domain.generateDomain', bearer, '{"appName":"my-app"}'),
    status: 200,
    gives: data(any.matching(/^my-app-/)),
  },
  {
    argv: post(
      '/api/trpc/environment.create',
      bearer,
      '{"name":"testing","projectId":"<projectId>","description":"For tests"}',
    ),
    status: 200,
    gives: data({ environmentId: any.id, name: 'testing', env: '', isDefault: false }),
  },
  {
    argv: ['curl', '{base_url}/api/trpc/environment.byProjectId?projectId=<projectId>', '-H', bearer],
    status: 200,
    gives: data(any.list),
  },
  {
    argv: post('/api/trpc/environment.create', bearer, '{"name":"production","projectId":"<projectId>"}'),
    status: 400,
    gives: envelope('BAD_REQUEST', 400),
  },
  // Servers, certificates, containers, swarm, previews.
  {
    argv: post(
      '/api/server.create',
      key,
      '{"name":"node","description":null,"ipAddress":"203.0.113.9","port":22,"username":"root",' +
        '"sshKeyId":null,"serverType":"deploy"}',
    ),
    status: 200,
    gives: { serverId: any.id },
  },
  {
    argv: ['curl', '{base_url}/api/server.all', '-H', key],
    status: 200,
    gives: any.listOf({ serverId: any.id, totalServices: any.number }),
  },
  {
    argv: [
      'curl',
      '{base_url}/api/server.getServerMetrics?url=http://198.51.100.1:4500/metrics&token=t&dataPoints=50',
      '-H',
      key,
    ],
    status: 403,
    gives: envelope('FORBIDDEN', 403),
  },
  {
    argv: post(
      '/api/certificate.create',
      key,
      JSON.stringify({
        name: 'shop',
        certificateData: certificateChain.certificate,
        privateKey: certificateChain.privateKey,
      }),
    ),
    status: 200,
    gives: { certificateId: any.id, status: 'valid' },
  },
  {
    argv: post('/api/certificate.create', key, '{"name":"shop","certificateData":"no","privateKey":"no"}'),
    status: 400,
    gives: { error: 'Invalid certificate', message: any.text },
  },
  {
    argv: post('/api/certificate.remove', key, '{"certificateId":"<usedCertificateId>"}'),
    status: 409,
    gives: { error: 'Certificate in use', message: any.text },
  },
  {
    argv: ['curl', '{base_url}/api/container.getContainersByAppNameMatch?appName=no%20good', '-H', key],
    status: 400,
    gives: envelope('BAD_REQUEST', 400),
  },
  {
    argv: ['curl', '{base_url}/api/swarm.getNodes', '-H', 'x-api-key: <MEMBER_KEY>'],
    status: 403,
    gives: { error: 'Unauthorized', message: any.text },
  },
  {
    argv: ['curl', '{base_url}/api/previewDeployment.all?applicationId=<applicationId>', '-H', key],
    status: 200,
    gives: any.listOf({ previewDeploymentId: any.id, status: 'running' }),
  },
  // Lists in pages, values coerced to their types; batches; the other verb; nothing there.
  {
    argv: ['curl', '{base_url}/api/project.all?limit=2', '-H', key],
    status: 200,
    gives: { items: any.list, nextCursor: any.text },
  },
  {
    argv: ['curl', '{base_url}/api/trpc/user.get,project.all?batch=1', '-H', key],
    status: 200,
    gives: [data(any.object), data(any.list)],
  },
  {
    argv: ['curl', '{base_url}/api/application.deploy', '-H', key],
    status: 405,
    gives: envelope('METHOD_NOT_SUPPORTED', 405),
  },
  {
    argv: ['curl', '{base_url}/api/application.nothing', '-H', key],
    status: 404,
    gives: envelope('NOT_FOUND', 404),
  },
  { argv: ['curl', '{base_url}/api/health'], status: 200, gives: { ok: true, version: any.text } },
  {
    argv: ['curl', '{base_url}/api/openapi.json'],
    status: 200,
    gives: { openapi: '3.1.0', paths: any.object },
  },
  { argv: ['curl', '{base_url}/'], status: 200 },
  { argv: ['curl', '{base_url}/docs'], status: 200 },
];

it.each(
  examples.map(({ argv, ...example }) => ({
    title: argv.slice(1).join(' ').slice(0, 120),
    argv,
    ...example,
  })),
)('$title', async ({ argv, status, gives }) => {
  const [program_ = 'curl', ...rest] = argv.map(filled);
  const { code, stdout } = await runCommand(
    [program_, '--silent', '--write-out', '\n%{http_code}', ...rest],
    { limitMs: 30_000 },
  );
  const end = stdout.lastIndexOf('\n');
  expect([code, stdout.slice(end + 1)], stdout.slice(0, 500)).toEqual([0, String(status)]);
  expect(
    gives === undefined ? undefined : mismatch(JSON.parse(stdout.slice(0, end)), filledDeep(gives)),
  ).toBeUndefined();
});

function filled(text: string): string {
  const { own, foreign, people } = world;
  const names: Record<string, string> = {
    API_KEY: people.owner.byKey['x-api-key'] ?? '',
    MEMBER_KEY: people.member.byKey['x-api-key'] ?? '',
    SESSION: people.owner.bySession['cookie'] ?? '',
    foreign: foreign['applicationId'] ?? '',
  };
  return text
    .replaceAll('{base_url}', program.url)
    .replaceAll(/<(\w+)>/g, (_found, name: string) => names[name] ?? own[name] ?? '');
}

function filledDeep(value: unknown): unknown {
  if (typeof value === 'string') return filled(value);
  if (Array.isArray(value)) return value.map(filledDeep);
  if (typeof value !== 'object' || value === null || value instanceof RegExp) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, filledDeep(item)]));
}

it('met nothing unexpected', () => {
  expect(program.faults()).toEqual([]);
});
