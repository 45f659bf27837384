/**
 * Previews with databases of their own on a real engine: copied and masked before the preview starts, filled
 * from the newest verified backup, kept by a redeploy, gone with the preview.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import { dockerOf } from '../../bed/docker.ts';
import { isWhole, ofThisRun } from '../../run/mode.ts';
import {
  backUp,
  docker,
  keep,
  openBackupFixture,
  sql,
  type BackupFixture,
} from '../backups/backup-fixture.ts';
import { openDatabaseFixture, type Base, type DatabaseFixture } from '../databases/database-fixture.ts';
import { expectCalmLog, output, until } from '../fixtures/applications.ts';
import { berthHost, type BerthHost, type DeploymentView } from '../fixtures/berth-host.ts';

const limitMs = 300_000;
const image = 'berth/node:24';
const mask = "update people set name = 'masked'";
/** Answers with the address of its database. */
const command = `node -e 'require("http").createServer((_, a) => a.end(process.env.AT)).listen(3000)'`;

let berth: BerthHost;
let databases: DatabaseFixture;
let backups: BackupFixture;
let shop: Base;
let applicationId: string;

beforeAll(async () => {
  const bed = await bedOfRun();
  berth = await berthHost(bed, 'preview-databases', 104);
  await berth.call('settings.update', { buildsConcurrency: 4 });
  databases = await openDatabaseFixture(berth);
  backups = await openBackupFixture(bed, databases, 'preview-databases');
  shop = await databases.database('postgres', 'shop-db');
  await shop.deploy();
  await sql(berth, shop, "create table people as select id, 'real' as name from generate_series(1, 9) id");
  const { environmentId } = databases;
  ({ applicationId } = await berth.call<{ applicationId: string }>('application.create', {
    name: 'Web',
    environmentId,
    appName: 'web',
  }));
  await berth.call('application.saveContainerProvider', { applicationId, containerImage: image });
  await berth.call('application.update', {
    applicationId,
    command,
    previewWildcard: '*.previews.localhost',
    previewLimit: 10,
    previewEnv: 'AT=${{shop-db.URL}}',
  });
}, limitMs);
afterAll(async () => {
  await backups.s3.kill();
  await berth.host.kill();
});

interface Quota extends Record<string, unknown> {
  used: { services: number };
}

interface Ended {
  previewDeploymentId: string;
  deployment: DeploymentView;
}

async function ended(previewDeploymentId: string, mostMs = limitMs): Promise<Ended> {
  const deployment = await until(
    'the deployment of the preview has ended',
    async () => {
      const all = await berth.call<DeploymentView[] & object>('deployment.all', { previewDeploymentId });
      return ['done', 'error', 'cancelled'].includes(all[0]?.status ?? '') ? all[0] : undefined;
    },
    mostMs,
  );
  return { previewDeploymentId, deployment };
}

async function made(name: string, from: string, statements?: string, base = shop): Promise<Ended> {
  const previewDatabases = [{ databaseId: base.id, from, ...(statements && { mask: statements }) }];
  await berth.call('application.update', { applicationId, previewDatabases });
  const { previewDeploymentId } = await berth.call<{ previewDeploymentId: string }>(
    'previewDeployment.create',
    { applicationId, name, image },
  );
  return ended(previewDeploymentId);
}

const branches = (base = shop): Promise<{ databaseId: string; name: string }[]> =>
  berth.call('backup.branches', { databaseId: base.id });

async function ownDatabase(name: string, base = shop): Promise<Base> {
  const branch = (await branches(base)).find((one) => one.name.endsWith(` (preview ${name})`));
  if (!branch) throw new Error(`The preview ${name} has no database.`);
  const { databaseId: id } = branch;
  return { ...base, id, view: () => berth.call(`${base.kind}.one`, { [`${base.kind}Id`]: id }) };
}

async function expectMade({ deployment }: Ended): Promise<void> {
  if (deployment.status !== 'done')
    throw new Error(`${deployment.errorMessage}\n${(await berth.log(deployment.deploymentId)).join('\n')}`);
}

