/**
 * Another major version: refused over existing data, and moved to when a person asks for it; the old volume
 * stays.
 */
import { expect, it } from 'vitest';
import type { DatabaseKindName } from '../../../server/src/domain/database-kind.ts';
import { dockerOf } from '../../bed/docker.ts';
import { docker, output, until } from '../fixtures/applications.ts';
import { inSession } from './clients.ts';
import type { Base, DatabaseFixture } from './database-fixture.ts';
import { containers, external, inspected, services, volumes } from './life.ts';

/** Where each kind's newer image comes from: a real one, or the bed's own that calls itself newer. */
const newer: readonly {
  kind: DatabaseKindName;
  /** Unless it is the bed's usual one. */
  from?: string;
  image: string;
  variable?: string;
  path: string;
  copied: RegExp;
  says: RegExp;
  port: number;
}[] = [
  {
    kind: 'postgres',
    image: 'berth/postgres:18',
    path: '/var/lib/postgresql',
    copied: /Copied and verified: 2 tables, 5001 rows\./,
    says: /^18/,
    port: 15_700,
  },
  {
    kind: 'postgres',
    from: 'berth/postgres:17',
    image: 'berth/postgres:18',
    path: '/var/lib/postgresql',
    copied: /Copied and verified: 2 tables, 5001 rows\./,
    says: /^18/,
    port: 15_701,
  },
  {
    kind: 'mariadb',
    image: 'berth/mariadb:11.8',
    path: '/var/lib/mysql',
    copied: /Copied and verified: 1 tables, 1 rows\./,
    says: /^11/,
    port: 13_700,
  },
  {
    kind: 'mysql',
    image: 'newer/mysql:11',
    variable: 'MYSQL_MAJOR=11.0',
    path: '/var/lib/mysql',
    copied: /Copied and verified: 1 tables, 1 rows\./,
    says: /^9/,
    port: 13_701,
  },
  {
    kind: 'redis',
    image: 'berth/redis:8',
    path: '/data',
    copied: /Copied and verified: 1 databases, 1 keys\./,
    says: /^8/,
    port: 16_700,
  },
];

export function upgradeTests(databases: () => DatabaseFixture): void {
  it.concurrent.each(newer)(
    '$kind is refused $image over its data, and moved to it when asked',
    async ({ kind, from, image, variable, path, copied, says, port }) => {
      const name = `newer-${kind}${port % 100}`;
      const base = await databases().database(kind, name, from === undefined ? {} : { containerImage: from });
      if (variable !== undefined)
        await callItNewer(databases(), (await base.view()).containerImage, image, variable);
      await base.do('saveExternalPort', { externalPort: port });
      await base.deploy();
      await inSession(kind, await external(base), (session) => session.write('a', 'ü \'"\\ 1'));
      if (kind === 'postgres') await fill(databases(), base);
      const refused = {
        status: 412,
        body: { message: expect.stringContaining(`Call ${kind}.upgrade with this image`) },
      };
      expect(await base.ask('update', { containerImage: image })).toMatchObject(refused);
      expect(await base.ask('upgrade', { containerImage: (await base.view()).containerImage })).toMatchObject(
        { status: 412, body: { message: expect.stringContaining('is not an upgrade') } },
      );

      const former = await base.view();
      await base.do('upgrade', { containerImage: image });
      const ended = await base.ended((await base.view()).deployments[0]?.deploymentId ?? '');
      const log = await base.log(ended.deploymentId);
      expect([ended.status, ended.errorMessage, log]).toEqual(['done', null, expect.stringMatching(copied)]);
      const now = await base.view();
      expect(now).toMatchObject({
        applicationStatus: 'done',
        containerImage: image,
        formerVolumes: [{ dataVersion: former.dataVersion, containerImage: former.containerImage }],
      });
      expect(now.dataVersion).toMatch(says);
      expect(await inSession(kind, await external(base), (session) => session.read('a'))).toBe('ü \'"\\ 1');
      expect(await services(databases(), base)).toBe(`${name} 1/1`);
      const mounts = (await inspected(databases(), base))
        .flatMap(({ Mounts }) => Mounts.map(({ Name, Destination }) => `${Name} ${Destination};`))
        .join('');
      expect(mounts).toMatch(new RegExp(`berth-data-${base.id}-\\S+ ${path};`));
      // One that only calls itself newer is refused its own data.
      if (variable === undefined) await base.deploy('rebuild');
      expect(await inSession(kind, await external(base), (session) => session.read('a'))).toBe('ü \'"\\ 1');

      const volumeName = now.formerVolumes[0]?.volumeName ?? '';
      expect(await volumes(databases(), base)).toHaveLength(2);
      expect(await base.do('removeFormerVolume', { volumeName })).toMatchObject({ formerVolumes: [] });
      expect(await volumes(databases(), base)).toHaveLength(1);
      await base.do('remove');
      expect(await volumes(databases(), base)).toEqual([]);
    },
  );

  it.concurrent('an upgrade that cannot copy leaves the database running as it was', async () => {
    const base = await databases().database('mongo', 'not-newer');
    await callItNewer(databases(), 'berth/mongo:7', 'newer/mongo:8', 'MONGO_MAJOR=8.0');
    await base.do('saveExternalPort', { externalPort: 27_700 });
    await base.deploy();
    await inSession('mongo', await external(base), (session) => session.write('a', 'kept'));
    await base.do('upgrade', { containerImage: 'newer/mongo:8' });
    const failed = await base.ended((await base.view()).deployments[0]?.deploymentId ?? '');
    // The stand-in's tools dump single databases only.
    expect(failed).toMatchObject({
      status: 'error',
      stage: 'copy',
      errorMessage: expect.stringMatching(/^The data could not be copied into newer\/mongo:8: .+/),
    });
    expect(await base.log(failed.deploymentId)).toContain(
      'The database keeps running as berth/mongo:7 with its former data.',
    );
    expect(await base.view()).toMatchObject({
      containerImage: 'berth/mongo:7',
      formerVolumes: [],
      dataVersion: '7.0.0',
    });
    await until('it answers again', async () =>
      inSession('mongo', await external(base), (session) => session.read('a')).then(
        (value) => value === 'kept',
        () => false,
      ),
    );
    expect(await volumes(databases(), base)).toEqual([`berth-data-${base.id}`]);
    await until('it is healthy', async () => (await services(databases(), base)) === 'not-newer 1/1');
    await base.do('remove');
  });
}

async function callItNewer(
  { berth }: DatabaseFixture,
  from: string,
  image: string,
  variable: string,
): Promise<void> {
  const id = await output(berth.services, docker, 'create', from);
  await output(berth.services, docker, 'commit', '--change', `ENV ${variable}`, id, image);
  await output(berth.services, docker, 'rm', id);
}

/** Another database, a role with its own password, names that need quoting, and rows. */
async function fill(databases: DatabaseFixture, base: Base): Promise<void> {
  const [container = ''] = await containers(databases, base);
  const ask = (database: string, sql: string): Promise<string> =>
    dockerOf(databases.berth.services).exec(container, [
      'psql',
      '-v',
      'ON_ERROR_STOP=1',
      '-U',
      'ann',
      '-d',
      database,
      '-c',
      sql,
    ]);
  await ask('shop', "create role \"o'dd\" login password 'x'");
  await ask('shop', 'create database "an other"');
  await ask(
    'an other',
    'create table "od;d" as select n, md5(n::text) as t from generate_series(1, 5000) as n',
  );
}
