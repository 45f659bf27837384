/** One of everything that an organization can have, made through the interface. */
import { channels } from '../../server/src/modules/notification/channels/channels.ts';
import { makeCertificate } from '../certificates/authority.ts';
import { textOf } from '../http/door.ts';
import type { Call } from './caller.ts';
import { valueOf } from './caller.ts';

export interface Estate {
  name: string;
  organizationId: string;
  projectId: string;
  environmentId: string;
  /** A second environment of the same project. */
  otherEnvironmentId: string;
  applicationId: string;
  appName: string;
  /** Failed: its repository answers nothing. */
  deploymentId: string;
  domainId: string;
  portId: string;
  mountId: string;
  sshKeyId: string;
  registryId: string;
  serverId: string;
  certificateId: string;
  certificateResolverId: string;
  gitProviderId: string;
  destinationId: string;
  apiKeyId: string;
  mariadbId: string;
  mysqlId: string;
  postgresId: string;
  mongoId: string;
  redisId: string;
  redirectId: string;
  basicAuthId: string;
  notificationId: string;
  scheduleId: string;
  invitationId: string;
  composeId: string;
  /** Another one, which changes may spoil. */
  spareComposeId: string;
  backupId: string;
}

/** Nothing listens there, so that getting it fails at once. */
export const absentRepository = 'https://127.0.0.1:1/none.git';

/** `publishedPort` must be free in the installation, and so must the next few after it. */
export async function makeEstate(call: Call, name: string, publishedPort: number): Promise<Estate> {
  const made = async (path: string, input: unknown): Promise<unknown> => valueOf(call(path, input));
  const id = async (path: string, input: unknown, field: string): Promise<string> =>
    textOf(await made(path, input), field);
  const created = await made('project.create', { name });
  const projectId = textOf(fieldOf(created, 'project'), 'projectId');
  const environmentId = textOf(fieldOf(created, 'environment'), 'environmentId');
  const application = await made('application.create', { name, environmentId, appName: name });
  const applicationId = textOf(application, 'applicationId');
  await made('application.saveGitProvider', {
    applicationId,
    customGitUrl: absentRepository,
    customGitBranch: 'main',
  });
  await made('application.deploy', { applicationId });
  const postgresId = await id(
    'postgres.create',
    {
      name,
      appName: `${name}-postgres`,
      databasePassword: '',
      environmentId,
      databaseName: 'shop',
      databaseUser: 'shop',
    },
    'postgresId',
  );
  const destinationId = await id(
    'destination.create',
    {
      name,
      provider: 's3',
      accessKey: 'someone',
      secretAccessKey: 'something',
      bucket: 'backups',
      region: 'nowhere',
      endpoint: 'http://127.0.0.1:1',
      path: name,
    },
    'destinationId',
  );
  const database = (kind: string) => ({
    name,
    appName: `${name}-${kind}`,
    databasePassword: '',
    environmentId,
  });
  const account = await made('user.get', {});
  const certificate = makeCertificate({ name, hosts: [`${name}.localhost`] });
  const sshKeyId = await id('sshKey.generate', { name }, 'sshKeyId');
  return {
    name,
    projectId,
    environmentId,
    applicationId,
    appName: name,
    organizationId: textOf(account, 'organizationId'),
    otherEnvironmentId: await id('environment.create', { projectId, name: 'staging' }, 'environmentId'),
    deploymentId: textOf(firstOf(await made('deployment.all', { applicationId })), 'deploymentId'),
    domainId: await id('domain.create', { applicationId, host: `${name}.localhost` }, 'domainId'),
    portId: await id(
      'port.create',
      { applicationId, publishedPort, targetPort: 80, publishMode: 'host' },
      'portId',
    ),
    mountId: await id(
      'mount.create',
      { applicationId, type: 'volume', volumeName: 'data', mountPath: '/data' },
      'mountId',
    ),
    sshKeyId,
    serverId: await id(
      'server.create',
      { name, ipAddress: '127.0.0.1', port: 1, username: 'root', sshKeyId, serverType: 'deploy' },
      'serverId',
    ),
    certificateId: await id(
      'certificate.create',
      { name, certificateData: certificate.pem, privateKey: certificate.key },
      'certificateId',
    ),
    gitProviderId: await id(
      'gitProvider.create',
      { provider: 'gitea', name, baseUrl: 'https://127.0.0.1:1', accessToken: 'something' },
      'gitProviderId',
    ),
    certificateResolverId: await id(
      'certificateResolver.create',
      { name, directoryUrl: 'https://acme.localhost/directory', email: 'ann@example.com' },
      'certificateResolverId',
    ),
    registryId: await id(
      'registry.create',
      { name, registryUrl: '127.0.0.1:1', username: 'someone', password: 'something' },
      'registryId',
    ),
    apiKeyId: textOf(firstOf(fieldOf(account, 'apiKeys')), 'id'),
    mariadbId: await id(
      'mariadb.create',
      { ...database('mariadb'), databaseName: 'shop', databaseUser: 'shop', databaseRootPassword: '' },
      'mariadbId',
    ),
    mysqlId: await id(
      'mysql.create',
      { ...database('mysql'), databaseName: 'shop', databaseUser: 'shop', databaseRootPassword: '' },
      'mysqlId',
    ),
    postgresId,
    mongoId: await id('mongo.create', { ...database('mongo'), databaseUser: 'shop' }, 'mongoId'),
    redisId: await id('redis.create', database('redis'), 'redisId'),
    redirectId: await id(
      'redirect.create',
      { applicationId, regex: '^/old', replacement: '/new', permanent: false },
      'redirectId',
    ),
    basicAuthId: await id(
      'basicAuth.create',
      { applicationId, username: 'ann', password: 'something' },
      'basicAuthId',
    ),
    composeId: await id(
      'compose.create',
      {
        name,
        appName: `${name}-compose`,
        environmentId,
        composeFile: 'services:\n  web:\n    image: caddy:2\n',
      },
      'composeId',
    ),
    spareComposeId: await id(
      'compose.create',
      { name, appName: `${name}-spare`, environmentId },
      'composeId',
    ),
    destinationId,
    backupId: await id(
      'backup.create',
      {
        databaseType: 'postgres',
        postgresId,
        destinationId,
        schedule: '0 3 * * *',
        prefix: name,
        database: 'shop',
      },
      'backupId',
    ),
    notificationId: await id(
      'notification.create',
      {
        name,
        channel: 'webhook',
        events: ['certificateExpiring'],
        webhook: channels.webhook.example,
      },
      'notificationId',
    ),
    scheduleId: await id(
      'schedule.create',
      { applicationId, name: 'nightly', cron: '0 4 * * *', command: ['true'], enabled: false },
      'scheduleId',
    ),
    invitationId: await id(
      'organization.invite',
      { email: `${name}@example.com`, role: 'member' },
      'invitationId',
    ),
  };
}

export function fieldOf(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
}

export function firstOf(list: unknown): unknown {
  if (Array.isArray(list)) return list[0];
  throw new Error(`No list: ${JSON.stringify(list)}`);
}
