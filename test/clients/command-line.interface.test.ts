/** The words of the command line against the started program, which has no engine here. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runBerth, type Ran } from '../command-line.ts';
import type { Program } from '../world/program.ts';
import { password } from '../world/inputs.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';

let program: Program;
let world: World;
let home: string;
let folder: string;

beforeAll(async () => {
  ({ program, first: world } = await startWithWorlds(0, { withPasswords: true }));
  home = await mkdtemp(join(tmpdir(), 'berth-words-'));
  folder = join(home, 'notes');
  await mkdir(folder);
  await writeFile(join(folder, 'index.html'), 'hello');
});
afterAll(async () => {
  await rm(home, { recursive: true, force: true });
  await program[Symbol.asyncDispose]();
});

function berth(
  line: string,
  headers: Record<string, string> = world.people.owner.byKey,
  at = folder,
  stdin = '',
): Promise<Ran> {
  const environment = { HOME: home, BERTH_URL: program.url, BERTH_API_KEY: headers['x-api-key'] };
  return runBerth(line.split(' '), { environment, folder: at, stdin });
}

const valueOf = ({ out }: Ran): unknown => JSON.parse(out);

it('lists services by name, and only those that the key reaches', async () => {
  const all = await berth('status');
  expect(all.code).toBe(0);
  expect(valueOf(all)).toEqual(
    expect.arrayContaining([expect.objectContaining({ service: 'Shop/web', kind: 'application' })]),
  );
  expect(await berth('status', world.narrowed)).toMatchObject({ code: 1, out: '' });
  expect(await berth('projects')).toMatchObject({ code: 0, out: expect.stringContaining('"Shop"') });
});

it('changes variables by the name of the service', async () => {
  expect(await berth('env set Shop/web COLOR=blue SIZE=2')).toMatchObject({ code: 0 });
  expect(valueOf(await berth('env get Shop/web COLOR SIZE'))).toEqual({ COLOR: 'blue', SIZE: '2' });
  expect(await berth('env unset Shop/web SIZE')).toMatchObject({ code: 0 });
  expect(await berth('env get Shop/web SIZE')).toMatchObject({ code: 1, out: '' });
});

it('remembers a project and a folder, outside the folder', async () => {
  expect(valueOf(await berth('use Shop'))).toEqual({ project: 'Shop' });
  expect(valueOf(await berth('link web'))).toEqual({ service: 'Shop/web' });
  expect(valueOf(await berth('whoami'))).toMatchObject({ project: 'Shop', service: 'Shop/web' });
  expect(valueOf(await berth('link --remove'))).toEqual({ service: null });
  expect(await berth('history')).toMatchObject({ code: 2, said: expect.stringContaining('Which service?') });
});

it('makes what is missing and sends the folder; without an engine it ends with 1 and why', async () => {
  const first = await berth('deploy --project Letters');
  expect(first).toMatchObject({
    code: 1,
    said: expect.stringMatching(/Creating Letters\/notes.+\n[\s\S]*Packed 1 file,/),
  });
  expect(valueOf(first)).toMatchObject({
    service: 'Letters/notes',
    status: 'error',
    errorMessage: expect.any(String),
  });
  const second = await berth('deploy');
  expect(second).toMatchObject({ code: 1, said: expect.not.stringContaining('Making') });
  expect(valueOf(await berth('history Letters/notes'))).toHaveLength(2);
});

it('takes the service of a compose file that gets the address for a new service only', async () => {
  const own = join(home, 'stack');
  await mkdir(own);
  await writeFile(join(own, 'compose.yml'), 'services: { a: { image: a:1 }, b: { image: b:1 } }\n');
  const at = (line: string): Promise<Ran> => berth(line, world.people.owner.byKey, own);
  expect((await at('deploy --project Letters')).said).toContain('does not say which of a, b answers');
  expect(await at('deploy --compose-service b')).toMatchObject({
    code: 2,
    said: expect.stringContaining('--compose-service is for a new service'),
  });
  expect(await at('domains add shop.example.com')).toMatchObject({
    code: 2,
    said: expect.stringContaining('Give --compose-service: a, b'),
  });
});

it('takes a port for a new service only', async () => {
  await berth('deploy Letters/cache --image example.com/cache:1 --no-wait');
  expect(await berth('deploy Letters/cache --image example.com/cache:1 --port 80')).toMatchObject({
    code: 2,
    said: expect.stringContaining('--port is for a new service'),
  });
  expect(await berth('deploy Letters/other --image example.com/cache:1 --port many')).toMatchObject({
    code: 2,
    said: expect.stringContaining('--port is "many"'),
  });
});

it('makes a database of the image that is named', async () => {
  await berth('db create redis Letters/store --image example.com/redis:9 --no-wait');
  const made = valueOf(await berth('status'));
  const { redisId } = Object(Array.isArray(made) ? made.find((one) => one.service === 'Letters/store') : {});
  expect(valueOf(await berth(`api redis.one --redisId ${redisId}`))).toMatchObject({
    containerImage: 'example.com/redis:9',
  });
});

it.each([
  ['github', '.github/workflows/deploy.yml'],
  ['gitea', '.gitea/workflows/deploy.yml'],
  ['forgejo', '.forgejo/workflows/deploy.yml'],
  ['gitlab', '.gitlab-ci.yml'],
])('writes the file of %s, whose key deploys and no more', async (forge, path) => {
  const { owner } = world.people;
  await berth('deploy Letters/runner --no-wait');
  const ran = await berth(
    `ci setup ${forge} Letters/runner --json --email ${owner.email}`,
    owner.byKey,
    folder,
    `${password}\n`,
  );
  expect(ran, ran.said).toMatchObject({ code: 0 });
  const { path: said, file } = Object(valueOf(ran));
  expect(said).toBe(path);
  const [command = '', words = ''] = /node "\S+\/berth\.mjs" (deploy .+)$/m.exec(file) ?? [];
  const argv = words.replace(/"\$\w+_SHA"/, '4f2a9c81');
  // Indented as it must be: a runner reads the same command.
  expect(JSON.stringify(parse(file))).toContain(JSON.stringify(command).slice(1, -1));
  const key = { 'x-api-key': /The key, shown only this once: (\S+)/.exec(ran.said)?.[1] ?? '' };
  const deployed = await berth(argv, key);
  expect(valueOf(deployed)).toMatchObject({ service: 'Letters/runner', status: 'error' });
  expect(deployed.code).toBe(1);
  for (const line of ['db create redis Letters/x', 'members', 'api application.delete --applicationId x'])
    expect([line, (await berth(line, key)).code]).toEqual([line, 1]);
});

it('refuses a number below zero as such', async () => {
  expect(await berth('scale Shop/web -1')).toMatchObject({
    code: 2,
    said: expect.stringContaining('"-1" is not a number of replicas; give 0 or more'),
  });
});

it('applies the berth.yml of a folder before it deploys the service of it', async () => {
  const own = join(home, 'filed');
  await mkdir(own);
  await writeFile(join(own, 'index.html'), 'hello');
  const save = (content: unknown): Promise<void> =>
    writeFile(join(own, 'berth.yml'), JSON.stringify(content));
  const at = (line: string): Promise<Ran> => berth(line, world.people.owner.byKey, own);
  await save({
    project: 'Filed',
    services: { web: { kind: 'application', variables: { A: '1' } } },
  });
  const first = await at('deploy');
  expect(first).toMatchObject({
    code: 1,
    said: expect.stringMatching(
      /\+ application Filed\/web[\s\S]+✓ application Filed\/web[\s\S]+Packed 2 files/,
    ),
  });
  expect(valueOf(first)).toMatchObject({ service: 'Filed/web', status: 'error' });
  expect(valueOf(await at('env get Filed/web A'))).toEqual({ A: '1' });
  expect(valueOf(await at('plan'))).toMatchObject({ steps: [] });
  expect((await at('deploy')).said).not.toContain('✓');

  await save({
    project: 'Filed',
    services: { web: { kind: 'application', variables: { A: '2' } } },
    nmae: 1,
  });
  expect(await at('deploy')).toMatchObject({ code: 2, said: expect.stringContaining('no key nmae') });
  await save({ project: 'Filed', services: { one: { kind: 'application' }, two: { kind: 'application' } } });
  // Linked to a service that the file no longer has.
  expect(await at('deploy')).toMatchObject({ code: 2, said: expect.stringContaining('one, two') });
  expect(await at('history Filed/one')).toMatchObject({ code: 2 });
});
