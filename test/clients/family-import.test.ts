/** Thirty services of all kinds from another server of the family, as its published interface has them. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runBerth, type Ran } from '../command-line.ts';
import { startFamilyServer, type FamilyServer } from './family-server.ts';

let family: FamilyServer;
let folder: string;

beforeAll(async () => {
  family = await startFamilyServer();
  folder = await mkdtemp(join(tmpdir(), 'berth-family-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await family[Symbol.asyncDispose]();
});

const berth = (line: string): Promise<Ran> =>
  runBerth(line.split(' '), {
    environment: { HOME: folder, BERTH_IMPORT_KEY: family.key },
    folder,
  });

type Id = Record<string, unknown>;

async function application(name: string, environmentId: unknown, settings: object): Promise<Id> {
  const { applicationId } = await family.call('application.create', { name, environmentId });
  await family.call('application.update', { applicationId, env: `NAME=${name}`, replicas: 2, ...settings });
  return { applicationId };
}

const image = (name: string): object => ({
  sourceType: 'docker',
  dockerImage: `registry.example.com/${name}:1`,
});

async function fillApplications(environmentId: unknown): Promise<void> {
  const web = await application('web', environmentId, {
    ...image('web'),
    memoryLimit: '536870912',
    healthCheckSwarm: { Test: ['CMD', 'true'] },
  });
  const domain = { host: 'Shop.example.com', port: 3000, https: true, certificateType: 'letsencrypt' };
  await family.call('domain.create', { ...web, ...domain, middlewares: ['compress@file'] });
  await family.call('domain.create', { ...web, host: 'old.example.com', path: '/api', stripPath: true });
  const serviceId = web['applicationId'];
  const mount = { serviceId, serviceType: 'application' };
  await family.call('mounts.create', { ...mount, type: 'volume', volumeName: 'up', mountPath: '/uploads' });
  await family.call('mounts.create', { ...mount, type: 'bind', hostPath: '/srv', mountPath: '/srv' });
  await family.call('port.create', {
    ...web,
    publishedPort: 8443,
    targetPort: 443,
    protocol: 'tcp',
    publishMode: 'host',
  });
  await family.call('redirects.create', { ...web, regex: '^/a$', replacement: '/b', permanent: true });
  await family.call('security.create', { ...web, username: 'ann', password: 'secret' });
  await family.call('schedule.create', {
    ...web,
    name: 'clean',
    cronExpression: '0 4 * * *',
    timezone: 'Europe/Berlin',
    shellType: 'sh',
    scheduleType: 'application',
    command: 'node clean.js && echo done',
    enabled: true,
  });
  const git = { sourceType: 'git', customGitUrl: 'https://git.example.com/a.git', customGitBranch: 'main' };
  await application('from-git', environmentId, git);
  const hub = { repository: 'api', owner: 'shop', branch: 'main', githubId: 'github-1' };
  await application('from-hub', environmentId, { sourceType: 'github', ...hub });
  for (let at = 1; at <= 9; at += 1) await application(`worker-${at}`, environmentId, image(`worker-${at}`));
}

async function fillComposes(environmentId: unknown): Promise<void> {
  for (const name of ['stack', 'queue', 'search', 'mail']) {
    const composeType = name === 'mail' ? 'stack' : 'docker-compose';
    const { composeId } = await family.call('compose.create', { name, environmentId, composeType });
    await family.call('compose.update', {
      composeId,
      sourceType: 'raw',
      composeFile: 'services:\n  a:\n    image: nginx:1\n',
      env: 'A=1',
    });
    if (name !== 'stack') continue;
    const own = { composeId, serviceName: 'a' };
    await family.call('domain.create', {
      ...own,
      host: 'stack.example.com',
      port: 80,
      domainType: 'compose',
    });
    const schedule = { name: 'tidy', cronExpression: '@daily', scheduleType: 'compose' };
    await family.call('schedule.create', { ...own, ...schedule, command: '', script: 'echo 1\necho 2' });
  }
}

async function fillDatabases(environmentId: unknown): Promise<void> {
  const account = { databaseName: 'shop', databaseUser: 'shop', databasePassword: 'pw' };
  const root = { ...account, databaseRootPassword: 'root' };
  const kinds = { postgres: account, mysql: root, mariadb: root } as const;
  for (const [kind, fields] of Object.entries(kinds))
    for (const name of [`${kind}-1`, `${kind}-2`, `${kind}-3`]) {
      const made = await family.call(`${kind}.create`, { name, environmentId, ...fields });
      const id = { [`${kind}Id`]: made[`${kind}Id`] };
      await family.call(`${kind}.update`, { ...id, dockerImage: `${kind}:1`, memoryLimit: '1g' });
      const backup = { schedule: '0 3 * * *', prefix: name, database: 'shop', destinationId: 'd-1' };
      await family.call('backup.create', { ...id, ...backup, databaseType: kind, enabled: true });
    }
  for (const name of ['mongo-1', 'mongo-2', 'mongo-3'])
    await family.call('mongo.create', { name, environmentId, databaseUser: 'm', databasePassword: 'pw' });
  for (const name of ['redis-1', 'redis-2'])
    await family.call('redis.create', { name, environmentId, databasePassword: 'pw' });
  await family.call('libsql.create', {
    name: 'lite',
    appName: 'lite',
    environmentId,
    description: null,
    dockerImage: 'libsql:1',
    databaseUser: 'l',
    databasePassword: 'pw',
    sqldNode: 'primary',
    sqldPrimaryUrl: null,
    enableNamespaces: false,
    serverId: null,
  });
}

it('takes thirty services with their lists, says what it could not take', async () => {
  const { project, environment } = await family.call('project.create', { name: 'Shop', env: 'REGION=eu' });
  const { environmentId } = Object(environment);
  const staging = await family.call('environment.create', {
    name: 'staging',
    projectId: Object(project).projectId,
  });
  await fillApplications(environmentId);
  await fillComposes(staging['environmentId']);
  await fillDatabases(environmentId);
  const ran = await berth(`import dokploy Shop --from ${family.url} --destination backups --name Moved`);
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.said).toContain('30 services taken into berth.yml.');
  const notes = ran.said.split('\n').filter((line) => line.startsWith('· '));
  const aboutDatabases = notes.filter((note) => /its data is not|it gets a new password/.test(note));
  expect(aboutDatabases).toHaveLength(2 * 14 + 1);
  expect(notes.filter((note) => !aboutDatabases.includes(note)).toSorted()).toEqual([
    '· from-hub: githubId refers to something in the other installation and was left out.',
    '· lite: there are no databases of the kind libsql here; it was left out.',
    '· stack: the script of the schedule tidy was left out; put it into the image.',
    '· web: 1 of security were left out.',
    '· web: healthCheckSwarm was left out; here it has a field of its own.',
    '· web: middlewares of Shop.example.com was left out.',
    '· web: the folder /srv of the server was left out.',
  ]);
  const command = ['sh', '-c', 'node clean.js && echo done'];
  expect(parse(await readFile(join(folder, 'berth.yml'), 'utf8'))).toMatchObject({
    variables: { REGION: 'eu' },
    environments: {
      production: {
        services: {
          web: {
            containerImage: 'registry.example.com/web:1',
            variables: { NAME: 'web' },
            domains: [
              { host: 'Shop.example.com', port: 3000, https: true, certificateType: 'acme' },
              { host: 'old.example.com', path: '/api', stripPath: true },
            ],
            mounts: [{ mountPath: '/uploads', type: 'volume', volumeName: 'up' }],
            ports: [{ publishedPort: 8443, targetPort: 443, publishMode: 'host' }],
            redirects: [{ regex: '^/a$', replacement: '/b', permanent: true }],
            schedules: [{ name: 'clean', cron: '0 4 * * *', timeZone: 'Europe/Berlin', command }],
          },
          'from-hub': { sourceType: 'github', repository: 'api', owner: 'shop' },
          'postgres-1': { containerImage: 'postgres:1', backups: [{ destinationId: 'backups' }] },
        },
      },
      staging: {
        services: {
          stack: { domains: [{ host: 'stack.example.com', port: 80, serviceName: 'a' }] },
          mail: { composeType: 'stack' },
        },
      },
    },
  });
});
