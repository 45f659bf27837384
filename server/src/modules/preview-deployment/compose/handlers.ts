/** Previews of compose services by hand; each is a compose service, whose operations are used. */
import type { z } from 'zod';
import type { ComposeRecord } from '../../../db/tables.ts';
import { AppError } from '../../../domain/errors.ts';
import { composeRef } from '../../../domain/names/service-ref.ts';
import type { Live } from '../../../domain/states/live.ts';
import type { CallContext } from '../../../procedure/context.ts';
import type { Handlers } from '../../../procedure/procedure.ts';
import type { Composes } from '../../compose/compose.ts';
import type { Applications } from '../../application/application.ts';
import { startedBy, type Deployments } from '../../deployment/deployment.ts';
import type { Interruption } from '../../interruption/interruption.ts';
import { outputEvents, type OutputLine } from '../../service/output-events.ts';
import type { FollowOptions, OutputOptions } from '../../service/own-service.ts';
import type { LiveReader } from '../../service/service.ts';
import type { Queue } from '../../../ports/queue.ts';
import type { previewDeploymentContract } from '../contract.ts';
import { environmentOfPreview } from '../environment.ts';
import { copiedSettings } from './compose-copy.ts';
import type { wholePreviewDeployment } from '../record.ts';
import type { ComposePreview } from '../store.ts';
import type { ComposePreviews } from './compose-previews.ts';

/** What is done by hand to the compose service that is a preview. */
interface ComposeByHand {
  start(compose: ComposeRecord): Promise<unknown>;
  stop(compose: ComposeRecord): Promise<unknown>;
  readLogs(compose: ComposeRecord, options: OutputOptions): Promise<OutputLine[]>;
  followLogs(compose: ComposeRecord, options: FollowOptions): AsyncIterable<OutputLine>;
}

export interface ComposePreviewHandlerDeps {
  composePreviews: ComposePreviews;
  composes: Pick<Composes, 'one' | 'patch'>;
  applications: Pick<Applications, 'placement'>;
  deployments: Pick<Deployments, 'accept'>;
  queue: Pick<Queue, 'wake'>;
  interruption: Pick<Interruption, 'endThen' | 'killBuild'>;
  composeRuntime: ComposeByHand;
  liveOf: LiveReader;
  composePendingChanges(compose: ComposeRecord): Promise<string[]>;
}

type Shown = Omit<ComposePreview, 'composeId'> & {
  applicationId: null;
  image: null;
  composeId: string;
  live: Live | null;
};

/** A preview with what it is of, before its databases are added. */
export type BareOne = (
  context: CallContext,
  input: { previewDeploymentId: string },
) => Promise<Omit<z.output<typeof wholePreviewDeployment>, 'databases' | 'errorMessage'>>;

type OfOne = Omit<
  Handlers<typeof previewDeploymentContract, CallContext>,
  'all' | 'create' | 'waiting' | 'approve' | 'one'
> & { one: BareOne };

/** Without those that name the service. */
export function composePreviewHandlers(deps: ComposePreviewHandlerDeps): OfOne {
  const { composePreviews, composes, interruption, composeRuntime } = deps;
  const found = ({ actor }: CallContext, id: string): Promise<ComposePreview> =>
    composePreviews.one(id, actor.organizationId);
  const show = (preview: ComposePreview): Shown => shownComposePreview(preview, deps.liveOf);

  async function byHand(context: CallContext, id: string, operation: 'start' | 'stop'): Promise<Shown> {
    const { organizationId, userId } = context.actor;
    await interruption.endThen(composeRef(id), { operation, userId }, async () =>
      composeRuntime[operation](await composes.one(id, organizationId)),
    );
    return show(await found(context, id));
  }

  return {
    async one(context, { previewDeploymentId }) {
      const preview = await found(context, previewDeploymentId);
      const { organizationId } = context.actor;
      const original = await composes.one(preview.composeId, organizationId);
      const copy = await composes.one(previewDeploymentId, organizationId);
      const { composeId, name, appName, environmentId } = original;
      const environment = await environmentOfPreview(deps.applications, environmentId);
      return {
        ...show(preview),
        domainId: null,
        pendingChanges: await deps.composePendingChanges(copy),
        application: null,
        compose: { composeId, name, appName, environment },
      };
    },
    redeploy: (context, input) => redeploy(deps, context, input),
    async killBuild(context, { previewDeploymentId }) {
      await interruption.killBuild(
        composeRef((await found(context, previewDeploymentId)).previewDeploymentId),
      );
      return show(await found(context, previewDeploymentId));
    },
    async start(context, { previewDeploymentId }) {
      if ((await found(context, previewDeploymentId)).liveDeploymentId === null)
        throw new AppError('PRECONDITION_FAILED', 'The preview has no release yet: redeploy it first.');
      return byHand(context, previewDeploymentId, 'start');
    },
    stop: (context, { previewDeploymentId }) => byHand(context, previewDeploymentId, 'stop'),
    async *logs(context, { previewDeploymentId, tail }) {
      const compose = await composes.one(previewDeploymentId, context.actor.organizationId);
      yield* outputEvents(context, {
        read: (options) => composeRuntime.readLogs(compose, { tail, ...options }),
        follow: (options) => composeRuntime.followLogs(compose, { tail, ...options }),
      });
    },
    async delete(context, { previewDeploymentId }) {
      const { actor, write } = context;
      const preview = await found(context, previewDeploymentId);
      const original = await composes.one(preview.composeId, actor.organizationId);
      await composePreviews.remove(original, preview, { write, userId: actor.userId });
      return true;
    },
  };
}

/** Brings the copy to the settings of its compose service first. */
async function redeploy(
  { composePreviews, composes, deployments, queue }: ComposePreviewHandlerDeps,
  { actor, write, announce }: CallContext,
  {
    previewDeploymentId,
    title,
    description,
  }: { previewDeploymentId: string; title: string; description: string },
): Promise<true> {
  const { deploymentId } = await write(async () => {
    const preview = await composePreviews.one(previewDeploymentId, actor.organizationId);
    const original = await composes.one(preview.composeId, actor.organizationId);
    const { commit, domain, pullRequestNumber: number, branch: headBranch } = preview;
    const facts = { ...preview, number, headBranch };
    await composes.patch(previewDeploymentId, copiedSettings(original, facts, domain));
    return deployments.accept(composeRef(previewDeploymentId), {
      kind: 'deploy',
      startedBy: startedBy(actor),
      title,
      description,
      commit: commit ?? undefined,
    });
  });
  queue.wake();
  announce(deploymentId);
  return true;
}

export function shownComposePreview(preview: ComposePreview, liveOf: LiveReader): Shown {
  return {
    ...preview,
    applicationId: null,
    image: null,
    live: liveOf(composeRef(preview.previewDeploymentId)),
  };
}
