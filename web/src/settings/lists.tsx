/** What services are made with: git hosts, registries, keys, destinations, certificates. */
import type { ReactElement } from 'react';
import { Collection } from '../form/collection.tsx';
import type { FieldChange } from '../form/form-field.tsx';
import { pagePath } from '../git/manifest.ts';
import { texts } from '../git/texts.ts';
import { RecoveryKey } from '../backup/recovery-key.tsx';
import { GenerateKey } from './generate-key.tsx';

const hosts: Readonly<Record<string, string>> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  gitea: 'Gitea or Forgejo',
  bitbucket: 'Bitbucket',
};
/** Where a token is made, and what it must allow. */
const tokens: Readonly<Record<string, string>> = {
  gitlab: 'GitLab, Preferences, Access tokens: with the scope api.',
  gitea: 'Settings, Applications, Access tokens: repository and issue, read and write.',
  bitbucket: 'Repository settings, Access tokens: repositories, pull requests and webhooks, read and write.',
};

const ofGithub = ({ provider }: Readonly<Record<string, unknown>>): boolean => provider === 'github';
const byToken = (values: Readonly<Record<string, unknown>>): boolean => !ofGithub(values);

const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

const gitWords: Readonly<Record<string, FieldChange>> = {
  provider: {
    label: 'Git host',
    isKind: true,
    options: Object.entries(hosts).map(([value, label]) => ({
      value,
      label,
      about: value === 'github' ? 'By a GitHub App' : 'By an access token',
    })),
    start: () => 'github',
  },
  name: { start: ({ provider }) => hosts[text(provider)] ?? '', help: 'Shown in lists' },
  username: {
    label: 'Workspace',
    help: 'The first part of the addresses of its repositories',
    isNeeded: true,
    when: ({ provider }) => provider === 'bitbucket',
  },
  accessToken: {
    label: 'Access token',
    helpOf: ({ provider }) => tokens[text(provider)],
    isNeeded: true,
    when: byToken,
  },
  appId: {
    label: 'Id of the GitHub App',
    help: 'On the page of the app: App ID',
    isNeeded: true,
    when: ofGithub,
  },
  installationId: {
    label: 'Id of its installation',
    help: 'The number at the end of the address of the page "Configure"',
    isNeeded: true,
    when: ofGithub,
  },
  privateKey: {
    label: 'Private key',
    help: 'The contents of the .pem file from GitHub',
    isNeeded: true,
    when: ofGithub,
  },
  webhookSecret: {
    label: 'Secret of its webhook',
    help: 'As entered in the settings of the app',
    isNeeded: true,
    when: ofGithub,
  },
  baseUrl: {
    label: 'Address of the host',
    example: 'https://git.example.com',
    help: 'Of a server that you run yourself. Empty: the public one',
    isFolded: true,
  },
  apiUrl: {
    label: 'Address of its API',
    help: 'Only where it cannot be derived from the address of the host',
    isFolded: true,
  },
};

export const GitProviders = (): ReactElement => (
  <Collection
    title="Git hosts"
    noun="connection"
    about="With a token, private repositories are fetched and pull requests get their previews."
    id="gitProviderId"
    list="gitProvider.all"
    create="gitProvider.create"
    update="gitProvider.update"
    remove="gitProvider.remove"
    test="gitProvider.testConnection"
    show={[
      'provider',
      'name',
      'username',
      'accessToken',
      'appId',
      'installationId',
      'privateKey',
      'webhookSecret',
      'baseUrl',
      'apiUrl',
    ]}
    testsNew
    change={gitWords}
    name={({ name }) => text(name)}
    detail={({ provider, baseUrl, username }) =>
      [hosts[text(provider)] ?? provider, baseUrl, username].map(text).filter(Boolean).join(', ')
    }
    removal="Services that use it as their source are no longer fetched. Repositories stay as they are."
    extra={
      // Not a step within the page: that address alone may send a form to GitHub.
      <a href={pagePath} className="button quiet small">
        {texts.link}
      </a>
    }
  />
);

export const Registries = (): ReactElement => (
  <Collection
    title="Registries"
    noun="registry"
    about="Where private images come from, and where built ones are pushed."
    id="registryId"
    list="registry.all"
    create="registry.create"
    update="registry.update"
    remove="registry.remove"
    change={{
      registryUrl: {
        label: 'Registry',
        example: 'ghcr.io',
        help: 'Host name, with a path where needed. Empty: Docker Hub',
      },
      username: { label: 'User name' },
      password: { label: 'Password or token', help: 'A token that may read packages is enough to pull.' },
      imagePrefix: {
        label: 'Built images go below',
        example: 'team/apps',
        help: 'Path below which images are pushed',
        isFolded: true,
      },
    }}
    name={({ registryName, name }) => text(registryName) || text(name)}
    detail={({ registryUrl, username }) => `${text(registryUrl)} ${text(username)}`}
    removal="Images are no longer fetched with it. What it holds stays."
  />
);

export const SshKeys = (): ReactElement => (
  <Collection
    title="SSH keys"
    noun="key"
    about="A deploy key of a repository, or the key to a server."
    id="sshKeyId"
    list="sshKey.all"
    create="sshKey.create"
    update="sshKey.update"
    remove="sshKey.remove"
    change={{
      privateKey: { help: 'The contents of a file such as ~/.ssh/id_ed25519, without a passphrase' },
      publicKey: { help: 'Empty: derived from the private key', isFolded: true },
      description: { isFolded: true },
    }}
    name={({ name }) => text(name)}
    detail={({ publicKey }) => text(publicKey)}
    removal="Repositories and servers that know it are no longer reached with it."
    extra={<GenerateKey />}
  />
);

