/** Links to git hosts: records, and what is asked of the hosts with them. */
import { refuseWhileUsed } from '../../domain/text/used.ts';
import { AppError } from '../../domain/errors.ts';
import { gitHosts, type GitProvider } from '../../domain/git/git-host.ts';
import { Secret } from '../../domain/secrets/secret.ts';
import { isoTime, randomId, type Clock } from '../../ports/clock.ts';
import type { GitApi, GitApis } from '../../ports/git-api.ts';
import {
  checkedProvider,
  refuseMovedCredential,
  type GitProviderInput,
  type GitProviderRecord,
} from './git-provider-rules.ts';
import type { GitProviderStore } from './store.ts';

/** A link without its secrets. */
export type PublicGitProvider = Omit<
  GitProviderRecord,
  'provider' | 'privateKey' | 'webhookSecret' | 'accessToken'
> & { provider: GitProvider };

/** A link as a source of repositories. */
export interface GitLinkAccess {
  provider: GitProvider;
  baseUrl: string;
  credentials: { username: string; password: Secret };
}

type Keep = <T>(work: () => Promise<T>) => Promise<T>;

export interface GitProviders {
  create(
    organizationId: string,
    input: GitProviderInput & { provider: GitProvider; name: string },
  ): Promise<PublicGitProvider>;
  /**
   * The App that GitHub made from a manifest, by its code; `keep` runs what is stored in one transaction. It
   * has no installation yet.
   */
  createFromManifest(
    organizationId: string,
    code: string,
    keep: Keep,
  ): Promise<PublicGitProvider & { installUrl: string }>;
  one(gitProviderId: string, organizationId: string): Promise<PublicGitProvider>;
  /** Newest first. */
  all(organizationId: string): Promise<PublicGitProvider[]>;
  update(gitProviderId: string, organizationId: string, input: GitProviderInput): Promise<PublicGitProvider>;
  /** PRECONDITION_FAILED while something names it. */
  remove(gitProviderId: string, organizationId: string): Promise<PublicGitProvider>;
  /** The host's interface with the link's credential. */
  api(gitProviderId: string, organizationId: string): Promise<GitApi>;
  /** What git fetches with; asks the host for a token where the link is an App. */
  access(gitProviderId: string, organizationId: string): Promise<GitLinkAccess>;
}

export function createGitProviders(store: GitProviderStore, apis: GitApis, clock: Clock): GitProviders {
  return {
    async create(organizationId, { provider, ...input }) {
      const record = checkedProvider(newLink(organizationId, provider, input.name, isoTime(clock)), input);
      await store.insert(record);
      return withoutSecrets(record);
    },
    async createFromManifest(organizationId, code, keep) {
      const { address, appId, name, privateKey, webhookSecret } = await apis.appOfManifest(
        organizationId,
        code,
      );
      const record = checkedProvider(
        newLink(organizationId, 'github', name, isoTime(clock)),
        { appId, privateKey: privateKey.reveal(), webhookSecret: webhookSecret.reveal() },
        { awaitsInstallation: true },
      );
      await keep(() => store.insert(record));
      return { ...withoutSecrets(record), installUrl: `${address}/installations/new` };
    },
    one: async (gitProviderId, organizationId) =>
      withoutSecrets(await found(store, gitProviderId, organizationId)),
    all: async (organizationId) =>
      (await store.list({ organizationId }, { by: ['createdAt', 'gitProviderId'], direction: 'desc' })).map(
        withoutSecrets,
      ),
    async update(gitProviderId, organizationId, input) {
      const present = await found(store, gitProviderId, organizationId);
      const awaitsInstallation = present.provider === 'github' && present.installationId === null;
      const changed = checkedProvider(present, input, { awaitsInstallation });
      refuseMovedCredential(present, changed, input);
      await store.update({ gitProviderId, organizationId }, changed);
      return withoutSecrets(changed);
    },
    async remove(gitProviderId, organizationId) {
      const record = await found(store, gitProviderId, organizationId);
      refuseWhileUsed(
        `The git provider ${record.name}`,
        await store.uses(gitProviderId),
        () => 'Move those services to another provider first.',
      );
      await store.remove({ gitProviderId, organizationId });
      return withoutSecrets(record);
    },
    api: async (gitProviderId, organizationId) =>
      apiOf(apis, await found(store, gitProviderId, organizationId)),
    async access(gitProviderId, organizationId) {
      const record = await found(store, gitProviderId, organizationId);
      const provider = record.provider;
      const password = await apiOf(apis, record).token();
      const { baseUrl } = record;
      return { provider, baseUrl, credentials: { username: gitHosts[provider].gitUser, password } };
    },
  };
}

async function found(
  store: GitProviderStore,
  gitProviderId: string,
  organizationId: string,
): Promise<GitProviderRecord> {
  const record = await store.find({ gitProviderId, organizationId });
  if (!record)
    throw new AppError(
      'NOT_FOUND',
      'There is no such git provider. It may have been removed; choose another with ' +
        'application.save…Provider.',
    );
  return record;
}

/** A link before its fields are checked and set. */
function newLink(
  organizationId: string,
  provider: GitProvider,
  name: string,
  createdAt: string,
): GitProviderRecord {
  return {
    gitProviderId: randomId(),
    organizationId,
    provider,
    name,
    createdAt,
    baseUrl: '',
    apiUrl: '',
    appId: null,
    installationId: null,
    username: null,
    privateKey: null,
    webhookSecret: null,
    accessToken: null,
  };
}

function apiOf(apis: GitApis, record: GitProviderRecord): GitApi {
  const { organizationId, appId, installationId, privateKey, accessToken, apiUrl, username } = record;
  const isApp = record.provider === 'github';
  if (isApp && installationId === null)
    throw new AppError(
      'PRECONDITION_FAILED',
      `The GitHub App ${record.name} is not installed anywhere yet. Install it on its page at GitHub, ` +
        'which leads back here, or set its installationId with gitProvider.update.',
    );
  return apis.connect({
    organizationId,
    provider: record.provider,
    apiUrl,
    workspace: username,
    credential: isApp
      ? {
          kind: 'app',
          appId: appId ?? '',
          installationId: installationId ?? '',
          privateKey: new Secret(privateKey ?? ''),
        }
      : { kind: 'token', token: new Secret(accessToken ?? '') },
  });
}

function withoutSecrets({
  privateKey: _key,
  webhookSecret: _secret,
  accessToken: _token,
  provider,
  ...shown
}: GitProviderRecord): PublicGitProvider {
  return { ...shown, provider: provider };
}
