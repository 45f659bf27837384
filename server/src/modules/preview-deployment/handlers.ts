import type { ApplicationRecord } from '../../db/tables.ts';
import type { Live } from '../../domain/states/live.ts';
import { AppError } from '../../domain/errors.ts';
import { previewRef } from '../../domain/names/service-ref.ts';
import type { CallContext } from '../../procedure/context.ts';
import { paginate } from '../../procedure/input/page.ts';
import type { Handlers } from '../../procedure/procedure.ts';
import type { Applications } from '../application/application.ts';
import { startedBy } from '../deployment/deployment.ts';
import {
  composePreviewHandlers,
  shownComposePreview,
  type BareOne,
  type ComposePreviewHandlerDeps,
} from './compose/handlers.ts';
import type { ApprovePreview } from './approval/approve.ts';
import type { HeldPullRequests } from './approval/held.ts';
import { shownHeld } from './approval/shown.ts';
import type { PreviewByHand } from './by-hand/by-hand.ts';
import type { previewDeploymentContract } from './contract.ts';
import { environmentOfPreview } from './environment.ts';
import type { PreviewDeployments } from './preview-deployment.ts';
import { outputEvents } from '../service/output-events.ts';
import type { RemovePreview } from './removal/preview-removal.ts';
import { previewedRef, type AnyPreview, type Previewed } from './previewed.ts';
import type { PreviewRuntime } from './runtime.ts';
import { withDatabases, type ShowingDeps } from './databases/shown.ts';
import type { PreviewDeploymentRecord } from './store.ts';

export interface PreviewDesk extends ComposePreviewHandlerDeps {
  previewDatabases: ShowingDeps['previewDatabases'];
  applications: Pick<Applications, 'one' | 'placement'>;
  runtime: PreviewRuntime;
  remove: RemovePreview;
  pendingChanges(application: ApplicationRecord, preview: PreviewDeploymentRecord): Promise<string[]>;
  byHand: PreviewByHand;
  approve: ApprovePreview;
  held: Pick<HeldPullRequests, 'waiting'>;
}

type Shown = PreviewDeploymentRecord & { composeId: null; live: Live | null };
type PreviewHandlers = Handlers<typeof previewDeploymentContract, CallContext>;
type Bare = ReturnType<typeof shownComposePreview> | Shown;
/** Those that name the service in place of a preview. */
type OfService = 'all' | 'create' | 'waiting' | 'approve';
type OfPreview = Omit<PreviewHandlers, OfService | 'one'> & { one: BareOne };

export function previewDeploymentHandlers(previews: PreviewDeployments, desk: PreviewDesk): PreviewHandlers {
  const { composePreviews, liveOf } = desk;
  const ofApplications = applicationPreviewHandlers(previews, desk);
  const ofComposes = composePreviewHandlers(desk);
  const handlersOf = async (previewDeploymentId: string): Promise<OfPreview> =>
    (await composePreviews.find(previewDeploymentId)) ? ofComposes : ofApplications;
  const serviceOf = (
    { actor }: CallContext,
    { applicationId, composeId }: { applicationId?: string | undefined; composeId?: string | undefined },
  ): Promise<Previewed> =>
    applicationId
      ? desk.applications.one(applicationId, actor.organizationId)
      : desk.composes.one(composeId ?? '', actor.organizationId);
  const shownAny = (preview: AnyPreview) =>
    'composeId' in preview ? shownComposePreview(preview, liveOf) : ofApplications.shown(preview);
  const idOf = ({ previewDeploymentId }: { previewDeploymentId: string }): string => previewDeploymentId;
  return {
    async all(context, { applicationId, composeId, ...page }) {
      const { organizationId } = context.actor;
      const all: Bare[] = applicationId
        ? (await previews.byApplication(applicationId, organizationId)).map(ofApplications.shown)
        : (await composePreviews.byCompose(composeId ?? '', organizationId)).map((preview) =>
            shownComposePreview(preview, liveOf),
          );
      const shown = paginate(all, page, idOf);
      if (Array.isArray(shown)) return withDatabases(desk, context.actor, shown);
      return { ...shown, items: await withDatabases(desk, context.actor, shown.items) };
    },
    create: async (context, asked) =>
      shownAny(await desk.byHand(context, await serviceOf(context, asked), asked)),
    async waiting(context, { applicationId, composeId, ...page }) {
      const service = previewedRef(await serviceOf(context, { applicationId, composeId }));
      const all = (await desk.held.waiting(service)).map(shownHeld);
      return paginate(all, page, ({ pullRequestNumber }) => String(pullRequestNumber));
    },
    approve: async (context, asked) =>
      shownAny(await desk.approve(context, await serviceOf(context, asked), asked)),
    async one(context, input) {
      const whole = await (await handlersOf(idOf(input))).one(context, input);
      const [shown] = await withDatabases(desk, context.actor, [whole]);
      return { databases: [], errorMessage: null, ...whole, ...shown };
    },
    redeploy: async (context, input) => (await handlersOf(idOf(input))).redeploy(context, input),
    killBuild: async (context, input) => (await handlersOf(idOf(input))).killBuild(context, input),
    start: async (context, input) => (await handlersOf(idOf(input))).start(context, input),
    stop: async (context, input) => (await handlersOf(idOf(input))).stop(context, input),
    async *logs(context, input) {
      yield* (await handlersOf(idOf(input))).logs(context, input);
    },
    delete: async (context, input) => (await handlersOf(idOf(input))).delete(context, input),
  };
}

function applicationPreviewHandlers(
  previews: PreviewDeployments,
  desk: PreviewDesk,
): OfPreview & { shown(preview: PreviewDeploymentRecord): Shown } {
  const { applications, deployments, queue, interruption, remove, liveOf } = desk;
  const shown = (preview: PreviewDeploymentRecord): Shown => ({
    ...preview,
    composeId: null,
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
    shown,
    async start(context, { previewDeploymentId }) {
      const { liveDeploymentId } = await previews.one(previewDeploymentId, context.actor.organizationId);
      if (liveDeploymentId === null)
        throw new AppError('PRECONDITION_FAILED', 'The preview has no release yet: redeploy it first.');
      return byHand(context, previewDeploymentId, 'start');
    },
    stop: (context, { previewDeploymentId }) => byHand(context, previewDeploymentId, 'stop'),
    async one({ actor }, { previewDeploymentId }) {
      const preview = await previews.one(previewDeploymentId, actor.organizationId);
      const application = await applications.one(preview.applicationId, actor.organizationId);
      const { applicationId, name, appName, environmentId } = application;
      const environment = await environmentOfPreview(applications, environmentId);
      const pendingChanges = await desk.pendingChanges(application, preview);
      return {
        ...shown(preview),
        pendingChanges,
        application: { applicationId, name, appName, environment },
        compose: null,
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
