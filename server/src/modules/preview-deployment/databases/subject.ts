/** Previews as their databases see them. */
import type { ApplicationRecord, ComposeRecord, DeploymentRecord } from '../../../db/tables.ts';
import type { ComposePreview, PreviewDeploymentRecord } from '../store.ts';
import type { PreviewDatabases, PreviewOfDatabases, Telling } from './preview-databases.ts';

interface SubjectStores {
  applications: { find(where: { applicationId: string }): Promise<ApplicationRecord | undefined> };
  composes: { find(where: { composeId: string }): Promise<ComposeRecord | undefined> };
  previewDeployments: {
    find(where: { previewDeploymentId: string }): Promise<PreviewDeploymentRecord | undefined>;
  };
  composePreviews: { find(where: { previewDeploymentId: string }): Promise<ComposePreview | undefined> };
}

/**
 * Makes the databases of the preview that a deployment is of; resolves with the wait for their data,
 * undefined where there are none.
 */
export function beginPreviewDatabases(stores: SubjectStores, databases: PreviewDatabases) {
  const previewOf = previewSubjects(stores);
  return async (
    deployment: DeploymentRecord,
    say: (line: string) => void,
  ): Promise<((telling: Telling) => Promise<void>) | undefined> => {
    const preview = await previewOf(deployment);
    const count = preview ? await databases.ensure(preview, say) : 0;
    return preview && count > 0 ? (telling) => databases.awaitFilled(preview, telling) : undefined;
  };
}

/** The preview that a deployment is of; undefined for any other service. */
function previewSubjects(stores: SubjectStores) {
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
