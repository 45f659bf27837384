/** Where the service stands that a preview is of. */
import type { Applications } from '../application/application.ts';

export async function environmentOfPreview(
  { placement }: Pick<Applications, 'placement'>,
  environmentId: string,
) {
  const { environmentName, projectId, projectName, organizationId } = await placement(environmentId);
  return {
    environmentId,
    name: environmentName,
    projectId,
    project: { projectId, name: projectName, organizationId },
  };
}
