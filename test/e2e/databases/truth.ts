/**
 * What a person is told, and what Berth does by itself: refusals, failures with their reason, what was
 * stopped from outside.
 */
import { expect, it } from 'vitest';
import { dockerOf } from '../../bed/docker.ts';
import { followLog, followStream } from '../fixtures/log-stream.ts';
import { docker, output, until } from '../fixtures/applications.ts';
import { inSession } from './clients.ts';
import { newest, type Base, type DatabaseFixture } from './database-fixture.ts';
import { containers, external, services } from './life.ts';

export function truthTests(databases: () => DatabaseFixture): void {
  it.concurrent(
    'a server killed, stopped or removed from outside comes back with its data; one that a person ' +
      'stopped stays',
    async () => {
      const { berth } = databases();
      const [base, removed] = [
        await databases().database('postgres', 'outside'),
        await databases().database('redis', 'removed'),
      ];
      await base.do('saveExternalPort', { externalPort: 15_500 });
      await removed.do('saveExternalPort', { externalPort: 15_501 });
      await Promise.all([base.deploy(), removed.deploy()]);
      const writeTo = async (one: Base): Promise<() => Promise<boolean>> => {
        const address = await external(one);
        await inSession(one.kind, address, (session) => session.write('a', 'kept'));
        return () =>
          inSession(one.kind, address, (session) => session.read('a')).then(
            (value) => value === 'kept',
            () => false,
          );
      };
      const [isBack, isRemovedBack] = [await writeTo(base), await writeTo(removed)];
      const isGone = async (container = ''): Promise<boolean> =>
        !(await dockerOf(berth.services).isRunning(container));

      const [container = ''] = await containers(databases(), base);
      await output(berth.services, docker, 'kill', '--signal', 'KILL', container);
      await until(
        'the killed server is back',
        async () => (await isGone(container)) && (await isBack()),
        60_000,
      );
      // Berth looks once a minute, so both are taken away before the same look.
      const [[stopped], [lost]] = [
        await containers(databases(), base),
        await containers(databases(), removed),
      ];
      await output(berth.services, docker, 'service', 'scale', '--detach', 'outside=0');
      await output(berth.services, docker, 'service', 'rm', 'removed');
      await Promise.all([
        until('the stopped container is gone', () => isGone(stopped)),
        until('the removed one too', () => isGone(lost)),
      ]);
      await Promise.all([
        until('the stopped server is back', isBack, 100_000),
        until('the removed server is back', isRemovedBack, 100_000),
      ]);
      const log = await output(berth.host, 'sh', '-c', 'cat /run/bed/berth-*.log');
      expect(log).toContain('outside: had 0 replicas instead of 1; scaled it');
      expect(log).toContain('removed: the service was missing; created again from its live release');
      await removed.do('remove');

      await base.do('stop');
      await berth.call('settings.update', { serverIp: berth.host.ip });
      await new Promise((resolve) => setTimeout(resolve, 5000));
      expect(await services(databases(), base)).toBe('outside 0/0');
      await base.do('remove');
    },
  );

  it.concurrent("logs are streams: the deployment's to its end, the server's own while it runs", async () => {
    const base = await databases().database('redis', 'streamed');
    const deploymentId = await base.begin();
    const events = await followLog(databases().berth, deploymentId);
    expect(events.map(({ data }) => data.text).join('\n')).toMatch(
      /Looking for the image berth\/redis:7[\s\S]*It answers: version 7\.[\s\S]*Done\./,
    );
    expect(events.at(-1)?.data).toMatchObject({ outcome: 'done' });
    const isReady = ({ data }: { data: { text?: string } }): boolean =>
      (data.text ?? '').includes('Ready to accept connections');
    const own = await followStream(
      databases().berth,
      'redis.logs',
      { redisId: base.id, tail: 100 },
      { until: isReady },
    );
    expect(own.some(isReady)).toBe(true);
    await base.do('remove');
  });

  it.concurrent(
    'an image that does not exist, one that is no such server, and wrong arguments end as error with ' +
      'what to do',
    async () => {
      const base = await databases().database('mongo', 'nowhere', { containerImage: undefined });
      const absent = await base.ended(await base.begin());
      expect(absent).toMatchObject({
        status: 'error',
        stage: 'pull',
        errorMessage: expect.stringMatching(
          /^The image mongo:15 could not be pulled: .* mongo:15 is the default of this kind in the interface, but it is not published\. Set containerImage with mongo\.update to one that exists, such as mongo:8, and deploy again\.$/,
        ),
      });
      expect(await base.view()).toMatchObject({ applicationStatus: 'error' });
      expect(await base.ask('start')).toMatchObject({ status: 412 });
      await base.do('update', { containerImage: 'berth/mongo:7' });
      await base.deploy();
      await base.do('remove');

      const foreign = await databases().database('postgres', 'wrong-image', {
        containerImage: 'berth/redis:7',
      });
      const ended = await foreign.ended(await foreign.begin());
      expect(ended).toMatchObject({ status: 'error', stage: 'await-healthy' });
      expect(await foreign.log(ended.deploymentId)).toContain('the image has no pg_isready');
      await foreign.do('remove');

      const wrong = await databases().database('postgres', 'wrong-args');
      await wrong.do('update', { args: ['-c', 'no_such_setting=1'] });
      const failed = await wrong.ended(await wrong.begin());
      expect(failed).toMatchObject({
        status: 'error',
        stage: 'await-healthy',
        errorMessage: expect.stringContaining('exit code 1'),
      });
      expect(await wrong.log(failed.deploymentId)).toContain(
        'unrecognized configuration parameter "no_such_setting"',
      );
      await wrong.do('update', { args: [] });
      await wrong.deploy();
      expect(newest(await wrong.view())).toMatchObject({ status: 'done' });
      await wrong.do('remove');
    },
  );

  it.concurrent('healthy is not done: a server whose data knows other passwords is told', async () => {
    const { berth } = databases();
    const base = await databases().database('mariadb', 'liar');
    await base.deploy();
    // Somebody changes the password behind Berth's back.
    const [container = ''] = await containers(databases(), base);
    await dockerOf(berth.services).exec(
      container,
      ['mariadb', '-uroot', '-h127.0.0.1', '-e', "alter user 'ann'@'%' identified by 'another'"],
      { MYSQL_PWD: 'Root-1' },
    );
    const failed = await base.ended(await base.begin());
    expect(failed).toMatchObject({
      status: 'error',
      stage: 'verify-query',
      errorMessage: expect.stringMatching(
        /The server runs, but it does not accept the user and password of the record: .*Access denied for user 'ann'/,
      ),
    });
    expect(await base.ask('update', { databaseName: 'elsewhere' })).toMatchObject({ status: 412 });
    // The root can put it right, from Berth as well.
    await base.do('update', { databasePassword: 'Third-1' });
    await base.deploy();
    await base.do('remove');
  });

  it.concurrent('names are what the server knows: one that is there is taken, another refused', async () => {
    const base = await databases().database('postgres', 'names');
    await base.do('saveExternalPort', { externalPort: 15_600 });
    await base.deploy();
    const refused = await base.ask('update', { databaseUser: 'bob', databasePassword: 'Bob-1' });
    expect(refused).toMatchObject({
      status: 412,
      body: { message: expect.stringContaining('create the user or the database in the server first') },
    });
    expect(await base.view()).toMatchObject({ databaseUser: 'ann', databasePassword: 'Secret-1' });
    const [container = ''] = await containers(databases(), base);
    const ask = (statement: string): Promise<string> =>
      dockerOf(databases().berth.services).exec(container, [
        'psql',
        '-U',
        'ann',
        '-d',
        'shop',
        '-c',
        statement,
      ]);
    await ask("create role bob login superuser password 'Bob-1'");
    expect(await base.do('update', { databaseUser: 'bob', databasePassword: 'Bob-1' })).toMatchObject({
      databaseUser: 'bob',
    });
    await inSession('postgres', await external(base), (session) => session.write('a', 'by bob'));
    // A record that has come to name a wrong password is put right by another change.
    await ask("alter role bob password 'behind'");
    await base.do('update', { databasePassword: 'Bob-2' });
    await base.deploy();
    await base.do('remove');
  });

  it.concurrent('ports: a taken one is refused with its holder, and nothing is interrupted', async () => {
    const { berth } = databases();
    const base = await databases().database('redis', 'ported');
    await base.do('saveExternalPort', { externalPort: 16_500 });
    await base.deploy();
    const other = await databases().database('redis', 'ported-too');
    expect(await other.ask('saveExternalPort', { externalPort: 16_500 })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('the database ported') },
    });
    await berth.services.launch('holder', [
      '/opt/project/node_modules/.bin/node',
      '-e',
      "require('node:net').createServer().listen(16501, '0.0.0.0')",
    ]);
    await until(
      'somebody listens',
      async () => (await berth.services.exec(['grep', '-q', ':4075', '/proc/net/tcp'])).code === 0,
    );
    expect(await base.ask('saveExternalPort', { externalPort: 16_501 })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('another program of the server') },
    });
    expect(await base.view()).toMatchObject({ externalPort: 16_500 });
    await inSession('redis', await external(base), (session) => session.write('a', 'b'));
    await base.do('remove');
    await other.do('remove');
  });

  it.concurrent('a set of replicas of mongo is initiated once and goes on under another name', async () => {
    const base = await databases().database('mongo', 'set', { replicaSets: true });
    await base.do('saveExternalPort', { externalPort: 27_500 });
    await base.deploy();
    expect((await base.view()).connection.internal).toContain('replicaSet=rs0');
    await inSession('mongo', await external(base), (session) => session.write('a', 'in a set'));
    await base.do('update', { appName: 'set-renamed' });
    await base.deploy();
    expect(await inSession('mongo', await external(base), (session) => session.read('a'))).toBe('in a set');
    await base.do('remove');
  });
}
