/** Previews as their databases see them. */
import type { ApplicationRecord, ComposeRecord, DeploymentRecord } from '../../../db/tables.ts';
import type { ComposePreview, PreviewDeploymentRecord } from '../store.ts';
import type { PreviewOfDatabases } from './preview-databases.ts';

interface SubjectStores {
  applications: { find(where: { applicationId: string }): Promise<ApplicationRecord | undefined> };
  composes: { find(where: { composeId: string }): Promise<ComposeRecord | undefined> };
  previewDeployments: {
    find(where: { previewDeploymentId: string }): Promise<PreviewDeploymentRecord | undefined>;
  };
  composePreviews: { find(where: { previewDeploymentId: string }): Promise<ComposePreview | undefined> };
}

/** The preview that a deployment is of; undefined for any other service. */
export function previewSubjects(stores: SubjectStores) {
  return async ({
    previewDeploymentId,
    composeId,
  }: DeploymentRecord): Promise<PreviewOfDatabases | undefined> => {
    if (previewDeploymentId !== null) {
      const preview = await stores.previewDeployments.find({ previewDeploymentId });
      return (
        preview &&
        subjectOf(preview, await stores.applications.find({ applicationId: preview.applicationId }))
      );
    }
    const preview =
      composeId === null ? undefined : await stores.composePreviews.find({ previewDeploymentId: composeId });
    return preview && subjectOf(preview, await stores.composes.find({ composeId: preview.composeId }));
  };
}

function subjectOf(
  preview: PreviewDeploymentRecord | ComposePreview,
  service: ApplicationRecord | ComposeRecord | undefined,
): PreviewOfDatabases | undefined {
  const { previewDeploymentId, pullRequestNumber: number, name, isTrusted, isFork } = preview;
  return (
    service && {
      previewDeploymentId,
      organizationId: service.organizationId,
      environmentId: service.environmentId,
      serverId: service.serverId,
      number,
      name,
      isTrusted,
      isFork,
      wanted: service.previewDatabases,
    }
  );
}
