/** What belongs to the organization of an estate: keys, servers, stores, accounts elsewhere. */
import type { TableRecord } from '../../server/src/db/tables.ts';
import { noGrants } from '../../server/src/domain/access/permissions.ts';
import { hashToken } from '../../server/src/ports/token.ts';
import { certificateChain } from './certificates.ts';
import { hiddenTexts, of, type Estate, type Rows } from './estate.ts';
import { createdAt, later, type Own } from './estate-times.ts';

export function organizationRows(estate: Estate, own: Own): Rows {
  return {
    ssh_key: sshKeys(estate, own),
    registry: [
      {
        ...own,
        registryId: of(estate, 'registryId'),
        name: 'registry',
        registryUrl: '127.0.0.1:1',
        username: 'pusher',
        password: hiddenTexts.registryPassword,
        imagePrefix: '',
      },
    ],
    server: servers(estate, own),
    destination: destinations(estate, own),
    notification: [notification(estate, own)],
    certificate: certificates(estate, own),
    certificate_resolver: [certificateResolver(estate, own)],
    git_provider: [gitProvider(estate, own)],
    invitation: [
      {
        ...own,
        invitationId: of(estate, 'invitationId'),
        email: `${estate.prefix}-invited@example.com`,
        role: 'member',
        grants: noGrants,
        tokenHash: hashToken(`${estate.prefix}-invitation`),
        invitedBy: `${estate.prefix}-owner`,
        status: 'pending',
        expiresAt: 4_000_000_000_000,
      },
    ],
  };
}

function sshKeys(estate: Estate, own: Own): TableRecord<'ssh_key'>[] {
  const sshKey = {
    ...own,
    description: '',
    publicKey: 'ssh-ed25519 AAAA deploy',
    privateKey: hiddenTexts.sshPrivateKey,
    fingerprint: 'SHA256:x',
  };
  return [
    { ...sshKey, sshKeyId: of(estate, 'sshKeyId'), name: 'deploy' },
    { ...sshKey, createdAt: later, sshKeyId: of(estate, 'freeSshKeyId'), name: 'free' },
  ];
}

function servers(estate: Estate, own: Own): TableRecord<'server'>[] {
  const server: Omit<TableRecord<'server'>, 'serverId' | 'name'> = {
    ...own,
    description: null,
    ipAddress: '203.0.113.7',
    port: 22,
    username: 'root',
    sshKeyId: of(estate, 'sshKeyId'),
    serverType: 'deploy',
    status: 'inactive',
    hostKeyFingerprint: null,
    setupStatus: 'idle',
    setupStage: null,
    setupError: null,
    buildsConcurrency: 1,
    metricsConfig: null,
    metricsToken: null,
    clusterServerId: null,
    swarmNodeId: null,
  };
  return [
    { ...server, serverId: of(estate, 'serverId'), name: 'node-1' },
    { ...server, createdAt: later, serverId: of(estate, 'busyServerId'), name: 'node-2' },
  ];
}

function notification(estate: Estate, own: Own): TableRecord<'notification'> {
  return {
    ...own,
    notificationId: of(estate, 'notificationId'),
    name: 'on call',
    channel: 'webhook',
    enabled: true,
    events: ['deploymentFailed'],
    settings: JSON.stringify({ url: 'https://127.0.0.1:1/berth', secret: hiddenTexts.webhookSecret }),
    lastSentAt: null,
    lastError: null,
    lastErrorAt: null,
    leaseHolder: null,
    leaseUntil: 0,
  };
}

function destinations(estate: Estate, own: Own): TableRecord<'destination'>[] {
  return [
    { id: 'destinationId', name: 'backups', createdAt },
    { id: 'freeDestinationId', name: 'free', createdAt: later },
  ].map(
    (one): TableRecord<'destination'> => ({
      ...own,
      createdAt: one.createdAt,
      destinationId: of(estate, one.id),
      name: one.name,
      provider: 's3',
      accessKey: hiddenTexts.accessKey,
      secretAccessKey: hiddenTexts.secretAccessKey,
      bucket: 'backups',
      region: 'eu-central-1',
      endpoint: 'https://127.0.0.1:1',
      path: '',
    }),
  );
}

function certificates(estate: Estate, own: Own): TableRecord<'certificate'>[] {
  const certificate = {
    ...own,
    ...certificateChain.facts,
    subjectAlternativeNames: [...certificateChain.facts.subjectAlternativeNames],
    certificateData: certificateChain.certificate,
    privateKey: certificateChain.privateKey,
    serverId: null,
  };
  return [
    { ...certificate, certificateId: of(estate, 'certificateId'), name: 'free' },
    {
      ...certificate,
      createdAt: later,
      certificateId: of(estate, 'usedCertificateId'),
      name: 'used',
      subjectAlternativeNames: [`secure.${estate['host']}`],
    },
  ];
}

function certificateResolver(estate: Estate, own: Own): TableRecord<'certificate_resolver'> {
  return {
    ...own,
    certificateResolverId: of(estate, 'certificateResolverId'),
    name: 'internal',
    directoryUrl: 'https://acme.example.com/directory',
    email: 'ops@example.com',
    rootCertificates: null,
    eabKeyId: 'key-1',
    eabHmacKey: hiddenTexts.eab,
  };
}

function gitProvider(estate: Estate, own: Own): TableRecord<'git_provider'> {
  return {
    ...own,
    gitProviderId: of(estate, 'gitProviderId'),
    provider: 'gitea',
    name: 'gitea',
    baseUrl: 'https://127.0.0.1:1',
    apiUrl: 'https://127.0.0.1:1/api/v1',
    appId: null,
    installationId: null,
    username: null,
    privateKey: null,
    webhookSecret: null,
    accessToken: hiddenTexts.accessToken,
  };
}
