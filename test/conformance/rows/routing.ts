/** Domains, ports, mounts, redirects, basic authentication. */
import { any, type Rows } from '../row.ts';

const application = { applicationId: '<applicationId>' };
const domain = {
  domainId: any.id,
  host: any.text,
  path: '/',
  port: 3000,
  https: false,
  certificateType: any.text,
  uniqueConfigKey: any.number,
  ownPort: any.numberOrNull,
  applicationId: '<applicationId>',
  composeId: null,
  createdAt: any.time,
  domainType: 'application',
  internalPath: '/',
  stripPath: false,
};
const create = (input: object): { call: string; input: object } => ({
  call: 'domain.create',
  input: { ...application, host: 'new.<prefix>.example.com', ...input },
});
const refusedDomain = (input: object, field: string): Rows[number] => ({
  ...create(input),
  refused: 'BAD_REQUEST',
  field,
});

export const domainRows: Rows = [
  {
    ...create({}),
    rule: 'a domain has its defaults',
    needs: 'engine',
    gives: { ...domain, host: 'new.<prefix>.example.com' },
  },
  { rule: 'a host has no outer spaces', ...refusedDomain({ host: ' new.example.com' }, 'host') },
  { rule: 'a host has no outer spaces', ...refusedDomain({ host: 'new.example.com ' }, 'host') },
  {
    rule: 'a label is at most 63 characters',
    ...refusedDomain({ host: `${'x'.repeat(64)}.example.com` }, 'host'),
  },
  ...[0, 65_536].map((port): Rows[number] => ({
    rule: "a domain's port is 1..65535",
    ...refusedDomain({ port }, 'port'),
  })),
  {
    rule: "a domain's port is 1..65535",
    ...create({ port: 65_535 }),
    needs: 'engine',
    gives: { port: 65_535 },
  },
  { rule: 'https needs a certificateType', ...refusedDomain({ https: true }, 'certificateType') },
  {
    rule: 'custom needs a customCertResolver',
    ...refusedDomain({ https: true, certificateType: 'custom' }, 'customCertResolver'),
  },
  { rule: 'stripPath needs a path other than /', ...refusedDomain({ stripPath: true }, 'stripPath') },
  {
    rule: 'stripPath needs a path other than /',
    ...create({ stripPath: true, path: '/shop' }),
    needs: 'engine',
    gives: { stripPath: true, path: '/shop' },
  },
  { rule: 'internalPath begins with /', ...refusedDomain({ internalPath: 'shop' }, 'internalPath') },
  {
    rule: 'serviceName is required for compose domains',
    ...refusedDomain({ applicationId: null, composeId: '<composeId>', domainType: 'compose' }, 'serviceName'),
  },
  {
    rule: 'previewDeploymentId is required for preview domains',
    ...refusedDomain({ domainType: 'preview' }, 'previewDeploymentId'),
  },
  {
    rule: 'acme issues for no wildcard',
    ...refusedDomain(
      { host: '*.<prefix>.example.com', https: true, certificateType: 'acme' },
      'certificateType',
    ),
  },
  {
    rule: 'host and path are unique on a server',
    ...create({ host: '<foreign.host>' }),
    refused: 'CONFLICT',
  },
  { rule: 'host and path are unique on a server', ...create({ host: '<host>' }), refused: 'CONFLICT' },
  {
    rule: 'an id nested in a body is checked likewise',
    ...create({
      applicationId: null,
      composeId: '<foreign.composeId>',
      domainType: 'compose',
      serviceName: 'web',
    }),
    refused: 'FORBIDDEN',
  },
  {
    call: 'domain.update',
    needs: 'engine',
    input: { domainId: '<domainId>', host: 'other.<prefix>.example.com', port: 8080 },
    gives: { ...domain, host: 'other.<prefix>.example.com', port: 8080 },
  },
  {
    rule: 'stripPath needs a path other than /',
    call: 'domain.update',
    input: { domainId: '<domainId>', host: '<host>', stripPath: true },
    refused: 'BAD_REQUEST',
    field: 'stripPath',
  },
  {
    call: 'domain.one',
    input: { domainId: '<domainId>' },
    gives: {
      ...domain,
      host: '<host>',
      certificate: {
        status: 'none',
        issuer: null,
        expiresAt: null,
        error: null,
        step: null,
        nextTryAt: null,
      },
      refusedNames: [],
    },
  },
  {
    call: 'domain.requests',
    input: { domainId: '<domainId>' },
    gives: { domainId: '<domainId>', since: any.time, minutes: [] },
  },
  {
    call: 'domain.requests',
    input: { domainId: '<domainId>', since: 'yesterday' },
    refused: 'BAD_REQUEST',
    field: 'since',
  },
  { call: 'domain.accessLog', input: { domainId: '<domainId>' }, gives: [] },
  {
    call: 'domain.byApplicationId',
    input: application,
    gives: any.listOf({ domainId: any.id, host: any.text }),
  },
  { call: 'domain.byComposeId', input: { composeId: '<composeId>' }, gives: [] },
  {
    call: 'domain.delete',
    needs: 'engine',
    rule: 'a removal answers with the removed record',
    input: { domainId: '<domainId>' },
    gives: { ...domain, host: '<host>' },
    after: [{ call: 'domain.one', input: { domainId: '<domainId>' }, refused: 'NOT_FOUND' }],
  },
  {
    rule: 'generateDomain answers a host name with the address in it',
    call: 'domain.generateDomain',
    input: { appName: '<appName>' },
    gives: any.matching(/^w\d+-app-[0-9a-f]{6}-\d+-\d+-\d+-\d+\.sslip\.io$/),
  },
  {
    rule: 'validateDomain tells where a name points',
    call: 'domain.validateDomain',
    input: { domain: 'localhost', serverIp: '203.0.113.7' },
    gives: { isValid: any.boolean, resolvedIps: any.list, expectedIp: '203.0.113.7' },
  },
  // No provider of the world can be asked.
  ...['domain.planRecords', 'domain.applyRecords'].flatMap((call) => {
    const digest = call === 'domain.applyRecords' ? { digest: '0'.repeat(64) } : {};
    return [
      { call, input: { domainId: '<domainId>', ...digest }, refused: 'PRECONDITION_FAILED' as const },
      { call, input: { baseDomain: 'apps.example.com', ...digest }, refused: 'PRECONDITION_FAILED' as const },
      { call, input: { ...digest }, refused: 'BAD_REQUEST' as const, field: 'domainId' },
      {
        call,
        input: { domainId: '<domainId>', baseDomain: 'apps.example.com', ...digest },
        refused: 'BAD_REQUEST' as const,
        field: 'baseDomain',
      },
    ];
  }),
  {
    call: 'domain.applyRecords',
    input: { domainId: '<domainId>', digest: 'of nothing' },
    refused: 'BAD_REQUEST',
    field: 'digest',
  },
];

