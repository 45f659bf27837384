import { notYet } from '../../domain/errors.ts';
import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { Applications } from '../application/application.ts';
import type { previewDeploymentContract } from './contract.ts';
import type { PreviewDeployments } from './preview-deployment.ts';

export interface PreviewDesk {
  applications: Pick<Applications, 'one' | 'placement'>;
  changeRoutes: ChangeRoutes;
}

export function previewDeploymentHandlers(previews: PreviewDeployments, { applications, changeRoutes }: PreviewDesk): Handlers<typeof previewDeploymentContract, CallContext> {
  return {
    all: async ({ actor }, input) => paginate(await previews.byApplication(input.applicationId, actor.organizationId), input, ({ previewDeploymentId }) => previewDeploymentId),
    async one({ actor }, { previewDeploymentId }) {
      const preview = await previews.one(previewDeploymentId, actor.organizationId);
      const { applicationId, name, appName, environmentId } = await applications.one(preview.applicationId, actor.organizationId);
      const { environmentName, projectId, projectName, organizationId } = await applications.placement(environmentId);
      const environment = { environmentId, name: environmentName, projectId, project: { projectId, name: projectName, organizationId } };
      return { ...preview, application: { applicationId, name, appName, environment } };
    },
    async redeploy() {
      throw notYet('Building previews of pull requests');
    },
    async delete(context, { previewDeploymentId }) {
      await changeRoutes(context.write, () => previews.remove(previewDeploymentId, context.actor.organizationId));
      return true;
    },
  };
}
