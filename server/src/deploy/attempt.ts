/** One attempt at a deployment: its stages, its log, its resume after a crash, and its one end, whatever happens. */
import { AppError, sentenceOf } from '../domain/errors.ts';
import { ownerOf, type DeployedKind } from '../domain/service-ref.ts';
import type { DeploymentRecord, JobRecord } from '../db/tables.ts';
import type { Deployments } from '../modules/deployment/deployment.ts';
import type { DeploymentLogs, LogWriter } from '../ports/deployment-log.ts';
import { endProcessGroup, membersOf } from '../shell/process-identity.ts';
import type { BoundStage, Deployer, DeployPorts, Prepared, StageContext } from './context.ts';
import { createLogSecrets, type LogSecrets } from './log-secrets.ts';
import { workDirectory } from './work-directory.ts';

export interface AttemptOptions {
  ports: Pick<DeployPorts, 'engine' | 'clock' | 'fileSystem' | 'workRoot'>;
  deployers: Partial<Record<DeployedKind, Deployer>>;
  deployments: Deployments;
  logs: DeploymentLogs;
  /** Writes an unexpected failure to Berth's own log and gives the id it stands under. */
  onFault(error: unknown, deploymentId: string): string;
}

export interface Attempt {
  deployment: DeploymentRecord;
  job: JobRecord;
  signal: AbortSignal;
  onStage(name: string): void;
}

/** A person ended the deployment. */
export class Killed extends Error {}

const attemptsLimit = 3;

/** Returns when the deployment has ended, or when the signal took it away; it never throws for what went wrong inside. */
export async function attempt(options: AttemptOptions, given: Attempt): Promise<void> {
  const { ports, deployments, logs } = options;
  const { deployment, job, signal } = given;
  const secrets = createLogSecrets();
  const log = logs.writer(deployment.deploymentId, secrets.redact);
  let prepared: Prepared | undefined;
  try {
    if (job.attempts > 1) await resume(options, given, log);
    const context = contextOf(options, given, log, secrets);
    prepared = await prepare(options, context);
    await runStages(prepared, context, given.onStage);
    log.line('Done.');
    // Whoever follows the log stops at the deployment's end, so all of it must be there by then.
    await log.close();
    await deployments.finish(context.deployment, {
      status: 'done',
      healthyAt: new Date(context.released?.healthyAt ?? ports.clock.now()).toISOString(),
      patch: prepared.patch(),
    });
  } catch (error) {
    await fail(options, deployment, { error, signal, log, redact: secrets.redact, undo: prepared?.undo });
  } finally {
    await ports.fileSystem
      .remove(workDirectory({ workRoot: ports.workRoot, deployment }))
      .catch((error: unknown) => options.onFault(error, deployment.deploymentId));
    await log.close();
  }
}

/** A start after a crash: the former child is ended by its pid and start time, then the deployment goes on. */
async function resume(
  { deployments }: AttemptOptions,
  { deployment, job }: Attempt,
  log: LogWriter,
): Promise<void> {
  const { child, deploymentId, stage } = deployment;
  log.line(
    `Berth was restarted during the stage ${stage ?? 'queue'}; going on (attempt ${job.attempts} of ${attemptsLimit}).`,
  );
  if (child) {
    const wasAlive = membersOf(child).length > 0;
    const isGone = await endProcessGroup(child);
    if (wasAlive && isGone) log.line(`Ended the process ${child.pid} that the former attempt left behind.`);
    if (!isGone)
      throw new AppError(
        'PRECONDITION_FAILED',
        `The process ${child.pid} of the former attempt cannot be ended; it most likely waits for a disk or network share that does not answer. Deploy again when it is gone.`,
      );
    await deployments.record(deploymentId, { child: null });
  }
  if (job.attempts > attemptsLimit)
    throw new AppError(
      'PRECONDITION_FAILED',
      `Berth was restarted ${attemptsLimit} times during this deployment, last in the stage ${stage ?? 'queue'}. Deploy again when it runs steadily.`,
    );
}

function contextOf(
  { ports, deployments }: AttemptOptions,
  { deployment, signal }: Attempt,
  log: LogWriter,
  secrets: LogSecrets,
): StageContext {
  const context: StageContext = {
    engine: ports.engine,
    clock: ports.clock,
    deployment: { ...deployment },
    log,
    signal,
    hide: secrets.add,
    async save(patch) {
      Object.assign(context.deployment, patch);
      await deployments.record(deployment.deploymentId, patch);
    },
    onChild: (child) => context.save({ child }),
  };
  return context;
}

async function prepare({ deployers }: AttemptOptions, context: StageContext): Promise<Prepared> {
  const prepared = await deployers[ownerOf(context.deployment).kind]?.prepare(context);
  if (!prepared) throw new AppError('NOT_FOUND', 'The service of this deployment was deleted.');
  return prepared;
}

async function runStages(
  { stages }: Prepared,
  context: StageContext,
  onStage: (name: string) => void,
): Promise<void> {
  for (const stage of stages.slice(startIndex(stages, context.deployment))) {
    context.signal.throwIfAborted();
    onStage(stage.name);
    await context.save({ stage: stage.name, child: null });
    context.log.line(`── ${stage.sentence()}`);
    const began = context.clock.now();
    await stage.run();
    context.log.line(`   ${stage.name} took ${((context.clock.now() - began) / 1000).toFixed(1)} s`);
  }
}

interface Failure {
  error: unknown;
  signal: AbortSignal;
  log: LogWriter;
  redact(text: string): string;
  undo: Prepared['undo'];
}

/** A stopping Berth and a lost lease leave the row as it is: the next start, or whoever has the lease, goes on. */
async function fail(
  { deployments, onFault }: AttemptOptions,
  deployment: DeploymentRecord,
  { error, signal, log, redact, undo }: Failure,
): Promise<void> {
  const isKilled = signal.reason instanceof Killed;
  if (signal.aborted && !isKilled) {
    log.line(`Interrupted: ${sentenceOf(signal.reason)}`);
    return;
  }
  const isForPeople = error instanceof AppError && error.code !== 'INTERNAL_SERVER_ERROR';
  const sentence = isKilled
    ? sentenceOf(signal.reason)
    : isForPeople
      ? error.message
      : `Something went wrong inside Berth; its log has the details under the id ${onFault(error, deployment.deploymentId)}.`;
  const reason = redact(sentence);
  log.line(`Failed: ${reason}`);
  await undo?.().catch((fault: unknown) =>
    log.line(`What was changed could not be put back: ${sentenceOf(fault)}`),
  );
  await log.close();
  await deployments.finish(deployment, {
    status: 'error',
    reason,
    event: isKilled ? 'buildKilled' : 'deployFailed',
  });
}

/** What comes before a release begins again (a build from the checkout, pinned to its commit); a release goes on where the engine has it. */
function startIndex(stages: readonly BoundStage[], { stage }: DeploymentRecord): number {
  const at = stages.findIndex(({ name }) => name === stage);
  const releaseAt = stages.findIndex(({ name }) => name === 'release');
  if (at >= releaseAt) return Math.max(0, releaseAt);
  return stage === 'publish' ? at : 0;
}
