/**
 * Compares what a compose file, with its present variables, asks of the machine with what was approved, at
 * every deployment, whoever started it (decisions 8). What is not approved is stored for whoever may approve
 * it.
 */
import type { ComposeRecord } from '../../db/tables.ts';
import { canonical, digestOf, listed, type Danger } from '../../domain/access/danger.ts';
import { AppError } from '../../domain/errors.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { composeRef } from '../../domain/names/service-ref.ts';
import type { Composes } from '../../modules/compose/compose.ts';
import { dangersOfPlan } from '../../modules/host-reach/dangers.ts';
import { asApproved, type HostReach } from '../../modules/host-reach/host-reach.ts';
import { isoTime, type Clock } from '../../ports/clock.ts';
import { refusal } from '../images/judged-engine.ts';
import { fieldOf, type JudgeFile } from './compose-context.ts';

export interface JudgeFileParts {
  hostReach: Pick<HostReach, 'find' | 'placesOf' | 'unapproved'>;
  composes: Pick<Composes, 'patch'>;
  clock: Clock;
}

export function createFileJudge({ hostReach, composes, clock }: JudgeFileParts): JudgeFile {
  return async (compose, plan, deploymentId) => {
    const service = composeRef(compose.composeId);
    const places = await hostReach.placesOf(serverKeyOf(compose));
    const seen = await places.seen(dangersOfPlan(plan), fieldOf(compose));
    const known = await hostReach.find(service);
    if (known && known.serverKey !== serverKeyOf(compose) && seen.length > 0) throw staysThere(compose, seen);
    const left = await hostReach.unapproved(service, seen);
    if (left.length === 0) {
      await composes.patch(compose.composeId, { awaitsApproval: null });
      return;
    }
    if (!known) throw new AppError('NOT_FOUND', 'The compose service was deleted.');
    const dangers = canonical(asApproved(known, seen));
    const digest = digestOf(known.subject, dangers);
    await composes.patch(compose.composeId, {
      awaitsApproval: { digest, dangers, deploymentId, since: isoTime(clock) },
    });
    throw refusal(service, left, digest);
  };
}

/** Refuses a move: an approval is valid only on the machine that it was given for. */
const staysThere = ({ name }: Pick<ComposeRecord, 'name'>, dangers: readonly Danger[]): AppError =>
  new AppError(
    'PRECONDITION_FAILED',
    `${name} reaches its server itself (${listed(dangers)}), which was approved for that server alone, ` +
      'so it does not move. Create it anew on the other server, where it is approved anew, or take this ' +
      'out of it.',
  );
