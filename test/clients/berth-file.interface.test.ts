/** berth.yml against the started program, which has no engine here: what is saved, not what runs. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { runBerth, type Ran } from '../command-line.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';
import { startCutLine } from './cut-line.ts';
import { generatedFile } from './generated-files.ts';

let program: Program;
let world: World;
let folder: string;

beforeAll(async () => {
  ({ program, first: world } = await startWithWorlds());
  folder = await mkdtemp(join(tmpdir(), 'berth-file-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await program[Symbol.asyncDispose]();
});

function berth(line: string, { url = program.url, headers = world.people.owner.byKey } = {}): Promise<Ran> {
  const environment = { HOME: folder, BERTH_URL: url, BERTH_API_KEY: headers['x-api-key'] };
  return runBerth(line.split(' '), { environment, folder });
}

const save = (content: unknown): Promise<void> =>
  writeFile(join(folder, 'berth.yml'), typeof content === 'string' ? content : stringify(content));
const valueOf = ({ out }: Ran): unknown => JSON.parse(out);
const nothing = { steps: [], deploys: [], problems: [] };

/** The content of an export, without the project's name. */
async function exported(project: string): Promise<object> {
  const { out, code } = await berth(`export ${project}`);
  expect(code).toBe(0);
  return { ...Object(parse(out)), project: undefined };
}

it('an export of one of everything, applied, changes nothing', async () => {
  for (const line of ['export Shop', 'export Shop --all']) {
    const { out, code } = await berth(line);
    expect(code).toBe(0);
    for (const list of ['domains:', 'mounts:', 'ports:', 'redirects:', 'backups:', 'schedules:'])
      expect(out).toContain(list);
    await save(out);
    expect(valueOf(await berth('plan --check'))).toMatchObject(nothing);
    expect(await berth('apply --yes')).toMatchObject({ code: 0, said: '' });
  }
});

it('a domain without a port follows its image, in the file as null or not at all', async () => {
  const text = (await berth('export Shop')).out;
  const planWith = async (host: RegExp, port: unknown): Promise<unknown> => {
    const content: unknown = parse(text);
    const found: object[] = [];
    JSON.stringify(content, (_key, value: unknown) => {
      if (typeof value === 'object' && value !== null && 'host' in value && host.test(String(value.host)))
        found.push(value);
      return value;
    });
    expect(found).toHaveLength(1);
    for (const domain of found) Object.assign(domain, port === undefined ? {} : { port });
    await save(content);
    return [found[0] && Reflect.get(found[0], 'port'), valueOf(await berth('plan'))];
  };
  const change = (from: string, to: string): object => ({
    steps: [{ changes: [{ field: expect.stringMatching(/^domains .* port$/), from, to }] }],
  });
  const [own, following] = [/^(?!secure)/, /^secure/];
  expect(await planWith(own, undefined)).toMatchObject([3000, nothing]);
  expect(await planWith(following, undefined)).toMatchObject([undefined, nothing]);
  expect(await planWith(following, null)).toMatchObject([null, nothing]);
  expect(await planWith(own, null)).toMatchObject([null, change('3000', 'null')]);
  expect(await planWith(following, 3000)).toMatchObject([3000, change('null', '3000')]);
});

it('recovery of a database is switched on, changed and off by the file and exported', async () => {
  const apply = async (recovery: object | null): Promise<unknown> => {
    await save({ project: 'Recovered', services: { db: { kind: 'postgres', deploy: false, recovery } } });
    const planned: unknown = valueOf(await berth('plan'));
    expect(await berth('apply --yes')).toMatchObject({ code: 0 });
    expect(valueOf(await berth('plan'))).toMatchObject(nothing);
    return planned;
  };
  const back = async (): Promise<unknown> =>
    Object(await exported('Recovered')).environments.production.services.db;
  const steps = (...changes: object[]): object => ({ steps: [{ changes }] });
  await apply(null);
  expect(await back()).not.toHaveProperty('recovery');
  const added = { field: 'recovery', note: 'added', cause: 'restart' };
  expect(await apply({ destinationId: 'backups', keepDays: 14 })).toMatchObject(steps(added));
  expect(await back()).toMatchObject({ recovery: { destinationId: 'backups', keepDays: 14 } });
  const days = { field: 'recovery keepDays', from: '14', to: '7', cause: 'nothing' };
  expect(await apply({ destinationId: 'backups' })).toMatchObject(steps(days));
  const off = { field: 'recovery enabled', from: 'true', to: 'false', cause: 'nothing' };
  expect(await apply(null)).toMatchObject(steps(off));
  expect(await back()).toMatchObject({ recovery: { destinationId: 'backups', enabled: false } });
});