const port = {
  portId: any.id,
  applicationId: '<applicationId>',
  publishedPort: any.number,
  targetPort: any.number,
  protocol: 'tcp',
  publishMode: 'host',
};

export const portRows: Rows = [
  {
    call: 'port.create',
    input: {
      ...application,
      publishedPort: '<freePort>',
      targetPort: 80,
      protocol: 'udp',
      publishMode: 'host',
    },
    gives: { ...port, publishedPort: '<freePort>', protocol: 'udp' },
  },
  ...[22, 80, 443, 2377, 4789, 7946].map((publishedPort): Rows[number] => ({
    rule: 'reserved ports are 409',
    call: 'port.create',
    input: { ...application, publishedPort, targetPort: 80, publishMode: 'host' },
    refused: 'CONFLICT',
    field: 'publishedPort',
    // Ports below 1024 are for the installation's own people.
    installation: true,
  })),
  {
    rule: 'a published port of a server is taken once',
    call: 'port.create',
    before: [{ call: 'port.one', input: { portId: '<portId>' }, keep: { taken: 'publishedPort' } }],
    input: { ...application, publishedPort: '<taken>', targetPort: 80, publishMode: 'host' },
    refused: 'CONFLICT',
    field: 'publishedPort',
  },
  {
    rule: 'a published port of a server is taken once',
    call: 'port.create',
    input: { applicationId: '<far>', publishedPort: '<taken>', targetPort: 80, publishMode: 'host' },
    gives: { applicationId: '<far>', publishedPort: '<taken>' },
    before: [
      { call: 'port.one', input: { portId: '<portId>' }, keep: { taken: 'publishedPort' } },
      {
        call: 'application.create',
        input: { name: 'far', environmentId: '<environmentId>', serverId: '<serverId>' },
        keep: { far: 'applicationId' },
      },
    ],
  },
  { call: 'port.one', input: { portId: '<portId>' }, gives: port },
  { call: 'port.byApplicationId', input: application, gives: [port] },
  {
    call: 'port.update',
    input: { portId: '<portId>', targetPort: 8080 },
    gives: { ...port, targetPort: 8080 },
  },
  {
    call: 'port.delete',
    input: { portId: '<portId>' },
    gives: port,
    after: [{ call: 'port.one', input: { portId: '<portId>' }, refused: 'NOT_FOUND' }],
  },
];

const mount = {
  mountId: any.id,
  type: 'volume',
  volumeName: 'data',
  mountPath: '/data',
  serviceType: 'application',
  applicationId: '<applicationId>',
};

