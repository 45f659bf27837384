/**
 * One attempt at a deployment: its stages, its log, resuming after a crash, and its end, which comes once.
 */
import { AppError, sentenceOf } from '../domain/errors.ts';
import { nextStages } from '../domain/states/lifecycle.ts';
import { ownerOf, type DeployedKind } from '../domain/names/service-ref.ts';
import type { DeploymentRecord, JobRecord } from '../db/tables.ts';
import type { Deployments } from '../modules/deployment/deployment.ts';
import { isoTime } from '../ports/clock.ts';
import type { BuildSlots } from '../ports/engine/build-slots.ts';
import type { DeploymentLogs, LogWriter } from '../ports/deployment-log.ts';
import { endProcessGroup, membersOf } from '../shell/process-identity.ts';
import { createBuildTurn, type BuildTurn } from './images/build-turn.ts';
import type { BoundStage, Deployer, DeployPorts, Prepared, AttemptContext } from './context.ts';
import { createLogSecrets, type LogSecrets } from './log-secrets.ts';
import { workDirectory } from './work-directory.ts';

export interface AttemptOptions {
  ports: Pick<DeployPorts, 'clock' | 'fileSystem' | 'workRoot'>;
  deployers: Partial<Record<DeployedKind, Deployer>>;
  deployments: Deployments;
  logs: DeploymentLogs;
  slots: BuildSlots;
  /** Writes an unexpected failure to Berth's own log and returns its id there. */
  onFault(error: unknown, deploymentId: string): string;
}

export interface Attempt {
  deployment: DeploymentRecord;
  job: JobRecord;
  signal: AbortSignal;
  /** Called when the deployment waits for the build slot of this stage, and when it works on the stage. */
  onStage(stage: BoundStage, state: 'waiting' | 'working'): void;
}

/** The reason of the signal when a person ends the deployment. */
export class Killed extends Error {
  readonly status: 'error' | 'cancelled';

  constructor(reason: string, status: 'error' | 'cancelled') {
    super(reason);
    this.status = status;
  }
}

const attemptsLimit = 3;

/** Resolves when the deployment has ended, or when the signal has stopped it. It never rejects. */
export async function attempt(options: AttemptOptions, given: Attempt): Promise<void> {
  const { ports, deployments, logs } = options;
  const { deployment, job, signal } = given;
  const secrets = createLogSecrets();
  const log = logs.writer(deployment.deploymentId, secrets.redact);
  const begun: BoundStage[] = [];
  let turn: BuildTurn | undefined;
  try {
    if (job.attempts > 1) await resume(options, given, log);
    const context = contextOf(options, given, log, secrets);
    const {
      stages,
      buildServerKey: serverKey = job.serverKey,
      patch,
      addresses,
    } = await prepare(options, context);
    const { organizationId } = deployment;
    turn = createBuildTurn(options.slots, deployments, { ...job, serverKey, organizationId }, context);
    const from = resumeAt(stages, deployment);
    begun.push(...stages.slice(0, lastBegun(stages, deployment) + 1));
    for (const stage of stages.slice(from)) {
      context.signal.throwIfAborted();
      given.onStage(stage, 'waiting');
      await turn.prepare(stage);
      given.onStage(stage, 'working');
      if (!begun.includes(stage)) begun.push(stage);
      await runStage(stage, context);
    }
    log.line(doneSentence((await addresses?.()) ?? []));
    // Readers stop following the log when the deployment ends, so it must be complete by then.
    await log.close();
    await deployments.finish(context.deployment, {
      status: 'done',
      healthyAt: context.deployment.healthyAt ?? isoTime(ports.clock),
      patch: patch(),
    });
  } catch (error) {
    await fail(options, deployment, { error, signal, log, redact: secrets.redact, begun });
  } finally {
    await turn?.end().catch((error: unknown) => options.onFault(error, deployment.deploymentId));
    await ports.fileSystem
      .remove(workDirectory({ workRoot: ports.workRoot, deployment }))
      .catch((error: unknown) => options.onFault(error, deployment.deploymentId));
    await log.close();
  }
}

const doneSentence = (addresses: readonly string[]): string =>
  addresses.length === 0 ? 'Done.' : `Done. It is released at ${addresses.join(' and ')}`;

/**
 * Resumes after a crash: ends the former child process, recognized by pid and start time, before the
 * deployment continues.
 */
