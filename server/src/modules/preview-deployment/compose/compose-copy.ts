/** The compose service that is a preview of another one. Pure. */
import type { ComposeRecord, DomainRecord } from '../../../db/tables.ts';
import { previewAppName, previewHost, previewTag } from '../../../domain/names/preview.ts';
import { previewVariables } from '../preview-variables.ts';
import type { PreviewFacts } from '../preview-deployment.ts';
import { previewTitle } from '../previewed.ts';

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
  facts: PreviewFacts,
  { domain, composeId, refreshToken, extra, createdAt }: Fresh & { domain: string },
): ComposeRecord {
  return {
    ...original,
    ...copiedSettings(original, facts, domain),
    composeId,
    refreshToken,
    createdAt,
    revision: 0,
    name: previewTitle(original, facts),
    appName: previewAppName(original.appName, previewTag(facts), extra),
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
  facts: Pick<PreviewFacts, 'number' | 'provider' | 'isTrusted' | 'headBranch'>,
  domain: string,
): Partial<ComposeRecord> & Pick<ComposeRecord, 'env' | 'secretEnv'> {
  const { composeType, sourceType, composePath, createEnvFile, repository, owner, gitHost } = original;
  const { githubId, customGitUrl, customGitSSHKeyId, enableSubmodules } = original;
  const { customGitUsername, customGitPassword, composeId, randomize, suffix } = original;
  const { number, provider, isTrusted, headBranch } = facts;
  // A pull request names its commit, and its branch may be one of a fork.
  const isBranchOfOwn = number === null && headBranch !== '';
  return {
    composeType,
    sourceType,
    composePath,
    createEnvFile,
    repository,
    owner,
    branch: isBranchOfOwn ? headBranch : original.branch,
    gitHost,
    githubId,
    customGitUrl,
    customGitBranch: isBranchOfOwn ? headBranch : original.customGitBranch,
    customGitSSHKeyId,
    customGitUsername,
    customGitPassword,
    enableSubmodules,
    randomize,
    suffix,
    ...previewVariables(original, { isTrusted, domain }),
    previewOf: { composeId, number, provider, isTrusted },
    // Only its own pull request, or whoever made it by hand, deploys it.
    autoDeploy: false,
    webhookSecret: null,
    isPreviewDeploymentsActive: false,
    previewEnv: null,
    previewSecretEnv: '',
    previewInherits: [],
    previewDatabases: [],
  };
}

/**
 * Its domains with hosts below the wildcard: the first host becomes `preview-<appName>-<tag>`, each other one
 * has the name of its service too.
 */
export function previewHosts(
  { appName }: Pick<ComposeRecord, 'appName'>,
  domains: readonly Pick<DomainRecord, 'asciiHost' | 'serviceName'>[],
  { wildcard, tag }: { wildcard: string; tag: string },
): Map<string, string> {
  const hosts = new Map<string, string>();
  const taken = new Set<string>();
  for (const { asciiHost, serviceName } of domains) {
    if (hosts.has(asciiHost)) continue;
    const names = [appName, `${serviceName ?? 'web'}-${appName}`, `${hosts.size}-${appName}`];
    const free = names
      .slice(hosts.size === 0 ? 0 : 1)
      .map((name) => previewHost(wildcard, name, tag))
      .find((host) => !taken.has(host));
    if (free === undefined) continue;
    hosts.set(asciiHost, free);
    taken.add(free);
  }
  return hosts;
}