const names = (base: Base): Promise<string> => sql(berth, base, 'select distinct name from people');

it('are copied, masked and reached by the names of their originals; a redeploy keeps them', async () => {
  const preview = await made('copied', 'copy', mask);
  await expectMade(preview);
  const own = await ownDatabase('copied');
  const { appName, databasePassword } = await own.view();
  const { body } = await berth.proxied('preview-web-copied.previews.localhost');
  expect(body).toContain(`:${databasePassword}@${appName}:5432/shop`);
  expect([await names(own), await names(shop)]).toEqual(['masked', 'real']);
  await sql(berth, own, "insert into people values (10, 'added')");
  await berth.call('previewDeployment.redeploy', { previewDeploymentId: preview.previewDeploymentId });
  await expectMade(await ended(preview.previewDeploymentId));
  expect(await sql(berth, own, 'select count(*) from people')).toBe('10');
  expect(await branches()).toHaveLength(1);
}, 600_000);

it('are empty, or have the newest verified backup, masked', async () => {
  const refused = await made('early', 'backup', mask);
  expect(refused.deployment).toMatchObject({
    status: 'error',
    errorMessage: expect.stringContaining('has no stored and verified backup'),
  });
  await backUp(await keep(backups, shop));
  await sql(berth, shop, "insert into people values (11, 'later')");
  await expectMade(await made('stored', 'backup', mask));
  const stored = await ownDatabase('stored');
  expect(await sql(berth, stored, 'select name, count(*) from people group by 1')).toBe('masked|9');
  await expectMade(await made('empty', 'empty'));
  const tables = "select count(*) from pg_tables where schemaname = 'public'";
  expect(await sql(berth, await ownDatabase('empty'), tables)).toBe('0');
}, 600_000);

const table = {
  // As wide as what masks it.
  make: "create table people as select 1 as id, cast('real' as char(20)) as name",
  mask,
  read: 'select name from people',
};
/** What makes one entry, masks it and reads it. */
const statements = {
  mysql: table,
  mariadb: table,
  // As long as the statements name no database, they are for the only one that was copied.
  mongo: {
    make: "db.getSiblingDB('shop').runCommand({ insert: 'people', documents: [{ _id: 1, name: 'real' }] });",
    mask:
      "db.runCommand({ update: 'people', " +
      "updates: [{ q: { _id: 1 }, u: { $set: { name: 'masked' } } }] });",
    read:
      "print(db.getSiblingDB('shop').runCommand({ find: 'people', filter: {} })" +
      '.cursor.firstBatch[0].name)',
  },
  redis: { make: 'SET person real', mask: 'SET person masked', read: 'GET person' },
} as const;

it.each(ofThisRun(['mysql', 'mariadb', 'mongo', 'redis'] as const, 4))(
  'are copied and masked of %s, with a login of their own',
  async (kind) => {
    const { make, mask: masking, read } = statements[kind];
    const base = await databases.database(kind, `${kind}-db`);
    await base.deploy();
    await sql(berth, base, make);
    const preview = await made(kind, 'copy', masking, base);
    await expectMade(preview);
    const own = await ownDatabase(kind, base);
    expect((await own.view()).databasePassword).not.toBe((await base.view()).databasePassword);
    expect([await sql(berth, own, read), await sql(berth, base, read)].map((text) => text.trim())).toEqual([
      'masked',
      'real',
    ]);
    const { previewDeploymentId } = preview;
    await berth.call('previewDeployment.delete', { previewDeploymentId });
    expect(await branches(base)).toEqual([]);
    await base.do('remove');
  },
  600_000,
);

/** Names of all that the engine has of each sort. */
async function standing(): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {};
  for (const sort of ['service', 'volume', 'network', 'config', 'secret'])
    all[sort] = (await output(berth.services, docker, sort, 'ls', '--format', '{{.Name}}'))
      .split('\n')
      .toSorted();
  return all;
}