type Values = Readonly<Record<string, unknown>>;

const ofKinds =
  (...kinds: readonly string[]) =>
  ({ provider }: Values): boolean =>
    kinds.includes(text(provider));

/** Words of a field for the kind that is chosen. */
const byKind =
  (words: Readonly<Record<string, string>>) =>
  ({ provider }: Values): string | undefined =>
    words[text(provider)];

const startNames: Readonly<Record<string, string>> = { local: 'This machine', sftp: 'SFTP server' };

const destinationWords: Readonly<Record<string, FieldChange>> = {
  provider: {
    label: 'Kind',
    help: 'A bucket of a cloud, or a folder on another server or on the machine that Berth runs on.',
    isKind: true,
    start: () => 's3',
    options: [
      { value: 's3', label: 'S3 bucket', about: 'AWS, R2, B2, Hetzner, MinIO and other S3 services' },
      { value: 'sftp', label: 'SFTP server', about: 'A folder of another server, or a storage box' },
      { value: 'azure', label: 'Azure Blob Storage', about: 'A container of a storage account' },
      { value: 'gcs', label: 'Google Cloud Storage', about: 'A bucket, with the key of a service account' },
      { value: 'b2', label: 'Backblaze B2', about: 'A bucket, with an application key' },
      {
        value: 'local',
        label: 'Folder on this machine',
        about: 'Lost with the machine; add a second destination',
      },
    ],
  },
  name: { start: ({ provider }) => startNames[text(provider)] ?? 'Bucket' },
  endpoint: {
    label: 'Address of the storage',
    when: ofKinds('s3', 'sftp'),
    helpOf: byKind({
      s3: 'Most providers call it the endpoint, such as https://s3.eu-central-1.amazonaws.com',
      sftp: 'With the user: sftp://user@host:22/folder. Without a folder: the home of the user',
    }),
    isNeeded: true,
  },
  hostKey: {
    label: 'Host key',
    when: ofKinds('sftp'),
    as: 'area',
    help: 'All lines that "ssh-keyscan -p PORT HOST" prints. Compare them with what the provider publishes.',
    isNeeded: true,
  },
  region: {
    when: ofKinds('s3'),
    example: 'eu-central-1',
    help: 'Leave empty where the provider has none',
  },
  bucket: {
    labelOf: byKind({ azure: 'Container' }),
    when: ofKinds('s3', 'azure', 'gcs', 'b2'),
    help: 'It must exist already.',
    isNeeded: true,
  },
  accessKey: {
    label: 'Access key',
    labelOf: byKind({ azure: 'Storage account', b2: 'ID of the application key' }),
    when: ofKinds('s3', 'azure', 'b2'),
    help: '',
    isNeeded: true,
  },
  secretAccessKey: {
    label: 'Secret key',
    labelOf: byKind({
      sftp: 'Password or private key',
      azure: 'Key of the account',
      gcs: 'Key file of the service account',
      b2: 'Application key',
    }),
    when: ofKinds('s3', 'sftp', 'azure', 'gcs', 'b2'),
    helpOf: byKind({
      sftp: 'A private key must be without a passphrase. Never shown again',
      gcs: 'The whole contents of the .json file. Never shown again',
    }),
    help: 'Never shown again',
    isNeeded: true,
  },
  path: { label: 'Folder', isFolded: true },
  recipients: {
    label: 'Public keys',
    as: 'area',
    isFolded: true,
    example: 'age1…',
    help: 'Later backups are encrypted for these keys of age, one a line. "Recovery key" makes one',
  },
  identity: {
    label: 'Private key',
    as: 'password',
    isFolded: true,
    help: 'One of these keys, with which Berth restores and tries by itself. Never shown again',
  },
};

export const Destinations = (): ReactElement => (
  <Collection
    title="Destinations of backups"
    noun="destination"
    about="A bucket of a cloud, or a folder on another server or this machine."
    id="destinationId"
    list="destination.all"
    create="destination.create"
    update="destination.update"
    remove="destination.remove"
    test="destination.testConnection"
    testsFirst
    show={[
      'provider',
      'name',
      'endpoint',
      'hostKey',
      'region',
      'bucket',
      'accessKey',
      'secretAccessKey',
      'path',
      'recipients',
      'identity',
    ]}
    change={destinationWords}
    actions={({ destinationId, name }) => (
      <RecoveryKey destinationId={text(destinationId)} name={text(name)} />
    )}
    name={({ name }) => text(name)}
    detail={({ provider, bucket, endpoint, path, recipients }) =>
      (provider === 'local'
        ? `Folder ${text(path) || 'of Berth'}`
        : [bucket && `Bucket ${text(bucket)}`, endpoint && `at ${text(endpoint)}`]
            .filter(Boolean)
            .join(' ')) + (Array.isArray(recipients) && recipients.length > 0 ? ', encrypted' : '')
    }
    removal={
      'Berth forgets it; what is stored there is kept. A destination that backups use cannot be removed.'
    }
  />
);