async function resume(
  { deployments }: AttemptOptions,
  { deployment, job }: Attempt,
  log: LogWriter,
): Promise<void> {
  const { child, deploymentId, stage } = deployment;
  log.line(
    `Berth was restarted during the stage ${stage ?? 'queue'}; continuing (attempt ${job.attempts} of ` +
      `${attemptsLimit}).`,
  );
  if (child) {
    const wasAlive = membersOf(child).length > 0;
    const isGone = await endProcessGroup(child);
    if (wasAlive && isGone) log.line(`Ended the process ${child.pid} that the previous attempt left behind.`);
    if (!isGone)
      throw new AppError(
        'PRECONDITION_FAILED',
        `The process ${child.pid} of the previous attempt cannot be killed; it is probably waiting for a ` +
          'disk or network share that does not answer. Deploy again when it is gone.',
      );
    await deployments.record(deploymentId, { child: null });
  }
  if (job.attempts > attemptsLimit)
    throw new AppError(
      'PRECONDITION_FAILED',
      `Berth was restarted ${attemptsLimit} times during this deployment, last in the stage ` +
        `${stage ?? 'queue'}. Deploy again when Berth is stable.`,
    );
}

function contextOf(
  { ports, deployments }: AttemptOptions,
  { deployment, signal }: Attempt,
  log: LogWriter,
  secrets: LogSecrets,
): AttemptContext {
  const context: AttemptContext = {
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

async function prepare({ deployers }: AttemptOptions, context: AttemptContext): Promise<Prepared> {
  const prepared = await deployers[ownerOf(context.deployment).kind]?.prepare(context);
  if (!prepared) throw new AppError('NOT_FOUND', 'The service of this deployment was deleted.');
  return prepared;
}

async function runStage(stage: BoundStage, context: AttemptContext): Promise<void> {
  const stages = nextStages(context.deployment.stages, isoTime(context.clock), stage.name);
  await context.save({ stage: stage.name, stages, child: null });
  context.log.line(`── ${stage.sentence()}`);
  const began = context.clock.now();
  await stage.run();
  context.log.line(`   ${stage.name} took ${((context.clock.now() - began) / 1000).toFixed(1)} s`);
}

interface Failure {
  error: unknown;
  signal: AbortSignal;
  log: LogWriter;
  redact(text: string): string;
  /** Stages that have begun, in order, whose changes may have to be undone. */
  begun: readonly BoundStage[];
}

/**
 * Records the failure. When Berth stops or its lease is lost, the record stays as it is: the next start, or
 * the process that has the lease, continues the deployment.
 */
async function fail(
  { deployments, onFault }: AttemptOptions,
  deployment: DeploymentRecord,
  { error, signal, log, redact, begun }: Failure,
): Promise<void> {
  const killed = signal.reason instanceof Killed ? signal.reason : undefined;
  if (signal.aborted && !killed) {
    log.line(`Interrupted: ${sentenceOf(signal.reason)}`);
    return;
  }
  const isForPeople = error instanceof AppError && error.code !== 'INTERNAL_SERVER_ERROR';
  const sentence = killed
    ? sentenceOf(killed)
    : isForPeople
      ? error.message
      : 'Something went wrong inside Berth; its log has the details under the id ' +
        `${onFault(error, deployment.deploymentId)}.`;
  const reason = redact(sentence);
  log.line(`${killed?.status === 'cancelled' ? 'Cancelled' : 'Failed'}: ${reason}`);
  for (const stage of begun.toReversed())
    await stage
      .undo()
      .catch((fault: unknown) => log.line(`The changes could not be undone: ${sentenceOf(fault)}`));
  await log.close();
  await deployments.finish(
    deployment,
    killed?.status === 'cancelled'
      ? { status: 'cancelled', reason }
      : { status: 'error', reason, event: killed ? 'buildKilled' : 'deployFailed' },
  );
}

/**
 * The stage at which an attempt begins: the stage in which Berth was killed says where to resume.
 */
function resumeAt(stages: readonly BoundStage[], deployment: DeploymentRecord): number {
  const at = lastBegun(stages, deployment);
  switch (stages[at]?.resume) {
    case 'here':
      return at;
    case 'release':
      return stages.findIndex(({ resume }) => resume === 'release');
    case 'start':
    case undefined:
      return 0;
  }
}

/** Index of the stage that the last attempt was in; -1 when none has begun. */
function lastBegun(stages: readonly BoundStage[], { stage }: DeploymentRecord): number {
  return stages.findIndex(({ name }) => name === stage);
}
