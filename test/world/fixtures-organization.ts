/** The organization of the fixtures, and what belongs to it: keys, servers, stores, accounts elsewhere. */
import { templateOf } from '../../server/src/modules/template/format.ts';
import { templateDefinition } from '../../server/src/modules/template/record.ts';
import type { TableRecord } from '../../server/src/db/tables.ts';
import { noGrants } from '../../server/src/domain/access/permissions.ts';
import { hashToken } from '../../server/src/ports/token.ts';
import { certificateChain } from './certificates.ts';
import { hiddenTexts, of, type Fixtures, type Rows } from './fixtures.ts';
import { createdAt, later, type Own } from './fixtures-times.ts';
import { plainServer } from './plain-server.ts';

export function organizationRows(fixtures: Fixtures, own: Own): Rows {
  return {
    organization: [
      {
        ...own,
        name: fixtures.prefix,
        requireTwoFactor: false,
        trusted: false,
        parentOrganizationId: null,
      },
    ],
    ssh_key: sshKeys(fixtures, own),
    registry: [
      {
        ...own,
        registryId: of(fixtures, 'registryId'),
        name: 'registry',
        registryUrl: '127.0.0.1:1',
        username: 'pusher',
        password: hiddenTexts.registryPassword,
        imagePrefix: '',
      },
    ],
    template_catalogue: [templateCatalogue(fixtures, own)],
    catalogue_template: [catalogueTemplate(fixtures)],
    server: servers(fixtures, own),
    destination: destinations(fixtures, own),
    notification: [notification(fixtures, own)],
    log_drain: [logDrain(fixtures, own)],
    certificate: certificates(fixtures, own),
    certificate_resolver: [certificateResolver(fixtures, own)],
    dns_provider: dnsProviders(fixtures, own),
    certificate_order: [certificateOrder(fixtures, own)],
    git_provider: [gitProvider(fixtures, own)],
    invitation: [
      {
        ...own,
        invitationId: of(fixtures, 'invitationId'),
        email: `${fixtures.prefix}-invited@example.com`,
        role: 'member',
        grants: noGrants,
        tokenHash: hashToken(`${fixtures.prefix}-invitation`),
        invitedBy: `${fixtures.prefix}-owner`,
        status: 'pending',
        expiresAt: 4_000_000_000_000,
      },
    ],
  };
}

function sshKeys(fixtures: Fixtures, own: Own): TableRecord<'ssh_key'>[] {
  const sshKey = {
    ...own,
    description: '',
    publicKey: 'ssh-ed25519 AAAA deploy',
    privateKey: hiddenTexts.sshPrivateKey,
    fingerprint: 'SHA256:x',
  };
  return [
    { ...sshKey, sshKeyId: of(fixtures, 'sshKeyId'), name: 'deploy' },
    { ...sshKey, createdAt: later, sshKeyId: of(fixtures, 'freeSshKeyId'), name: 'free' },
  ];
}

function servers(fixtures: Fixtures, own: Own): TableRecord<'server'>[] {
  const server: Omit<TableRecord<'server'>, 'serverId' | 'name'> = {
    ...own,
    ...plainServer,
    sshKeyId: of(fixtures, 'sshKeyId'),
    status: 'inactive',
  };
  return [
    { ...server, serverId: of(fixtures, 'serverId'), name: 'node-1' },
    { ...server, createdAt: later, serverId: of(fixtures, 'busyServerId'), name: 'node-2' },
  ];
}

