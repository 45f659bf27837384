/** One attempt at a deployment: its stages, its log, its resume after a crash, and its one end, whatever happens. */
import { resolveBlock, resolveEnv } from '../domain/env.ts';
import { AppError, sentenceOf } from '../domain/errors.ts';
import type { ApplicationRecord, DeploymentRecord, JobRecord } from '../db/tables.ts';
import type { Applications } from '../modules/application/application.ts';
import type { Deployments } from '../modules/deployment/deployment.ts';
import type { DeploymentLogs, LogWriter } from '../ports/deployment-log.ts';
import { endProcessGroup, membersOf } from '../shell/process-identity.ts';
import type { DeployContext, DeployPorts, Stage } from './context.ts';
import { createLogSecrets, type LogSecrets } from './log-secrets.ts';
import { planOf } from './plans.ts';
import { workDirectory } from './work-directory.ts';

export interface AttemptOptions {
  ports: DeployPorts;
  applications: Applications;
  deployments: Deployments;
  logs: DeploymentLogs;
  /** Writes an unexpected failure to Berth's own log and gives the id it stands under. */
  onFault(error: unknown, deploymentId: string): string;
}

export interface Attempt {
  deployment: DeploymentRecord;
  application: ApplicationRecord;
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
  const { deployment, application, job, signal } = given;
  const secrets = createLogSecrets();
  const log = logs.writer(deployment.deploymentId, secrets.redact);
  try {
    if (job.attempts > 1) await resume(options, given, log);
    const context = await prepare(options, given, log, secrets);
    await runStages(context, given.onStage);
    log.line('Done.');
    // Whoever follows the log stops at the deployment's end, so all of it must be there by then.
    await log.close();
    await deployments.finish(context.deployment, {
      status: 'done', healthyAt: new Date(context.released?.healthyAt ?? ports.clock.now()).toISOString(), patch: { releasedAppName: application.appName },
    });
  } catch (error) {
    await fail(options, deployment, { error, signal, log, redact: secrets.redact });
  } finally {
    await ports.fileSystem.remove(workDirectory({ workRoot: ports.workRoot, deployment })).catch((error: unknown) => options.onFault(error, deployment.deploymentId));
    await log.close();
  }
}

/** A start after a crash: the former child is ended by its pid and start time, then the deployment goes on. */
async function resume({ deployments }: AttemptOptions, { deployment, job }: Attempt, log: LogWriter): Promise<void> {
  const { child, deploymentId, stage } = deployment;
  log.line(`Berth was restarted during the stage ${stage ?? 'queue'}; going on (attempt ${job.attempts} of ${attemptsLimit}).`);
  if (child) {
    const wasAlive = membersOf(child).length > 0;
    const isGone = await endProcessGroup(child);
    if (wasAlive && isGone) log.line(`Ended the process ${child.pid} that the former attempt left behind.`);
    if (!isGone) throw new AppError('PRECONDITION_FAILED', `The process ${child.pid} of the former attempt cannot be ended; it most likely waits for a disk or network share that does not answer. Deploy again when it is gone.`);
    await deployments.record(deploymentId, { child: null });
  }
  if (job.attempts > attemptsLimit) throw new AppError('PRECONDITION_FAILED', `Berth was restarted ${attemptsLimit} times during this deployment, last in the stage ${stage ?? 'queue'}. Deploy again when it runs steadily.`);
}

async function prepare({ ports, deployments }: AttemptOptions, { deployment, application, signal }: Attempt, log: LogWriter, secrets: LogSecrets): Promise<DeployContext> {
  const { records } = ports;
  const placement = await records.placement(application.environmentId);
  const blocks = { ...(await records.envBlocks(application.environmentId)), service: application.env };
  const env = resolveEnv(blocks);
  const buildArguments = application.buildArgs ? resolveBlock('buildArgs', application.buildArgs, blocks) : {};
  const buildSecrets = application.buildSecrets ? resolveBlock('buildSecrets', application.buildSecrets, blocks, 'files') : {};
  secrets.add(application, env, buildSecrets);
  const live = deployment.kind === 'redeploy' ? await records.live(application) : undefined;
  const context: DeployContext = {
    ...ports, deployment: { ...deployment }, application, placement, log, signal, env, buildArguments, buildSecrets,
    pinnedCommit: deployment.commit ?? live?.commit ?? undefined,
    async save(patch) {
      Object.assign(context.deployment, patch);
      await deployments.record(deployment.deploymentId, patch);
    },
    onChild: (child) => context.save({ child }),
  };
  return context;
}

async function runStages(context: DeployContext, onStage: (name: string) => void): Promise<void> {
  const plan = planOf(context.deployment, context.application);
  for (const stage of plan.slice(startIndex(plan, context.deployment))) {
    context.signal.throwIfAborted();
    onStage(stage.name);
    await context.save({ stage: stage.name, child: null });
    context.log.line(`── ${stage.sentence(context)}`);
    const began = context.clock.now();
    await stage.run(context);
    context.log.line(`   ${stage.name} took ${((context.clock.now() - began) / 1000).toFixed(1)} s`);
  }
}

interface Failure {
  error: unknown;
  signal: AbortSignal;
  log: LogWriter;
  redact(text: string): string;
}

/** A stopping Berth and a lost lease leave the row as it is: the next start, or whoever has the lease, goes on. */
async function fail({ deployments, onFault }: AttemptOptions, deployment: DeploymentRecord, { error, signal, log, redact }: Failure): Promise<void> {
  const isKilled = signal.reason instanceof Killed;
  if (signal.aborted && !isKilled) {
    log.line(`Interrupted: ${sentenceOf(signal.reason)}`);
    return;
  }
  const isForPeople = error instanceof AppError && error.code !== 'INTERNAL_SERVER_ERROR';
  const sentence = isKilled ? sentenceOf(signal.reason) : isForPeople ? error.message : `Something went wrong inside Berth; its log has the details under the id ${onFault(error, deployment.deploymentId)}.`;
  const reason = redact(sentence);
  log.line(`Failed: ${reason}`);
  await log.close();
  await deployments.finish(deployment, { status: 'error', reason, event: isKilled ? 'buildKilled' : 'deployFailed' });
}

/** Building stages begin again from the checkout (pinned to its commit); a release goes on where the engine has it. */
function startIndex(plan: readonly Stage[], deployment: DeploymentRecord): number {
  const at = plan.findIndex(({ name }) => name === deployment.stage);
  if (at <= 0 || deployment.stage === 'build') return 0;
  if (deployment.stage === 'publish') return at;
  return plan.findIndex(({ name }) => name === 'release');
}