/** Waits for each of them, whatever its turn, and says how far they are. */
async function allMade(what: string, previews: readonly { previewDeploymentId: string }[]): Promise<void> {
  const begun = Date.now();
  let count = 0;
  await Promise.all(
    previews.map(async ({ previewDeploymentId }) => {
      await expectMade(await ended(previewDeploymentId, 1_200_000));
      count += 1;
      console.log(
        `${what}: ${count} of ${previews.length} after ${Math.round((Date.now() - begun) / 1000)} s`,
      );
    }),
  );
}

// Forty containers start at once.
it.runIf(isWhole())(
  'twenty at once: opened, updated and closed within their quota, of which nothing is left',
  async () => {
    // One that starts in little time: forty programs are begun at once.
    const cache = await databases.database('redis', 'cache');
    await cache.deploy();
    const before = await standing();
    const databaseCount = (await dockerOf(berth.services).services('berth.database')).length;
    const names = Array.from({ length: 20 }, (_, index) => `many-${index}`);
    await berth.call('application.update', {
      applicationId,
      previewLimit: 40,
      previewEnv: 'AT=${{cache.URL}}',
      previewDatabases: [{ databaseId: cache.id, from: 'empty' }],
    });
    const [organization] = await berth.call<{ organizationId: string }[] & object>('organization.all');
    const { organizationId } = organization ?? {};
    const { used } = await berth.call<Quota>('organization.usage', { organizationId });
    await berth.call('organization.setQuota', { organizationId, services: used.services + 2 * names.length });
    const open = (name: string): Promise<{ previewDeploymentId: string }> =>
      berth.call('previewDeployment.create', { applicationId, name, image });
    const first = await Promise.all(names.map(open));
    await allMade('opened', first);
    const own = await branches(cache);
    expect(own).toHaveLength(names.length);
    expect(await berth.ask('previewDeployment.create', { applicationId, name: 'over', image })).toMatchObject(
      {
        status: 409,
      },
    );
    const bodies = await Promise.all(
      names.map(async (name) => (await berth.proxied(`preview-web-${name}.previews.localhost`)).body),
    );
    expect(new Set(bodies).size).toBe(names.length);
    // A second call by the same name deploys it anew, with the database that it has.
    expect(await Promise.all(names.map(open))).toMatchObject(
      first.map(({ previewDeploymentId }) => ({ previewDeploymentId })),
    );
    await allMade('updated', first);
    expect((await branches(cache)).map(({ databaseId }) => databaseId)).toEqual(
      own.map(({ databaseId }) => databaseId),
    );
    await Promise.all(
      first.map(({ previewDeploymentId }) => berth.call('previewDeployment.delete', { previewDeploymentId })),
    );
    await berth.call('organization.setQuota', { organizationId, services: null });
    expect(await branches(cache)).toEqual([]);
    expect((await dockerOf(berth.services).services('berth.database')).length).toBe(databaseCount);
    expect(await standing()).toEqual(before);
    await cache.do('remove');
  },
  2_400_000,
);

it('leave nothing when their masking fails, and nothing when the preview goes', async () => {
  const failed = await made('failed', 'copy', 'update nothing set name = 1');
  expect(failed.deployment).toMatchObject({
    status: 'error',
    errorMessage: expect.stringContaining('in place of shop-db could not be filled'),
  });
  expect((await branches()).filter(({ name }) => name.includes('failed'))).toEqual([]);
  const previews = await berth.call<{ previewDeploymentId: string }[]>('previewDeployment.all', {
    applicationId,
  });
  for (const { previewDeploymentId } of previews)
    await berth.call('previewDeployment.delete', { previewDeploymentId });
  expect(await branches()).toEqual([]);
  const engine = dockerOf(berth.services);
  expect(await engine.services('berth.database')).toEqual(['shop-db 1/1']);
  expect(await engine.volumes('berth.database')).toHaveLength(1);
  await expectCalmLog(berth);
}, 600_000);
