/**
 * What may follow what: the one table of states (interface document, States and transitions; decisions 4 and
 * 5).
 */
import { AppError } from '../errors.ts';

export const applicationStatuses = ['idle', 'running', 'done', 'error'] as const;
export type ApplicationStatus = (typeof applicationStatuses)[number];

export const deploymentStatuses = ['queued', 'running', 'done', 'error', 'cancelled'] as const;
export type DeploymentStatus = (typeof deploymentStatuses)[number];

/**
 * What a deployment does: the newest source, the version that runs, an earlier one, the version that runs on
 * another server; for databases also the move of the data to another major version.
 */
export const deploymentKinds = ['deploy', 'redeploy', 'rollback', 'upgrade', 'move'] as const;
export type DeploymentKind = (typeof deploymentKinds)[number];

/** What began a deployment: somebody, by a session or a key, a host's webhook, or Berth by itself. */
export const deploymentStarters = ['person', 'key', 'webhook', 'berth'] as const;
export interface DeploymentStarter {
  kind: (typeof deploymentStarters)[number];
  userId: string | null;
  apiKeyId: string | null;
}

/** Times are ISO 8601; `finishedAt` is null while it goes on. */
export interface DeploymentStage {
  name: string;
  startedAt: string;
  finishedAt: string | null;
}

/** The stage under way is over; perhaps the next one begins. One that begins again has a row of its own. */
export function nextStages(
  stages: readonly DeploymentStage[] | null,
  at: string,
  next?: string,
): DeploymentStage[] {
  return [
    ...(stages ?? []).map((stage) => ({ ...stage, finishedAt: stage.finishedAt ?? at })),
    ...(next === undefined ? [] : [{ name: next, startedAt: at, finishedAt: null }]),
  ];
}

/** The stage that a line of the log was written in, by its time (ISO 8601). */
export function stageAt(stages: readonly DeploymentStage[] | null, at: string): string | undefined {
  return stages?.findLast(({ startedAt }) => startedAt <= at)?.name;
}

type Transition = { from: readonly ApplicationStatus[] | 'any'; to: ApplicationStatus };

/** What happens to a service → its next status. */
const serviceTransitions = {
  deployAccepted: { from: 'any', to: 'running' },
  deploySucceeded: { from: 'any', to: 'done' },
  deployFailed: { from: 'any', to: 'error' },
  buildKilled: { from: 'any', to: 'error' },
  started: { from: 'any', to: 'done' },
  stopped: { from: 'any', to: 'idle' },
  deployCancelledWithRelease: { from: 'any', to: 'done' },
  deployCancelledWithoutRelease: { from: 'any', to: 'idle' },
  queueCleanedWithTasks: { from: 'any', to: 'done' },
  queueCleanedWithoutTasks: { from: 'any', to: 'idle' },
} as const satisfies Record<string, Transition>;

export type ServiceEvent = keyof typeof serviceTransitions;

/** The status that follows; throws PRECONDITION_FAILED when the table has no such step. */
export function statusAfter(event: ServiceEvent, from: ApplicationStatus): ApplicationStatus {
  const step: Transition = serviceTransitions[event];
  if (step.from !== 'any' && !step.from.includes(from)) {
    throw new AppError('PRECONDITION_FAILED', `A service that is ${from} cannot take this step (${event}).`);
  }
  return step.to;
}

const deploymentTransitions: Record<DeploymentStatus, readonly DeploymentStatus[]> = {
  queued: ['running', 'cancelled', 'error'],
  running: ['done', 'error', 'queued', 'cancelled'],
  done: [],
  error: [],
  cancelled: [],
};

/** Statuses from which `to` may follow; the store puts them into the UPDATE's condition. */
export function deploymentStatusesBefore(to: DeploymentStatus): DeploymentStatus[] {
  return deploymentStatuses.filter((from) => deploymentTransitions[from].includes(to));
}
