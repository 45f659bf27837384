/** The mount /compat of the started program: the family's words, the same procedures, the same refusals. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { familyAnswer, familyPaths } from '../../server/src/domain/family-words.ts';
import { procedures } from '../e2e/fixtures/caller.ts';
import { inputFor } from '../world/inputs.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';
import { familyClient, type FamilyClient } from './family-client.ts';

let program: Program;
let world: World;
let folder: string;
let client: FamilyClient;

beforeAll(async () => {
  ({ program, first: world } = await startWithWorlds());
  folder = await mkdtemp(join(tmpdir(), 'berth-family-'));
  client = familyClient(program.url, world.people.owner.byKey['x-api-key'] ?? '', folder);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await program[Symbol.asyncDispose]();
});

type Headers = Readonly<Record<string, string>>;

async function ask(
  path: string,
  input: unknown,
  headers: Headers,
  isQuery: boolean,
): Promise<{ status: number; body: unknown }> {
  const query = isQuery ? `?input=${encodeURIComponent(JSON.stringify(input ?? {}))}` : '';
  const response = await fetch(`${program.url}${path}${query}`, {
    method: isQuery ? 'GET' : 'POST',
    headers: { ...headers, ...(isQuery ? {} : { 'content-type': 'application/json' }) },
    ...(isQuery ? {} : { body: JSON.stringify(input ?? {}) }),
  });
  return { status: response.status, body: await response.json() };
}

/** Its answer counts the asking itself, so no two are the same. */
const counting = ['metrics.prometheus'];
const queries = procedures.filter(
  ({ path, procedure }) => procedure.kind === 'query' && !counting.includes(path),
);

it('every read answers what it answers without the mount, in the words of the family', async () => {
  const headers = world.people.owner.byKey;
  const differing: string[] = [];
  for (const named of queries) {
    const input = inputFor(named, { world, who: 'owner' });
    const own = await ask(`/api/${named.path}`, input, headers, true);
    for (const theirs of [named.path, ...familyPaths(named.path)]) {
      const answer = await ask(`/compat/api/${theirs}`, input, headers, true);
      const isSame =
        own.status === 200
          ? withoutTimes(answer.body) === withoutTimes(familyAnswer(named.path, own.body))
          : answer.status === own.status;
      if (!isSame) differing.push(`${theirs}: ${own.status} ${answer.status}`);
    }
  }
  expect(differing).toEqual([]);
});

/** Moments of the answer itself differ from call to call. */
function withoutTimes(value: unknown): string {
  return JSON.stringify(value, (key, item: unknown) =>
    /At$|^since$|Since$|^version$|^uptime/.test(key) || typeof item === 'number' ? 0 : item,
  );
}

it('refuses whoever is refused without the mount, for each procedure', async () => {
  const differing: string[] = [];
  const callers: Headers[] = [{}, world.people.stranger.byKey, world.narrowed];
  for (const named of procedures) {
    const isQuery = named.procedure.kind === 'query';
    if (named.procedure.kind !== 'query' && named.procedure.kind !== 'mutation') continue;
    const input = inputFor(named, { world, who: 'owner' });
    for (const headers of named.procedure.access.resources.length > 0 ? callers : [{}, world.narrowed])
      for (const theirs of [named.path, ...familyPaths(named.path)]) {
        const { status } = await ask(`/compat/api/${theirs}`, input, headers, isQuery);
        const own = await ask(`/api/${named.path}`, input, headers, isQuery);
        const isNobody = Object.keys(headers).length === 0;
        if (status !== own.status || (isNobody && status !== 401))
          differing.push(`${theirs}: ${own.status} ${status}`);
      }
  }
  expect(differing).toEqual([]);
});

it('a fault names the field in the words of the family, and the error is enveloped as ever', async () => {
  const { status, body } = await ask(
    '/compat/api/trpc/application.saveDockerProvider',
    { json: { applicationId: world.own.applicationId, dockerImage: 7 } },
    world.people.owner.byKey,
    false,
  );
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('"path":"dockerImage"')]);
  expect(await ask('/compat/api/nothing.here', {}, {}, true)).toMatchObject({ status: 404 });
});

it('lists every name that it has, with its verb and what it calls', async () => {
  const { body } = await ask('/compat/api', undefined, {}, true);
  const { procedures: listed } = Object(body);
  expect(listed).toEqual(
    expect.arrayContaining([
      { name: 'docker.getContainers', verb: 'GET', procedure: 'container.getContainers' },
      { name: 'rollback.rollback', verb: 'POST', procedure: 'deployment.rollback' },
      { name: 'project.all', verb: 'GET', procedure: 'project.all' },
    ]),
  );
  // Nobody is signed in: what there is refuses with 401, and the other verb with 405.
  const statuses = await Promise.all(
    listed.flatMap(({ name, verb }: { name: string; verb: string }) =>
      [verb === 'GET', verb !== 'GET'].map(
        async (isQuery) => (await ask(`/compat/api/${name}`, {}, {}, isQuery)).status,
      ),
    ),
  );
  expect(new Set(statuses)).toEqual(new Set([401, 405]));
});

it("the family's own command line makes, changes and reads services of every kind", async () => {
  const { environment } = Object(await client('project create', { name: 'Moved' }));
  const { environmentId } = environment;
  const made = Object(await client('application create', { name: 'web', environmentId }));
  const { applicationId } = made;
  const image = { applicationId, dockerImage: 'nginx:1', username: '', password: '', registryUrl: '' };
  await client('application save-docker-provider', image);
  await client('application update', { applicationId, replicas: '2', memoryLimit: '512m' });
  expect(await client('application one', { applicationId })).toMatchObject({
    name: 'web',
    sourceType: 'docker',
    dockerImage: 'nginx:1',
    replicas: 2,
    memoryLimit: '512m',
  });
  await client('mounts create', {
    type: 'volume',
    volumeName: 'data',
    mountPath: '/data',
    serviceId: applicationId,
  });
  expect(await client('mounts all-named-by-application-id', { applicationId })).toMatchObject([
    { mountPath: '/data' },
  ]);
  for (const kind of ['postgres', 'mysql', 'mariadb', 'mongo', 'redis']) {
    const account: Record<string, string> = kind === 'redis' ? {} : { databaseUser: 'shop' };
    if (kind !== 'redis' && kind !== 'mongo') account['databaseName'] = 'shop';
    const more = { databasePassword: 'secret1', dockerImage: `${kind}:7`, environmentId };
    const created = Object(await client(`${kind} create`, { name: kind, ...account, ...more }));
    const id = { [`${kind}Id`]: created[`${kind}Id`] };
    expect(await client(`${kind} one`, id)).toMatchObject({
      dockerImage: `${kind}:7`,
      appName: expect.stringMatching(`^${kind}-`),
    });
  }
  const compose = { name: 'stack', environmentId, composeFile: 'services:\n  a:\n    image: nginx:1\n' };
  const { composeId } = Object(await client('compose create', { ...compose, sourceType: 'raw' }));
  expect(await client('compose load-services', { composeId })).toEqual(['a']);
  expect(await client('docker get-containers', {}).catch(String)).toContain('503');
});
