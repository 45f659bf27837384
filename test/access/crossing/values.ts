/** What a tenant's Owner writes into a field to reach what is not theirs, by the field's class. */
import type { ResourceKind } from '../../../server/src/procedure/procedure.ts';
import { idOf } from '../../world/inputs.ts';
import { of, type Fixtures } from '../../world/fixtures.ts';
import type { World } from '../../world/world.ts';
import type { ClassedField, FieldClass } from './fields.ts';

/** Whose the thing is that a value names. */
export const holders = ['another tenant', 'the platform', 'the host'] as const;
export type Holder = (typeof holders)[number];

export interface Reach {
  holder: Holder;
  text: string;
}

export interface Holders {
  /** The tenant that tries, and the other one in the same world. */
  tenant: World;
  /** Whose first organization is the installation's. */
  installation: World;
  /** Berth's own data folder. */
  dataFolder: string;
}

type Make = (who: { fixtures: Fixtures; sessionId: string; invitation: string }) => readonly string[];

/** The same thing of another tenant's and of the installation's organization. */
const ofOrganizations: Readonly<Record<Exclude<FieldClass, 'id' | 'plain'>, Make>> = {
  engineId: ({ fixtures }) => [`${of(fixtures, 'appName')}.1.abcdefabcdef`],
  serviceName: ({ fixtures }) => [of(fixtures, 'appName'), of(fixtures, 'mysqlAppName')],
  engineName: ({ fixtures }) => [
    of(fixtures, 'appName'),
    `berth-data-${of(fixtures, 'mysqlId')}`,
    `${of(fixtures, 'composeAppName')}_web`,
  ],
  label: ({ fixtures }) => [`berth.owner=${of(fixtures, 'applicationId')}`],
  image: ({ fixtures }) => [`berth-build/${of(fixtures, 'applicationId')}:latest`],
  host: ({ fixtures }) => [of(fixtures, 'host'), `secure.${of(fixtures, 'host')}`],
  address: ({ fixtures }) => [`http://${of(fixtures, 'appName')}:3000`],
  path: ({ fixtures }) => [`../${of(fixtures, 'organizationId')}`, `../../${of(fixtures, 'appName')}/source`],
  token: ({ invitation }) => [invitation],
  file: ({ fixtures }) => [
    fileWith(
      `volumes: ["data:/data"]`,
      `volumes: { data: { external: true, name: berth-data-${of(fixtures, 'mysqlId')} } }`,
    ),
    fileWith(
      `networks: [other]`,
      `networks: { other: { external: true, name: ${of(fixtures, 'environmentId')} } }`,
    ),
  ],
};

function fileWith(service: string, rest = ''): string {
  return `services:\n  web:\n    image: berth/none:1\n    ${service}\n${rest}\n`;
}

const platforms: Readonly<
  Record<Exclude<FieldClass, 'id' | 'plain'>, (dataFolder: string) => readonly string[]>
> = {
  engineId: () => ['berth-proxy'],
  serviceName: () => ['berth-proxy', 'berth'],
  engineName: () => ['berth-proxy', 'berth-platform'],
  label: () => ['berth.platform=proxy', 'com.docker.swarm.service.name=berth-proxy'],
  image: () => ['berth-build/berth:latest'],
  host: () => [],
  address: () => ['http://10.201.0.1:2019'],
  path: (dataFolder) => [dataFolder, `../../../../../../..${dataFolder}/berth.sqlite`],
  token: () => [],
  file: (dataFolder) => [fileWith(`volumes: ["${dataFolder}:/host"]`)],
};

const hosts: Readonly<Record<Exclude<FieldClass, 'plain'>, readonly string[]>> = {
  id: ['local', 'localhost'],
  engineId: ['../../images/json', 'self'],
  serviceName: ['host', 'localhost'],
  engineName: ['/etc', 'host'],
  label: ['com.docker.swarm.task=x'],
  image: ['/etc/passwd', 'docker-daemon:/etc', 'sha256:a65e', `sha256:${'a65e'.repeat(16)}`],
  host: ['[::1]', '127.0.0.1', 'localhost', '169.254.169.254', '*.com', '*.co.uk', '*.sslip.io'],
  address: ['file:///etc', 'http://169.254.169.254/latest', 'http://[::1]:2375', '/var/run/docker.sock'],
  path: ['/etc', '/proc/self/root/etc', '../../../../../../../../etc'],
  token: [],
  file: [fileWith('volumes: ["/:/host"]'), fileWith('privileged: true'), fileWith('network_mode: host')],
};

export function valuesOf(field: ClassedField, { tenant, installation, dataFolder }: Holders): Reach[] {
  if (field.class === 'plain') return [];
  const reach = (holder: Holder, texts: readonly string[]): Reach[] =>
    [...new Set(texts.map((text) => written(field, text)))].map((text) => ({ holder, text }));
  const onHost = reach('the host', hosts[field.class]);
  if (field.class === 'id') {
    const { kind } = field;
    if (kind === undefined) throw new Error(`${field.procedure.path} ${field.name} has no kind.`);
    return [
      ...reach('another tenant', [idIn(tenant.foreign, kind, tenant.people.stranger.sessionId)]),
      ...reach('the platform', [idIn(installation.own, kind, installation.people.owner.sessionId)]),
      ...onHost,
    ];
  }
  const make = ofOrganizations[field.class];
  return [
    ...reach(
      'another tenant',
      make({
        fixtures: tenant.foreign,
        sessionId: tenant.people.stranger.sessionId,
        invitation: tenant.people.stranger.invitation,
      }),
    ),
    ...reach('the platform', [
      ...make({
        fixtures: installation.own,
        sessionId: installation.people.owner.sessionId,
        invitation: installation.people.member.invitation,
      }),
      ...platforms[field.class](dataFolder),
    ]),
    ...onHost,
  ];
}

/** As the field writes it: keys and values of labels stand apart. */
function written({ class: kind, name }: ClassedField, text: string): string {
  if (kind !== 'label') return text;
  const [key = '', value = ''] = text.split('=');
  return name.endsWith('(key)') ? key : value;
}

function idIn(fixtures: Fixtures, kind: ResourceKind | 'session', sessionId: string): string {
  return kind === 'session' ? sessionId : idOf(fixtures, kind);
}
