/** The link and the repository of what is deployed. */
import type { ApplicationRecord, ComposeRecord } from '../../db/tables.ts';
import { isGitProvider, type GitSourceFields } from '../../domain/git/git-host.ts';
import type { CommitStatusPorts } from './commit-status.ts';

interface Finder<W, R> {
  find(where: W): Promise<R | undefined>;
}

export interface SourceStores {
  applications: Finder<{ applicationId: string }, ApplicationRecord>;
  composes: Finder<{ composeId: string }, ComposeRecord>;
  previewDeployments: Finder<{ previewDeploymentId: string }, { applicationId: string; appName: string }>;
  environments: Finder<
    { environmentId: string; organizationId: string },
    { projectId: string; name: string }
  >;
  projects: Finder<{ projectId: string; organizationId: string }, { name: string }>;
}

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
