/** The compose service that is the preview of another one's pull request. Pure. */
import type { ComposeRecord, DomainRecord } from '../../../db/tables.ts';
import { previewAppName, previewHost } from '../../../domain/names/preview.ts';
import { previewVariables } from '../preview-variables.ts';
import type { PullRequestFacts } from '../preview-deployment.ts';

/** Made anew for each copy. */
interface Fresh {
  composeId: string;
  refreshToken: string;
  /** Makes its name on the engine another one than that of an earlier preview of the same pull request. */
  extra: string;
  createdAt: string;
}

export function copiedCompose(
  original: ComposeRecord,
  facts: PullRequestFacts,
  { domain, composeId, refreshToken, extra, createdAt }: Fresh & { domain: string },
): ComposeRecord {
  return {
    ...original,
    ...copiedSettings(original, facts, domain),
    composeId,
    refreshToken,
    createdAt,
    revision: 0,
    name: `${original.name} (pull request ${facts.number})`,
    appName: previewAppName(original.appName, facts.number, extra),
    composeStatus: 'running',
    releasedAppName: null,
    releasedSuffix: '',
    releasedServices: null,
    liveDeploymentId: null,
    isStopped: false,
    restoredVolumes: {},
    networkIndex: null,
    // A person approved what the original reaches of the machine, not what a pull request makes of it.
    approval: null,
    awaitsApproval: null,
  };
}

/** What follows the compose service at each deployment of the preview. */
export function copiedSettings(
  original: ComposeRecord,
  facts: Pick<PullRequestFacts, 'number' | 'provider' | 'isTrusted'>,
  domain: string,
): Partial<ComposeRecord> & Pick<ComposeRecord, 'env' | 'secretEnv'> {
  const { composeType, sourceType, composePath, createEnvFile, repository, owner, branch, gitHost } =
    original;
  const { githubId, customGitUrl, customGitBranch, customGitSSHKeyId, enableSubmodules } = original;
  const { customGitUsername, customGitPassword, composeId, randomize, suffix } = original;
  const { number, provider, isTrusted } = facts;
  return {
    composeType,
    sourceType,
    composePath,
    createEnvFile,
    repository,
    owner,
    branch,
    gitHost,
    githubId,
    customGitUrl,
    customGitBranch,
    customGitSSHKeyId,
    customGitUsername,
    customGitPassword,
    enableSubmodules,
    randomize,
    suffix,
    ...previewVariables(original, { isTrusted, domain }),
    previewOf: { composeId, number, provider, isTrusted },
    // Only its own pull request deploys it.
    autoDeploy: false,
    webhookSecret: null,
    isPreviewDeploymentsActive: false,
    previewEnv: null,
    previewSecretEnv: '',
    previewInherits: [],
  };
}

/**
 * Its domains with hosts below the wildcard: the first host becomes `preview-<appName>-<n>`, each other one
 * has the name of its service too.
 */
export function previewHosts(
  { appName }: Pick<ComposeRecord, 'appName'>,
  domains: readonly Pick<DomainRecord, 'asciiHost' | 'serviceName'>[],
  { wildcard, number }: { wildcard: string; number: number },
): Map<string, string> {
  const hosts = new Map<string, string>();
  const taken = new Set<string>();
  for (const { asciiHost, serviceName } of domains) {
    if (hosts.has(asciiHost)) continue;
    const names = [appName, `${serviceName ?? 'web'}-${appName}`, `${hosts.size}-${appName}`];
    const free = names
      .slice(hosts.size === 0 ? 0 : 1)
      .map((name) => previewHost(wildcard, name, number))
      .find((host) => !taken.has(host));
    if (free === undefined) continue;
    hosts.set(asciiHost, free);
    taken.add(free);
  }
  return hosts;
}