function notification(fixtures: Fixtures, own: Own): TableRecord<'notification'> {
  return {
    ...own,
    notificationId: of(fixtures, 'notificationId'),
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

function logDrain(fixtures: Fixtures, own: Own): TableRecord<'log_drain'> {
  return {
    ...own,
    logDrainId: of(fixtures, 'logDrainId'),
    projectId: null,
    name: 'central',
    type: 'loki',
    address: 'https://127.0.0.1:1/loki/api/v1/push',
    username: 'berth',
    password: hiddenTexts.logDrainPassword,
    // Nobody in these tests waits for it.
    enabled: false,
    sent: 0,
    dropped: 0,
    lastSentAt: null,
    lastError: null,
    lastErrorAt: null,
    leaseHolder: null,
    leaseUntil: 0,
  };
}

function destinations(fixtures: Fixtures, own: Own): TableRecord<'destination'>[] {
  return [
    { id: 'destinationId', name: 'backups', createdAt },
    { id: 'freeDestinationId', name: 'free', createdAt: later },
  ].map(
    (one): TableRecord<'destination'> => ({
      ...own,
      createdAt: one.createdAt,
      destinationId: of(fixtures, one.id),
      name: one.name,
      provider: 's3',
      accessKey: hiddenTexts.accessKey,
      secretAccessKey: hiddenTexts.secretAccessKey,
      bucket: 'backups',
      region: 'eu-central-1',
      endpoint: 'https://127.0.0.1:1',
      hostKey: '',
      recipients: [],
      identities: null,
      path: '',
    }),
  );
}

function certificates(fixtures: Fixtures, own: Own): TableRecord<'certificate'>[] {
  const certificate = {
    ...own,
    ...certificateChain.facts,
    subjectAlternativeNames: [...certificateChain.facts.subjectAlternativeNames],
    certificateData: certificateChain.certificate,
    privateKey: certificateChain.privateKey,
    serverId: null,
  };
  return [
    { ...certificate, certificateId: of(fixtures, 'certificateId'), name: 'free' },
    {
      ...certificate,
      createdAt: later,
      certificateId: of(fixtures, 'usedCertificateId'),
      name: 'used',
      subjectAlternativeNames: [`secure.${fixtures['host']}`],
    },
  ];
}

function certificateResolver(fixtures: Fixtures, own: Own): TableRecord<'certificate_resolver'> {
  return {
    ...own,
    certificateResolverId: of(fixtures, 'certificateResolverId'),
    name: 'internal',
    directoryUrl: 'https://acme.example.com/directory',
    email: 'ops@example.com',
    rootCertificates: null,
    eabKeyId: 'key-1',
    eabHmacKey: hiddenTexts.eab,
  };
}

function templateCatalogue(fixtures: Fixtures, own: Own): TableRecord<'template_catalogue'> {
  return {
    ...own,
    templateCatalogueId: of(fixtures, 'templateCatalogueId'),
    name: 'ours',
    url: 'https://127.0.0.1:1/templates.git',
    branch: '',
    folder: '',
    username: 'reader',
    password: hiddenTexts.cataloguePassword,
    commit: 'c'.repeat(40),
    readAt: own.createdAt,
    // Not of an age at which it is read again.
    lookedAt: Date.now(),
    templateCount: 1,
    leftOut: [{ name: 'broken', reason: 'It has no image.' }],
    lastError: null,
  };
}

/** The one template of that catalogue. */
function catalogueTemplate(fixtures: Fixtures): TableRecord<'catalogue_template'> {
  const template = templateOf(
    templateDefinition.parse({
      name: 'wiki',
      title: 'Wiki',
      description: 'Pages of ours.',
      website: 'https://wiki.example.com',
      firstSignIn: 'Sign in as admin.',
      file: 'services:\n  app:\n    image: wiki:1.0\n',
    }),
  );
  const { name, title, description, website, tags, icon, images } = template;
  const templateCatalogueId = of(fixtures, 'templateCatalogueId');
  const organizationId = of(fixtures, 'organizationId');
  const shown = { name, title, description, website, tags, icon, images };
  return { ...shown, templateCatalogueId, organizationId, digest: '', definition: template };
}

function dnsProviders(fixtures: Fixtures, own: Own): TableRecord<'dns_provider'>[] {
  const provider = {
    ...own,
    kind: 'rfc2136',
    settings: JSON.stringify({
      server: '127.0.0.1:1',
      keyName: 'berth',
      algorithm: 'hmac-sha256',
      secret: hiddenTexts.dnsSecret,
    }),
    lastUsedAt: null,
    lastError: null,
    lastErrorAt: null,
  };
  return [
    { ...provider, dnsProviderId: of(fixtures, 'dnsProviderId'), name: 'zones' },
    { ...provider, createdAt: later, dnsProviderId: of(fixtures, 'freeDnsProviderId'), name: 'free' },
  ];
}

function certificateOrder(fixtures: Fixtures, own: Own): TableRecord<'certificate_order'> {
  return {
    ...own,
    certificateOrderId: of(fixtures, 'certificateOrderId'),
    name: 'wildcard',
    names: [`*.apps.${fixtures['host'] ?? ''}`],
    dnsProviderId: of(fixtures, 'dnsProviderId'),
    certificateResolverId: null,
    serverId: null,
    certificateId: null,
    status: 'waiting',
    error: null,
    attempts: 0,
    // No test waits for it.
    nextAt: 4_000_000_000_000,
    issuedAt: null,
    isAutomatic: false,
    leaseHolder: null,
    leaseUntil: 0,
  };
}

function gitProvider(fixtures: Fixtures, own: Own): TableRecord<'git_provider'> {
  return {
    ...own,
    gitProviderId: of(fixtures, 'gitProviderId'),
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
