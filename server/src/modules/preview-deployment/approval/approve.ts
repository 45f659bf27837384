/** The approval of exactly one commit of a pull request that waits: it becomes the preview. */
import { AppError } from '../../../domain/errors.ts';
import type { CallContext } from '../../../procedure/context.ts';
import { startedBy } from '../../deployment/deployment.ts';
import { makeOrRenew, type MakeOrRenewDeps } from '../by-hand/make-or-renew.ts';
import { previewedRef, type AnyPreview, type Previewed } from '../previewed.ts';
import { deploymentOf, factsOf } from '../pull-request/pull-request.ts';
import type { PullRequestStates } from '../pull-request/pull-request-state.ts';
import { whyNoPreview } from '../pull-request/verdict.ts';
import type { HeldPullRequests } from './held.ts';
import type { HeldPullRequest } from '../store.ts';

export interface AskedApproval {
  pullRequestNumber: number;
  /** Whole id of the commit that the person has read. */
  commit: string;
  /** Gives it the variables and secrets of previews. */
  withVariables: boolean;
}

export interface ApprovalDeps extends MakeOrRenewDeps {
  held: Pick<HeldPullRequests, 'find' | 'approve'>;
  states: Pick<PullRequestStates, 'isSuperseded'>;
}

/** Resolves with the preview as it is once its deployment was accepted. */
export type ApprovePreview = (
  context: CallContext,
  service: Previewed,
  asked: AskedApproval,
) => Promise<AnyPreview>;

export function createApprovePreview({ held, states, ...deps }: ApprovalDeps): ApprovePreview {
  return async (context, service, asked) => {
    const { pullRequestNumber: number, commit, withVariables: hasVariables } = asked;
    const ref = previewedRef(service);
    const { provider, event } = await requireHeld(held, service, asked);
    const accepting = deploymentOf(event, commit);
    return makeOrRenew(deps, context, service, {
      facts: factsOf(provider, event, { commit, isTrusted: hasVariables }),
      accepting: { ...accepting, startedBy: startedBy(context.actor) },
      async check() {
        const now = await requireHeld(held, service, asked);
        const why = (await states.isSuperseded(ref, now.event))
          ? 'a newer event of it was handled'
          : whyNoPreview(service, now.provider, now.event);
        if (why !== undefined)
          throw new AppError('CONFLICT', `The pull request ${number} gets no preview: ${why}.`);
        const { userId } = context.actor;
        await held.approve(ref, number, { commit, hasVariables, userId });
      },
    });
  };
}

/** The pull request with this commit as its newest. */
async function requireHeld(
  held: Pick<HeldPullRequests, 'find'>,
  service: Previewed,
  { pullRequestNumber, commit }: AskedApproval,
): Promise<HeldPullRequest> {
  const found = await held.find(previewedRef(service), pullRequestNumber);
  if (!found)
    throw new AppError(
      'NOT_FOUND',
      `No pull request ${pullRequestNumber} of ${service.name} waits for an approval; ` +
        'previewDeployment.waiting lists those that do.',
    );
  if (found.commit === commit) return found;
  throw new AppError(
    'CONFLICT',
    `The newest commit of the pull request ${pullRequestNumber} is ${found.commit}, not ${commit}. Look at ` +
      'it, and approve that one.',
  );
}
