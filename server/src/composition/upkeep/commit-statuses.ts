/** Statuses of commits at git hosts, joined with what is deployed. */
import { addressOf } from '../../domain/routing/address.ts';
import { isGitProvider, type GitSourceFields } from '../../domain/git/git-host.ts';
import { createCommitStatusJob, type CommitStatusPorts } from '../../modules/git-provider/commit-status.ts';
import type { Ground } from '../ground.ts';
import type { Product } from '../product.ts';
import type { Stores } from '../stores.ts';

type SourceStores = Pick<
  Stores,
  'applications' | 'composes' | 'previewDeployments' | 'environments' | 'projects'
>;

/** The link and the repository of what is deployed; undefined where there is nobody to tell. */
export function linkedSource(stores: SourceStores): CommitStatusPorts['linked'] {
  const { applications, composes, previewDeployments } = stores;
  return async ({ applicationId, composeId, previewDeploymentId }) => {
    if (composeId !== null) return sourceOf(stores, await composes.find({ composeId }));
    if (applicationId !== null) return sourceOf(stores, await applications.find({ applicationId }));
    if (previewDeploymentId === null) return undefined;
    const preview = await previewDeployments.find({ previewDeploymentId });
    const application = preview && (await applications.find({ applicationId: preview.applicationId }));
    return application && sourceOf(stores, application, preview.appName);
  };
}

interface Linked extends GitSourceFields {
  /** Unique in the installation; of one name and one repository several organizations may have a service. */
  appName: string;
  environmentId: string;
  organizationId: string;
  githubId: string | null;
}

/** What GitHub takes. */
const environmentLimit = 255;

async function sourceOf(
  { environments, projects }: SourceStores,
  record: Linked | undefined,
  preview?: string,
): ReturnType<CommitStatusPorts['linked']> {
  if (!record) return undefined;
  const { githubId, organizationId, environmentId, sourceType, owner, repository } = record;
  if (githubId === null || !isGitProvider(sourceType) || !owner || !repository) return undefined;
  const environment = await environments.find({ environmentId, organizationId });
  const project = environment && (await projects.find({ projectId: environment.projectId, organizationId }));
  if (!project) return undefined;
  const name = preview ?? record.appName;
  return {
    gitProviderId: githubId,
    organizationId,
    repository: `${owner}/${repository.replace(/\.git$/, '')}`,
    name,
    environment: `${project.name}/${environment.name}/${name}`.slice(0, environmentLimit),
    isPreview: preview !== undefined,
  };
}

export function commitStatusJobOf(
  { stores, config, log }: Pick<Ground, 'stores' | 'config' | 'log'>,
  { gitProviders, settings }: Pick<Product, 'gitProviders' | 'settings'>,
): ReturnType<typeof createCommitStatusJob> {
  return createCommitStatusJob({
    deployment: (deploymentId) => stores.deployments.find({ deploymentId }),
    linked: linkedSource(stores),
    api: gitProviders.api,
    async address({ applicationId, composeId, previewDeploymentId }) {
      const owner =
        applicationId !== null
          ? { applicationId }
          : composeId !== null
            ? { composeId }
            : { previewDeploymentId: previewDeploymentId ?? '' };
      const [domain] = await stores.domains.list(owner, { by: ['createdAt', 'domainId'], direction: 'asc' });
      return domain && addressOf(domain);
    },
    async page(deploymentId) {
      const { host } = await settings.get();
      return new URL(`/deployments/${deploymentId}`, host === null ? config.url : `https://${host}`).href;
    },
    warn: (sentence) => log.warn(sentence),
  });
}
