/** Approvals of what a compose file asks of the machine (decisions 8): given, shown, and what waits. */
import type { ComposeRecord } from '../../db/tables.ts';
import { canonical, uncovered, type Danger } from '../../domain/access/danger.ts';
import type { SurroundingBlocks } from '../../domain/variables/env.ts';
import { AppError } from '../../domain/errors.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { composeRef } from '../../domain/names/service-ref.ts';
import type { CallContext } from '../../procedure/context.ts';
import type { Approver, HostReach } from '../host-reach/host-reach.ts';
import { dangersOfPlan } from '../host-reach/dangers.ts';
import type { Composes } from './compose.ts';
import { composeVariables } from '../../domain/variables/compose-variables.ts';

export interface ComposeApprovals {
  /** What holds, and what the newest deployment asked for in vain. */
  shown(compose: ComposeRecord): Promise<ShownApprovals>;
  /** CONFLICT when something else waits by now, or nothing does. */
  approve(compose: ComposeRecord, digest: string, by: Approver): Promise<WaitingDangers>;
  /** Of one organization, or of all. */
  waiting(organizationId: string | undefined): Promise<WaitingCompose[]>;
  /**
   * After somebody who may approve has saved a file here: what it asks for is approved, but for what a
   * variable decides, which somebody else may have set.
   */
  saved(compose: ComposeRecord, by: Approver): Promise<void>;
  /** After anybody else has saved a file here: an approval that does not cover it ends. */
  savedByOthers(compose: ComposeRecord): Promise<void>;
}

/** Records what a file that was just saved asks of the machine, by who saved it. */
export async function approveSavedFile(
  approvals: Pick<ComposeApprovals, 'saved' | 'savedByOthers'>,
  { actor, hasHostReach }: Pick<CallContext, 'actor' | 'hasHostReach'>,
  compose: ComposeRecord,
): Promise<void> {
  if (await hasHostReach()) await approvals.saved(compose, actor);
  else await approvals.savedByOthers(compose);
}

interface WaitingDangers {
  composeId: string;
  name: string;
  digest: string;
  dangers: Danger[];
}

export interface WaitingCompose extends WaitingDangers {
  organizationId: string;
  deploymentId: string;
  since: string;
}

export interface ShownApprovals {
  approval: { digest: string; dangers: Danger[]; approvedBy: string; at: string } | null;
  awaitsApproval: ComposeRecord['awaitsApproval'];
}

export interface ComposeApprovalParts {
  composes: Pick<Composes, 'all' | 'patch'>;
  hostReach: Pick<HostReach, 'approval' | 'find' | 'holds' | 'placesOf'>;
  /** Variable blocks of project and environment. */
  envBlocks(compose: ComposeRecord): Promise<SurroundingBlocks>;
}

export function createComposeApprovals(parts: ComposeApprovalParts): ComposeApprovals {
  const { composes, hostReach } = parts;
  async function held({ composeId, approval }: ComposeRecord): Promise<ComposeRecord['approval']> {
    const known = approval && (await hostReach.find(composeRef(composeId)));
    return approval && known && (await hostReach.holds(approval, known)) ? approval : null;
  }
  return {
    async shown(compose) {
      const approval = await held(compose);
      return {
        approval: approval && {
          digest: approval.digest,
          dangers: approval.dangers,
          approvedBy: approval.userId,
          at: approval.at,
        },
        awaitsApproval: compose.awaitsApproval,
      };
    },
    async approve(compose, digest, by) {
      const { composeId, name, awaitsApproval } = compose;
      if (awaitsApproval?.digest !== digest) throw notWaiting(compose);
      const { dangers, since } = awaitsApproval;
      const approval = await hostReach.approval(composeRef(composeId), dangers, by);
      const machineSince = (await hostReach.find(composeRef(composeId)))?.machineSince ?? null;
      // Its source, its place or the machine there is another one since that deployment.
      if (approval.digest !== digest || (machineSince !== null && since <= machineSince))
        throw notWaiting(compose);
      await composes.patch(composeId, { approval, awaitsApproval: null });
      return { composeId, name, digest, dangers };
    },
    async waiting(organizationId) {
      const all = await composes.all();
      return all
        .flatMap(({ composeId, name, awaitsApproval, ...compose }) =>
          awaitsApproval && (organizationId === undefined || compose.organizationId === organizationId)
            ? [{ composeId, name, organizationId: compose.organizationId, ...awaitsApproval }]
            : [],
        )
        .toSorted((left, right) => (left.since < right.since ? 1 : -1));
    },
    saved: (compose, by) => approveSaved(parts, held, compose, by),
    savedByOthers: (compose) => endUncovered(parts, compose),
  };
}

