/**
 * Previews with databases of their own on a real engine: copied and masked before the preview starts, filled
 * from the newest verified backup, kept by a redeploy, gone with the preview.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import { dockerOf } from '../../bed/docker.ts';
import { backUp, keep, openBackupFixture, sql, type BackupFixture } from '../backups/backup-fixture.ts';
import { openDatabaseFixture, type Base } from '../databases/database-fixture.ts';
import { expectCalmLog, until } from '../fixtures/applications.ts';
import { berthHost, type BerthHost, type DeploymentView } from '../fixtures/berth-host.ts';

const limitMs = 300_000;
const image = 'berth/node:24';
const mask = "update people set name = 'masked'";
/** Answers with the address of its database. */
const command = `node -e 'require("http").createServer((_, a) => a.end(process.env.AT)).listen(3000)'`;

let berth: BerthHost;
let backups: BackupFixture;
let shop: Base;
let applicationId: string;

beforeAll(async () => {
  const bed = await bedOfRun();
  berth = await berthHost(bed, 'preview-databases', 104);
  await berth.call('settings.update', { buildsConcurrency: 4 });
  const databases = await openDatabaseFixture(berth);
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

interface Ended {
  previewDeploymentId: string;
  deployment: DeploymentView;
}

async function ended(previewDeploymentId: string): Promise<Ended> {
  const deployment = await until(
    'the deployment of the preview has ended',
    async () => {
      const all = await berth.call<DeploymentView[] & object>('deployment.all', { previewDeploymentId });
      return ['done', 'error', 'cancelled'].includes(all[0]?.status ?? '') ? all[0] : undefined;
    },
    limitMs,
  );
  return { previewDeploymentId, deployment };
}

async function made(name: string, from: string, statements?: string): Promise<Ended> {
  const previewDatabases = [{ databaseId: shop.id, from, ...(statements && { mask: statements }) }];
  await berth.call('application.update', { applicationId, previewDatabases });
  const { previewDeploymentId } = await berth.call<{ previewDeploymentId: string }>(
    'previewDeployment.create',
    { applicationId, name, image },
  );
  return ended(previewDeploymentId);
}

const branches = (): Promise<{ databaseId: string; name: string }[]> =>
  berth.call('backup.branches', { databaseId: shop.id });

async function ownDatabase(name: string): Promise<Base> {
  const branch = (await branches()).find((one) => one.name === `shop-db (preview ${name})`);
  if (!branch) throw new Error(`The preview ${name} has no database.`);
  const { databaseId: id } = branch;
  return { ...shop, id, view: () => berth.call('postgres.one', { postgresId: id }) };
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
  const docker = dockerOf(berth.services);
  expect(await docker.services('berth.database')).toEqual(['shop-db 1/1']);
  expect(await docker.volumes('berth.database')).toHaveLength(1);
  await expectCalmLog(berth);
}, 600_000);