it('databases of previews are named as the file names them, in each environment its own', async () => {
  const web = (databaseId: string, from = 'copy') => ({
    kind: 'application',
    deploy: false,
    previewDatabases: [{ databaseId, from, mask: 'update people set name = id' }],
  });
  const file = (databaseId: string, from?: string) => ({
    project: 'Previewed',
    environments: {
      production: { services: { web: web(databaseId, from), db: { kind: 'postgres', deploy: false } } },
      staging: { services: { web: web('db'), db: { kind: 'redis', deploy: false } } },
    },
  });
  await save(file('db'));
  expect(await berth('apply --yes')).toMatchObject({ code: 0 });
  expect(valueOf(await berth('plan'))).toMatchObject(nothing);
  const { out } = await berth('export Previewed --all');
  const { production, staging } = Object(parse(out)).environments;
  for (const { services } of [production, staging])
    expect(services.web.previewDatabases).toEqual([
      { databaseId: 'db', from: 'copy', mask: 'update people set name = id' },
    ]);
  const { appName } = production.services.db;
  expect(appName).not.toBe(staging.services.db.appName);
  await save(out);
  expect(valueOf(await berth('plan --check'))).toMatchObject(nothing);
  await save(file(appName));
  expect(valueOf(await berth('plan'))).toMatchObject(nothing);
  await save(file(appName, 'empty'));
  expect(valueOf(await berth('plan'))).toMatchObject({
    steps: [
      { what: 'application Previewed/web', changes: [{ field: 'previewDatabases', cause: 'nothing' }] },
    ],
  });
  expect(await berth('apply --yes')).toMatchObject({ code: 0 });
  await save(file('another'));
  expect(await berth('apply --yes')).toMatchObject({
    code: 1,
    said: expect.stringMatching(
      /berth\.yml:\d+:\d+: environments\.production\.services\.web\.previewDatabases\.0\.databaseId is "another", which is no database of production\. It has db\./,
    ),
  });
});

it('what a file says is there after an apply, killed at any point or not; what follows, too', async () => {
  let count = 0;
  const file = fc.nat({ max: 0 }).chain(() => generatedFile('P'));
  const cut = fc.record({ after: fc.nat({ max: 25 }), isMade: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(file, file, cut, async (first, second, where) => {
      count += 1;
      const [killed, whole] = [`K${count}`, `W${count}`];
      for (const content of [first, second]) {
        await save({ ...content, project: killed });
        {
          await using line = await startCutLine(program.url, where);
          const cutOff = await berth('apply --yes --allow-data-loss', { url: line.url });
          expect(cutOff.code).toBe(line.changes() > where.after ? 3 : 0);
        }
        // A line that broke is told with what is left; the same word does the rest.
        expect(await berth('apply --yes --allow-data-loss')).toMatchObject({ code: 0 });
        expect(valueOf(await berth('plan'))).toMatchObject(nothing);
        await save({ ...content, project: whole });
        expect(await berth('apply --yes --allow-data-loss')).toMatchObject({ code: 0 });
        const end = await exported(killed);
        expect(end).toEqual(await exported(whole));
        await save((await berth(`export ${killed} --all`)).out);
        expect(valueOf(await berth('plan'))).toMatchObject(nothing);
      }
    }),
    { numRuns: Number(process.env['BERTH_RUNS'] ?? 8), interruptAfterTimeLimit: 150_000 },
  );
});

it('berth import reads another server of the family: what it took differs in nothing', async () => {
  // The mount speaks as the others of the family do.
  const environment = { HOME: folder, BERTH_IMPORT_KEY: world.people.owner.byKey['x-api-key'] };
  const argv = [
    'import',
    'dokploy',
    'Shop',
    '--from',
    `${program.url}/compat`,
    '--destination',
    'backups',
    '--force',
  ];
  const ran = await runBerth([...argv, '--name', 'Shop'], { environment, folder });
  expect(ran).toMatchObject({ code: 0, said: expect.stringContaining('8 services taken into berth.yml.') });
  expect(ran.said).toContain('postgres: its data is not imported');
  expect(valueOf(await berth('plan'))).toMatchObject({ steps: [], problems: [] });
  const refused = { HOME: folder, BERTH_IMPORT_KEY: 'none' };
  expect(await runBerth(argv, { environment: refused, folder })).toMatchObject({
    code: 2,
    said: expect.stringContaining('answers project.all with 401'),
  });
});

it('berth import brings thirty services of all kinds to another project, as they are', async () => {
  const mounts = [{ mountPath: '/data', type: 'volume', volumeName: 'data' }];
  const backups = [{ schedule: '@daily', prefix: 'p', database: 'd', destinationId: 'backups' }];
  const place = (name: string): object => ({
    variables: { PLACE: name },
    services: Object.fromEntries([
      ...['web', 'api', 'worker', 'site'].map((key) => [
        key,
        {
          kind: 'application',
          sourceType: 'container',
          containerImage: `${key}:1`,
          mounts,
          variables: { NAME: `${key} of ${name}` },
          replicas: 2,
          memoryLimit: '256m',
        },
      ]),
      ['stack', { kind: 'compose', composeFile: 'services:\n  a:\n    image: a:1\n', variables: { A: 1 } }],
      ...['postgres', 'mysql', 'mariadb', 'mongo'].map((kind) => [
        kind,
        { kind, backups, memoryLimit: '1g' },
      ]),
      ['redis', { kind: 'redis', variables: { B: 2 } }],
    ]),
  });
  const names = ['production', 'staging', 'trial'];
  const environments = Object.fromEntries(names.map((name) => [name, place(name)]));
  await save({ project: 'Thirty', environments });
  expect(await berth('apply --yes --no-deploy')).toMatchObject({ code: 0 });
  const environment = { HOME: folder, BERTH_IMPORT_KEY: world.people.owner.byKey['x-api-key'] };
  const argv = ['import', 'dokploy', 'Thirty', '--from', `${program.url}/compat`, '--destination', 'backups'];
  const ran = await runBerth([...argv, '--force', '--name', 'Copied'], { environment, folder });
  expect(ran).toMatchObject({ code: 0, said: expect.stringContaining('30 services taken') });
  expect(await berth('apply --yes --no-deploy')).toMatchObject({ code: 0 });
  expect(await exported('Copied')).toEqual(await exported('Thirty'));
});