export const mountRows: Rows = [
  {
    call: 'mount.create',
    input: {
      ...application,
      type: 'file',
      filePath: 'app.conf',
      content: 'level=info',
      mountPath: '/etc/app.conf',
    },
    gives: {
      mountId: any.id,
      type: 'file',
      content: '••••',
      mountPath: '/etc/app.conf',
      serviceType: 'application',
      ...application,
    },
  },
  {
    rule: 'a bind mount needs Owner or Admin',
    call: 'mount.create',
    as: 'granted',
    input: { ...application, type: 'bind', hostPath: '/srv/data', mountPath: '/srv' },
    refused: 'FORBIDDEN',
  },
  {
    rule: 'a bind mount needs Owner or Admin',
    call: 'mount.create',
    as: 'admin',
    input: { ...application, type: 'bind', hostPath: '/srv/data', mountPath: '/srv' },
    gives: { type: 'bind', hostPath: '/srv/data' },
    keep: { boundId: 'mountId' },
    after: [{ call: 'mount.remove', input: { mountId: '<boundId>' }, gives: { type: 'bind' } }],
    installation: true,
  },
  {
    call: 'mount.create',
    input: { ...application, type: 'bind', hostPath: '/srv/data', mountPath: '/srv' },
    refused: 'FORBIDDEN',
  },
  {
    call: 'port.create',
    input: { ...application, publishedPort: 443, targetPort: 80, publishMode: 'host' },
    refused: 'FORBIDDEN',
  },
  { call: 'mount.one', input: { mountId: '<mountId>' }, gives: mount },
  { call: 'mount.byApplicationId', input: application, gives: [mount] },
  { call: 'mount.byComposeId', input: { composeId: '<composeId>' }, gives: [] },
  {
    call: 'mount.update',
    input: { mountId: '<mountId>', mountPath: '/var/data' },
    gives: { ...mount, mountPath: '/var/data' },
  },
  {
    call: 'mount.remove',
    input: { mountId: '<mountId>' },
    gives: mount,
    after: [{ call: 'mount.one', input: { mountId: '<mountId>' }, refused: 'NOT_FOUND' }],
  },
];

const redirect = {
  redirectId: any.id,
  applicationId: '<applicationId>',
  regex: '^/old/(.*)$',
  replacement: '/new/$1',
  permanent: true,
};

export const redirectRows: Rows = [
  {
    rule: 'redirects and basic auth belong to an application',
    call: 'redirect.create',
    needs: 'engine',
    input: { ...application, regex: '^/a/(.*)$', replacement: '/b/$1', permanent: false },
    gives: { redirectId: any.id, regex: '^/a/(.*)$', replacement: '/b/$1', permanent: false },
  },
  {
    rule: 'redirects and basic auth belong to an application',
    call: 'redirect.create',
    input: { applicationId: '<foreign.applicationId>', regex: '^/a$', replacement: '/b' },
    refused: 'FORBIDDEN',
  },
  {
    call: 'redirect.create',
    rule: 'redirects and basic auth belong to an application',
    input: { ...application, regex: '(', replacement: '/b' },
    refused: 'BAD_REQUEST',
    field: 'regex',
  },
  { call: 'redirect.one', input: { redirectId: '<redirectId>' }, gives: redirect },
  { call: 'redirect.byApplicationId', input: application, gives: [redirect] },
  {
    call: 'redirect.update',
    needs: 'engine',
    input: { redirectId: '<redirectId>', permanent: false },
    gives: { ...redirect, permanent: false },
  },
  { call: 'redirect.delete', needs: 'engine', input: { redirectId: '<redirectId>' }, gives: redirect },
];

const basicAuth = {
  basicAuthId: any.id,
  applicationId: '<applicationId>',
  username: 'visitor',
  password: any.absent,
  passwordHash: any.absent,
};

export const basicAuthRows: Rows = [
  {
    rule: 'redirects and basic auth belong to an application',
    call: 'basicAuth.create',
    needs: 'engine',
    input: { ...application, username: 'guest', password: 'correct-horse' },
    gives: { ...basicAuth, username: 'guest' },
  },
  {
    rule: 'redirects and basic auth belong to an application',
    call: 'basicAuth.create',
    input: { ...application, username: 'visitor', password: 'correct-horse' },
    refused: 'CONFLICT',
  },
  { call: 'basicAuth.one', input: { basicAuthId: '<basicAuthId>' }, gives: basicAuth },
  { call: 'basicAuth.byApplicationId', input: application, gives: [basicAuth] },
  {
    call: 'basicAuth.update',
    needs: 'engine',
    input: { basicAuthId: '<basicAuthId>', username: 'guest' },
    gives: { ...basicAuth, username: 'guest' },
  },
  { call: 'basicAuth.delete', needs: 'engine', input: { basicAuthId: '<basicAuthId>' }, gives: basicAuth },
];