/** What the file says by itself is approved; of what its variables add, what was approved before. */
async function approveSaved(
  { composes, hostReach, envBlocks }: ComposeApprovalParts,
  held: (compose: ComposeRecord) => Promise<ComposeRecord['approval']>,
  compose: ComposeRecord,
  by: Approver,
): Promise<void> {
  if (compose.sourceType !== 'raw' || compose.composeFile === '') return;
  const around = await envBlocks(compose);
  const found = await dangersOf(compose, around, (value) => value);
  if (found === undefined) return;
  const plain = (await dangersOf(compose, around, () => placeholder)) ?? [];
  const former = (await held(compose))?.dangers ?? [];
  const places = await hostReach.placesOf(serverKeyOf(compose));
  const seen = await places.seen(found, 'composeFile');
  const literal = await places.seen(
    found.filter((danger) => uncovered([danger], plain).length === 0),
    'composeFile',
  );
  const approved = canonical([
    ...literal,
    ...seen.filter((danger) => uncovered([danger], former).length === 0),
  ]);
  await composes.patch(compose.composeId, {
    approval:
      approved.length === 0 ? null : await hostReach.approval(composeRef(compose.composeId), approved, by),
  });
}

/** Going back to the former file is no way back to its approval: somebody who may looks at it again. */
async function endUncovered(
  { composes, hostReach, envBlocks }: ComposeApprovalParts,
  compose: ComposeRecord,
): Promise<void> {
  if (compose.sourceType !== 'raw' || compose.approval === null) return;
  const around = await envBlocks(compose);
  const found = await dangersOf(compose, around, (value) => value);
  if (found === undefined) return;
  const places = await hostReach.placesOf(serverKeyOf(compose));
  const { dangers } = compose.approval;
  const covered = await places.seen(found, 'composeFile').then(
    (seen) => uncovered(seen, dangers).length === 0,
    (error: unknown) => {
      if (error instanceof AppError) return false;
      throw error;
    },
  );
  if (!covered) await composes.patch(compose.composeId, { approval: null });
}

/** Stands for every value that is not in the file itself. */
const placeholder = 'berth';

/** The file's dangers with its variables' values changed so; undefined for a file that is not whole then. */
async function dangersOf(
  compose: ComposeRecord,
  around: SurroundingBlocks,
  change: (value: string) => string,
): Promise<Danger[] | undefined> {
  const { translate } = await import('./translation/translate.ts');
  try {
    const { all, blocks } = composeVariables(compose, around);
    return dangersOfPlan(
      translate({
        text: compose.composeFile,
        field: 'composeFile',
        folder: undefined,
        variables: Object.fromEntries(Object.entries(all).map(([name, value]) => [name, change(value)])),
        blocks,
        changeReference: change,
      }),
    );
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

function notWaiting({ name, awaitsApproval }: ComposeRecord): AppError {
  return new AppError(
    'CONFLICT',
    awaitsApproval
      ? `${name} is waiting for the approval of something else now. See compose.one and approve the ` +
          'digest there.'
      : `${name} is not waiting for approval. Deploy it; if that is refused, compose.one shows what is ` +
          'waiting.',
  );
}
