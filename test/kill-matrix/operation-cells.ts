/**
 * The cells of the table of operation pairs (`domain/states/operation-pairs.ts`) for each kind of service,
 * and what each must leave behind. Tried whole on the engine in memory, one of each outcome on a real one.
 */
import {
  operationPairs,
  operationPhases,
  serviceOperations,
  type OperationPhase,
  type PairOutcome,
  type ServiceOperation,
} from '../../server/src/domain/states/operation-pairs.ts';
import { deployedKinds, type DeployedKind } from '../../server/src/domain/names/service-ref.ts';

/** What is asked of a service of the kind while something of it is in the phase. */
export interface PairCell {
  kind: DeployedKind;
  operation: ServiceOperation;
  phase: OperationPhase;
}

/** What must have become of it. */
export interface PairEnd {
  /** Of the answer to what came. */
  httpStatus: number;
  comes: PairOutcome['comes'];
  /** How what was in progress ended: its status and reason, or `gone` with its service. */
  present: RegExp;
  /** Tasks that are wanted at the end; `gone`: there is no such service any more. */
  left: 'gone' | 0 | 1;
}

/** What comes after a stop and starts nothing; a database is restarted by its reload (decisions 6). */
const leavesStopped: Record<DeployedKind, readonly ServiceOperation[]> = {
  application: ['run', 'reload', 'killBuild', 'cleanQueues'],
  database: [],
  compose: ['killBuild', 'cleanQueues'],
  previewDeployment: ['killBuild'],
};

const httpStatusOf = { queued: 200, acts: 200, beside: 200, nothing: 200, refused: 409 } as const;
const presentOf = { 'goes on': /^done$/, cancelled: /^cancelled: /, error: /^error: / } as const;

/** A database is not built, so it has no slot to wait for. */
export const phasesOf = (kind: DeployedKind): OperationPhase[] =>
  operationPhases.filter((phase) => kind !== 'database' || !['waiting', 'building'].includes(phase));

export const pairCells: readonly PairCell[] = deployedKinds.flatMap((kind) =>
  phasesOf(kind).flatMap((phase) => serviceOperations[kind].map((operation) => ({ kind, operation, phase }))),
);

export function endOf({ kind, operation, phase }: PairCell): PairEnd {
  const { comes, present } = operationPairs[operation][phase];
  const isGone = operation === 'delete' || operation === 'remove';
  const isStopped = operation === 'stop' || (phase === 'by-hand' && leavesStopped[kind].includes(operation));
  return {
    httpStatus: httpStatusOf[comes],
    comes,
    present: isGone && phase !== 'by-hand' ? /^gone$/ : presentOf[present],
    left: isGone ? 'gone' : isStopped ? 0 : 1,
  };
}

/** The outcome in words: what comes, what becomes of what is in progress, and what is left. */
export function outcomeOf(cell: PairCell): string {
  const { comes, left } = endOf(cell);
  const { present } = operationPairs[cell.operation][cell.phase];
  const leaves = { gone: 'nothing of it is left', 0: 'it is stopped', 1: 'it runs' }[left];
  return `what comes: ${comes}; what is in progress: ${present}; ${leaves}`;
}

/** One cell for each distinct outcome, taken where kinds and phases were taken least so far. */
export function oneOfEachOutcome(cells: readonly PairCell[] = pairCells): PairCell[] {
  const taken: PairCell[] = [];
  const usesOf = ({ kind, phase, operation }: PairCell): number =>
    taken.reduce(
      (uses, each) =>
        uses +
        Number(each.kind === kind) +
        Number(each.phase === phase) +
        Number(each.operation === operation),
      0,
    );
  for (const same of Map.groupBy(cells, outcomeOf).values()) {
    const [least] = same.toSorted((left, right) => usesOf(left) - usesOf(right));
    if (least) taken.push(least);
  }
  return taken;
}
