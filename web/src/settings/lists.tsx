/** What services are made with: git hosts, registries, keys, destinations, certificates. */
import type { ReactElement } from 'react';
import { Collection } from '../form/collection.tsx';
import { pagePath } from '../git/manifest.ts';
import { texts } from '../git/texts.ts';
import { Ago } from '../parts/time.tsx';
import { GenerateKey } from './generate-key.tsx';

const ofGithub = ({ provider }: Readonly<Record<string, unknown>>): boolean => provider === 'github';
const byToken = (values: Readonly<Record<string, unknown>>): boolean => !ofGithub(values);

const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

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
      'accessToken',
      'username',
      'appId',
      'installationId',
      'privateKey',
      'webhookSecret',
      'baseUrl',
      'apiUrl',
    ]}
    change={{
      provider: { label: 'Git host', start: () => 'github' },
      accessToken: { when: byToken },
      username: { when: ({ provider }) => provider === 'bitbucket' },
      appId: { when: ofGithub },
      installationId: { when: ofGithub },
      privateKey: { when: ofGithub },
      webhookSecret: { when: ofGithub },
    }}
    name={({ name }) => text(name)}
    detail={({ provider, baseUrl, username }) => [provider, baseUrl, username].map(text).join(' ')}
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
    name={({ name }) => text(name)}
    detail={({ publicKey }) => text(publicKey)}
    removal="Repositories and servers that know it are no longer reached with it."
    extra={<GenerateKey />}
  />
);

const isBucket = ({ provider }: Readonly<Record<string, unknown>>): boolean => provider === 's3';

export const Destinations = (): ReactElement => (
  <Collection
    title="Destinations of backups"
    noun="destination"
    about="An S3 bucket, or a folder on the machine."
    id="destinationId"
    list="destination.all"
    create="destination.create"
    update="destination.update"
    remove="destination.remove"
    test="destination.testConnection"
    show={['name', 'provider', 'endpoint', 'region', 'bucket', 'accessKey', 'secretAccessKey', 'path']}
    change={{
      provider: {
        label: 'Kind',
        help: 'Any service that speaks S3, or a folder on the machine that Berth runs on.',
        start: () => 's3',
        options: [
          { value: 's3', label: 'S3 bucket' },
          { value: 'local', label: 'Folder on this machine' },
        ],
      },
      endpoint: { when: isBucket, placeholder: 'https://s3.eu-central-1.amazonaws.com' },
      region: { when: isBucket },
      bucket: { when: isBucket },
      accessKey: { when: isBucket },
      secretAccessKey: { when: isBucket },
    }}
    name={({ name }) => text(name)}
    detail={({ provider, bucket, endpoint }) => `${text(provider)} ${text(bucket)} ${text(endpoint)}`}
    removal={
      'Berth forgets it; what is stored there is kept. A destination that backups use cannot be removed.'
    }
  />
);

export const Certificates = (): ReactElement => (
  <>
    <Collection
      title="Uploaded certificates"
      noun="certificate"
      about="For hosts whose certificate you bring yourself. Those of domains are issued automatically."
      id="certificateId"
      list="certificate.all"
      create="certificate.create"
      remove="certificate.remove"
      name={({ name }) => text(name)}
      detail={({ commonName, expirationDate }) => (
        <>
          {text(commonName)}, ends <Ago at={text(expirationDate) || null} />
        </>
      )}
      removal="The hosts that it covers will have no certificate."
    />
    <Collection
      title="Authorities"
      noun="authority"
      about="An ACME authority of your choice, for the domains that name it."
      id="certificateResolverId"
      list="certificateResolver.all"
      create="certificateResolver.create"
      update="certificateResolver.update"
      remove="certificateResolver.remove"
      name={({ name }) => text(name)}
      detail={({ directoryUrl }) => text(directoryUrl)}
      removal="Domains that name it are no longer renewed."
    />
  </>
);
