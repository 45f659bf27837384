/** Branches of databases whose time is over: announced before, removed with their data, told afterwards. */
import { AppError, sentenceOf } from '../domain/errors.ts';
import type { Fact, FactEvent, TellFact } from '../domain/states/fact.ts';
import type { TableStore } from '../db/table-store.ts';
import type { TableRecord } from '../db/tables.ts';
import { isoTime, type Clock } from '../ports/clock.ts';
import { callAsOwner, removalOf, type OwnerCalls } from './call-as-owner.ts';

type BranchRecord = TableRecord<'database_branch'>;

export interface EndingDeps extends OwnerCalls {
  stores: OwnerCalls['stores'] & {
    branches: Pick<TableStore<'database_branch'>, 'update'> & {
      endingBefore(time: number): Promise<BranchRecord[]>;
    };
  };
  clock: Clock;
  notifying: { tell: TellFact };
  log: { warn(message: string, details: Record<string, unknown>): void };
}

const hourMs = 3_600_000;

/** To be called each minute. */
export async function endBranches(deps: EndingDeps): Promise<void> {
  const { clock, stores } = deps;
  for (const branch of await stores.branches.endingBefore(clock.now() + hourMs)) await look(deps, branch);
}

/** An hour before, or at half of its life where that is shorter. */
function warnsAt({ createdAt, expiresAt }: BranchRecord): number {
  const end = expiresAt ?? 0;
  return end - Math.min(hourMs, (end - Date.parse(createdAt)) / 2);
}

async function look(deps: EndingDeps, branch: BranchRecord): Promise<void> {
  const { clock, log, notifying, stores } = deps;
  const { databaseId, expiresAt, warnedAt } = branch;
  const database = await stores.databases.find({ databaseId });
  if (!database || expiresAt === null || warnsAt(branch) > clock.now()) return;
  const ends = new Date(expiresAt).toISOString();
  const fact = (event: FactEvent, words: string): Fact => ({
    event,
    organizationId: branch.organizationId,
    subject: { type: 'database', id: databaseId, name: database.name },
    sentence: `The database ${database.name}, a branch of ${branch.sourceName}, ${words}`,
  });
  if (warnedAt === null) {
    await stores.branches.update({ databaseId, warnedAt: null }, { warnedAt: isoTime(clock) });
    await notifying.tell(fact('branchEnding', `is removed with its data at ${ends}, as it was asked for.`));
  }
  if (expiresAt > clock.now()) return;
  try {
    const { createdBy: userId, organizationId } = branch;
    await callAsOwner(deps, { userId, organizationId }, removalOf(database));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // The next turn tries again.
    log.warn('A branch of a database could not be removed', { databaseId, why: sentenceOf(error) });
    return;
  }
  await notifying.tell(fact('branchEnded', `was removed with its data; its time was over at ${ends}.`));
}
