/** A shop of thirty services on another server of the family: two environments, each kind, each list. */
import type { FamilyServer } from './family-server.ts';

/** Gives nothing: what there is, is asked for by an import. */
export async function fillFamily(family: FamilyServer): Promise<void> {
  const { project, environment } = await family.call('project.create', { name: 'Shop', env: 'REGION=eu' });
  const { environmentId } = Object(environment);
  const staging = await family.call('environment.create', {
    name: 'staging',
    projectId: Object(project).projectId,
  });
  await fillApplications(family, environmentId);
  await fillComposes(family, staging['environmentId']);
  await fillDatabases(family, environmentId);
}

type Id = Record<string, unknown>;

async function application(
  family: FamilyServer,
  name: string,
  environmentId: unknown,
  settings: object,
): Promise<Id> {
  const { applicationId } = await family.call('application.create', { name, environmentId });
  await family.call('application.update', { applicationId, env: `NAME=${name}`, replicas: 2, ...settings });
  return { applicationId };
}

const image = (name: string): object => ({
  sourceType: 'docker',
  dockerImage: `registry.example.com/${name}:1`,
});

async function fillApplications(family: FamilyServer, environmentId: unknown): Promise<void> {
  const web = await application(family, 'web', environmentId, {
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
  await application(family, 'from-git', environmentId, git);
  const hub = { repository: 'api', owner: 'shop', branch: 'main', githubId: 'github-1' };
  await application(family, 'from-hub', environmentId, { sourceType: 'github', ...hub });
  for (let at = 1; at <= 9; at += 1)
    await application(family, `worker-${at}`, environmentId, image(`worker-${at}`));
}

async function fillComposes(family: FamilyServer, environmentId: unknown): Promise<void> {
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

async function fillDatabases(family: FamilyServer, environmentId: unknown): Promise<void> {
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
