import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { acceptedToken, startGitHost, type GitHost } from '../../../../test/git-host/git-host.ts';
import { textOf, type InterfaceClient } from '../../../../test/http/interface-client.ts';
import { worlds, type World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { homeOutgoing } from '../../../../test/integration/git/outgoing-fixture.ts';
import { createGitApis } from '../../adapters/git-api/git-apis.ts';
import { createStores } from '../../composition/stores.ts';
import type { Database } from '../../db/database.ts';
import { systemClock } from '../../ports/clock.ts';
import { router } from '../../procedure/registry.ts';
import { gitProviderContract } from './contract.ts';
import { createGitProviders } from './git-provider.ts';
import { gitProviderHandlers } from './handlers.ts';

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const elliptic = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
}).privateKey;
const gitea = {
  provider: 'gitea',
  name: 'Ours',
  baseUrl: 'https://git.example.com/',
  accessToken: 'hidden-token',
};
const app = {
  provider: 'github',
  name: 'App',
  appId: '4242',
  installationId: '77',
  privateKey,
  webhookSecret: 'hidden-secret',
};

let host: GitHost;
beforeEach(async () => {
  host = await startGitHost();
});
afterEach(() => host[Symbol.asyncDispose]());

eachDatabase('git providers', (test) => {
  const createWorld = worlds(test);
  const begin = (): Promise<World> =>
    createWorld((database: Database) => [
      router(
        'gitProvider',
        gitProviderContract,
        gitProviderHandlers(
          createGitProviders(
            createStores(database).gitProviders,
            createGitApis(systemClock, homeOutgoing, `${host.url}/api/v3`),
            systemClock,
          ),
        ),
      ),
    ]);

  it('are made, shown without secrets, changed and removed', async () => {
    const { owner, database, place, people } = await begin();
    const made = await owner.mutate('gitProvider.create', gitea);
    const shown = {
      gitProviderId: expect.any(String),
      provider: 'gitea',
      name: 'Ours',
      baseUrl: 'https://git.example.com',
      apiUrl: 'https://git.example.com/api/v1',
      appId: null,
      installationId: null,
      username: null,
      createdAt: expect.any(String),
    };
    expect(made).toEqual(shown);
    const gitProviderId = textOf(made, 'gitProviderId');
    const github = await owner.mutate('gitProvider.create', app);
    expect(github).toMatchObject({
      baseUrl: 'https://github.com',
      apiUrl: 'https://api.github.com',
      appId: '4242',
      installationId: '77',
    });
    expect(
      await owner.mutate('gitProvider.create', { ...app, baseUrl: 'https://ghe.example.com' }),
    ).toMatchObject({ apiUrl: 'https://ghe.example.com/api/v3' });
    expect(JSON.stringify(await owner.query('gitProvider.all'))).not.toMatch(/hidden|PRIVATE/);
    expect(await owner.query('gitProvider.one', { gitProviderId })).toEqual(shown);
    expect(await owner.mutate('gitProvider.update', { gitProviderId, name: 'Theirs' })).toEqual({
      ...shown,
      name: 'Theirs',
    });
    expect(
      await owner.mutate('gitProvider.update', { gitProviderId, baseUrl: 'https://evil.example.com' }),
    ).toMatchObject({ code: 'BAD_REQUEST', fields: ['accessToken'] });
    expect(
      await owner.mutate('gitProvider.update', { gitProviderId, apiUrl: 'https://evil.example.com/api' }),
    ).toMatchObject({ code: 'BAD_REQUEST', fields: ['accessToken'] });
    expect(
      await owner.mutate('gitProvider.update', {
        gitProviderId,
        baseUrl: 'https://new.example.com',
        accessToken: 'hidden-other',
      }),
    ).toMatchObject({ apiUrl: 'https://new.example.com/api/v1' });
    const stores = createStores(database);
    await stores.applications.update({ applicationId: place.applicationId }, { githubId: gitProviderId });
    expect(await owner.mutate('gitProvider.remove', { gitProviderId })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('1 application'),
    });
    await stores.applications.update({ applicationId: place.applicationId }, { githubId: null });
    expect(await owner.mutate('gitProvider.remove', { gitProviderId })).toMatchObject({ name: 'Theirs' });
    expect(await stores.gitProviders.list({ organizationId: people.owner.organizationId })).toHaveLength(2);
  });

  it('take the App that GitHub made from a manifest, which waits for its installation', async () => {
    const { owner } = await begin();
    host.appPrivateKey = privateKey;
    const made = await owner.mutate('gitProvider.createFromManifest', { code: 'made' });
    expect(made).toMatchObject({
      provider: 'github',
      name: 'Berth of acme',
      appId: '4242',
      installationId: null,
      apiUrl: 'https://api.github.com',
      installUrl: 'https://github.com/apps/berth-of-acme/installations/new',
    });
    expect(JSON.stringify(made)).not.toMatch(/hidden|PRIVATE/);
    const gitProviderId = textOf(made, 'gitProviderId');
    expect(await owner.query('gitProvider.repositories', { gitProviderId })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('not installed anywhere yet'),
    });
    expect(await owner.mutate('gitProvider.update', { gitProviderId, name: 'Ours' })).toMatchObject({
      installationId: null,
    });
    expect(await owner.mutate('gitProvider.update', { gitProviderId, installationId: '77' })).toMatchObject({
      name: 'Ours',
      installationId: '77',
    });
    expect(await owner.mutate('gitProvider.update', { gitProviderId, installationId: null })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['installationId'],
    });
    expect(await owner.mutate('gitProvider.createFromManifest', { code: 'spent' })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('good once'),
    });
  });

  it.each<[object, string]>([
    [{ ...gitea, accessToken: undefined }, 'accessToken'],
    [{ ...gitea, accessToken: 'a\nb' }, 'accessToken'],
    [{ ...gitea, accessToken: 'tök en' }, 'accessToken'],
    [{ ...gitea, baseUrl: 'http://git.example.com' }, 'baseUrl'],
    [{ ...gitea, baseUrl: 'https://u:p@git.example.com' }, 'baseUrl'],
    [{ ...gitea, apiUrl: 'ftp://x' }, 'apiUrl'],
    [{ ...gitea, provider: 'svn' }, 'provider'],
    [{ ...gitea, name: '' }, 'name'],
    [{ ...app, appId: 'x' }, 'appId'],
    [{ ...app, appId: undefined }, 'appId'],
    [{ ...app, installationId: null }, 'installationId'],
    [{ ...app, privateKey: 'no key' }, 'privateKey'],
    [{ ...app, privateKey: elliptic }, 'privateKey'],
    [{ ...app, webhookSecret: '' }, 'webhookSecret'],
    [{ ...gitea, provider: 'bitbucket' }, 'username'],
  ])('refuse %o', async (input, field) => {
    const { owner } = await begin();
    expect(await owner.mutate('gitProvider.create', input)).toMatchObject({
      code: 'BAD_REQUEST',
      fields: [field],
    });
  });

  it('ask the host with their credential', async () => {
    const { owner, database } = await begin();
    const gitProviderId = textOf(
      await owner.mutate('gitProvider.create', { ...gitea, accessToken: acceptedToken }),
      'gitProviderId',
    );
    await createStores(database).gitProviders.update({ gitProviderId }, { apiUrl: `${host.url}/api/v1` });
    expect(await owner.mutate('gitProvider.testConnection', { gitProviderId })).toEqual({
      success: true,
      account: 'berth',
    });
    expect(await owner.query('gitProvider.repositories', { gitProviderId })).toEqual([
      { fullName: 'acme/shop', defaultBranch: 'main', isPrivate: true },
    ]);
    expect(await owner.query('gitProvider.branches', { gitProviderId, repository: 'acme/shop' })).toEqual([
      'main',
      'feature',
    ]);
    expect(
      await owner.query('gitProvider.branches', { gitProviderId, repository: 'acme/absent' }),
    ).toMatchObject({ code: 'NOT_FOUND' });
    await createStores(database).gitProviders.update({ gitProviderId }, { accessToken: 'wrong' });
    expect(await owner.mutate('gitProvider.testConnection', { gitProviderId })).toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
  });

  it(
    'are changed by Owner and Admin alone, chosen among by members who may, and hidden from other ' +
      'organizations',
    async () => {
      const { owner, member, stranger, nobody, people } = await begin();
      const gitProviderId = textOf(await owner.mutate('gitProvider.create', gitea), 'gitProviderId');
      const reads = (client: InterfaceClient, id = gitProviderId): Promise<unknown>[] => [
        client.query('gitProvider.one', { gitProviderId: id }),
        client.query('gitProvider.repositories', { gitProviderId: id }),
        client.query('gitProvider.branches', { gitProviderId: id, repository: 'a/b' }),
      ];
      const changes = (client: InterfaceClient, id = gitProviderId): Promise<unknown>[] => [
        client.mutate('gitProvider.update', { gitProviderId: id, name: 'x' }),
        client.mutate('gitProvider.remove', { gitProviderId: id }),
        client.mutate('gitProvider.testConnection', { gitProviderId: id }),
      ];
      for (const answer of await Promise.all([
        ...reads(nobody),
        ...changes(nobody),
        nobody.query('gitProvider.all'),
        nobody.mutate('gitProvider.create', gitea),
      ]))
        expect(answer).toMatchObject({ code: 'UNAUTHORIZED' });
      for (const answer of await Promise.all([
        ...reads(member),
        ...changes(member),
        member.query('gitProvider.all'),
        member.mutate('gitProvider.create', gitea),
      ]))
        expect(answer).toMatchObject({ code: 'FORBIDDEN' });
      for (const answer of await Promise.all([...reads(stranger), ...changes(stranger)]))
        expect(answer).toMatchObject({ code: 'FORBIDDEN' });
      for (const answer of await Promise.all([...reads(owner, 'nowhere'), ...changes(owner, 'nowhere')]))
        expect(answer).toMatchObject({ code: 'NOT_FOUND' });
      expect(await stranger.query('gitProvider.all')).toEqual([]);
      await people.grant({ canAccessToGitProviders: true });
      expect(await member.query('gitProvider.all')).toHaveLength(1);
      for (const answer of await Promise.all(changes(member)))
        expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    },
  );
});
