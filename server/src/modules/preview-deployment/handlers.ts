import type { ApplicationRecord } from '../../db/tables.ts';
import type { Live } from '../../domain/states/live.ts';
import { AppError } from '../../domain/errors.ts';
import { previewRef } from '../../domain/names/service-ref.ts';
import type { Queue } from '../../ports/queue.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { Applications } from '../application/application.ts';
import { startedBy, type Deployments } from '../deployment/deployment.ts';
import type { Interruption } from '../interruption/interruption.ts';
import type { previewDeploymentContract } from './contract.ts';
import type { PreviewDeployments } from './preview-deployment.ts';
import { outputEvents } from '../service/output-events.ts';
import type { LiveReader } from '../service/service.ts';
import type { RemovePreview } from './preview-removal.ts';
import type { PreviewRuntime } from './runtime.ts';
import type { PreviewDeploymentRecord } from './store.ts';

export interface PreviewDesk {
  applications: Pick<Applications, 'one' | 'placement'>;
  deployments: Pick<Deployments, 'accept'>;
  queue: Pick<Queue, 'wake'>;
  interruption: Pick<Interruption, 'endThen' | 'killBuild'>;
  runtime: PreviewRuntime;
  remove: RemovePreview;
  liveOf: LiveReader;
  pendingChanges(application: ApplicationRecord, preview: PreviewDeploymentRecord): Promise<string[]>;
}

type Shown = PreviewDeploymentRecord & { live: Live | null };

export function previewDeploymentHandlers(
  previews: PreviewDeployments,
  desk: PreviewDesk,
): Handlers<typeof previewDeploymentContract, CallContext> {
  const { applications, deployments, queue, interruption, remove, liveOf } = desk;
  const shown = (preview: PreviewDeploymentRecord): Shown => ({
    ...preview,
    live: liveOf(previewRef(preview.previewDeploymentId)),
  });
  /** Ends a deployment that is under way, then does it to the preview as it is then. */
  async function byHand(
    { actor }: CallContext,
    previewDeploymentId: string,
    operation: 'start' | 'stop',
  ): Promise<Shown> {
    const found = (): Promise<PreviewDeploymentRecord> =>
      previews.one(previewDeploymentId, actor.organizationId);
    const application = await applications.one((await found()).applicationId, actor.organizationId);
    await interruption.endThen(
      previewRef(previewDeploymentId),
      { operation, userId: actor.userId },
      async () => desk.runtime[operation](application, await found()),
    );
    return shown(await found());
  }
  return {
    async start(context, { previewDeploymentId }) {
      const { liveDeploymentId } = await previews.one(previewDeploymentId, context.actor.organizationId);
      if (liveDeploymentId === null)
        throw new AppError('PRECONDITION_FAILED', 'The preview has no release yet: redeploy it first.');
      return byHand(context, previewDeploymentId, 'start');
    },
    stop: (context, { previewDeploymentId }) => byHand(context, previewDeploymentId, 'stop'),
    all: async ({ actor }, input) =>
      paginate(
        (await previews.byApplication(input.applicationId, actor.organizationId)).map(shown),
        input,
        ({ previewDeploymentId }) => previewDeploymentId,
      ),
    async one({ actor }, { previewDeploymentId }) {
      const preview = await previews.one(previewDeploymentId, actor.organizationId);
      const application = await applications.one(preview.applicationId, actor.organizationId);
      const { applicationId, name, appName, environmentId } = application;
      const { environmentName, projectId, projectName, organizationId } =
        await applications.placement(environmentId);
      const environment = {
        environmentId,
        name: environmentName,
        projectId,
        project: { projectId, name: projectName, organizationId },
      };
      const pendingChanges = await desk.pendingChanges(application, preview);
      return {
        ...shown(preview),
        pendingChanges,
        application: { applicationId, name, appName, environment },
      };
    },
    async redeploy({ actor, write, announce }, { previewDeploymentId, title, description }) {
      const { deploymentId } = await write(async () => {
        const { commit } = await previews.one(previewDeploymentId, actor.organizationId);
        return deployments.accept(previewRef(previewDeploymentId), {
          kind: 'redeploy',
          startedBy: startedBy(actor),
          title,
          description,
          commit: commit ?? undefined,
        });
      });
      queue.wake();
      announce(deploymentId);
      return true;
    },
    async killBuild({ actor }, { previewDeploymentId }) {
      await interruption.killBuild(
        previewRef((await previews.one(previewDeploymentId, actor.organizationId)).previewDeploymentId),
      );
      return shown(await previews.one(previewDeploymentId, actor.organizationId));
    },
    async *logs(context, { previewDeploymentId, tail }) {
      const { organizationId } = context.actor;
      const preview = await previews.one(previewDeploymentId, organizationId);
      const application = await applications.one(preview.applicationId, organizationId);
      yield* outputEvents(context, desk.runtime.output(application, preview, tail));
    },
    async delete({ actor, write }, { previewDeploymentId }) {
      const preview = await previews.one(previewDeploymentId, actor.organizationId);
      const application = await applications.one(preview.applicationId, actor.organizationId);
      await remove(application, preview, { write, userId: actor.userId });
      return true;
    },
  };
}
