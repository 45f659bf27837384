/** Runs a deployment's stages: state, log, cancel, resume and the one end of each, whatever happens. */
import { resolveBlock, resolveEnv } from '../domain/env.ts';
import { AppError, sentenceOf } from '../domain/errors.ts';
import { createRedactor, redactLines } from '../domain/redactor.ts';
import type { ApplicationRecord, DeploymentRecord, JobRecord } from '../db/tables.ts';
import type { Applications } from '../modules/application/application.ts';
import type { Deployments } from '../modules/deployment/deployment.ts';
import type { DeploymentLogs, LogWriter } from '../ports/deployment-log.ts';
import { endProcessGroup, membersOf } from '../shell/process-identity.ts';
import type { DeployContext, DeployPorts, Stage } from './context.ts';
import { buildingStages, planOf } from './plans.ts';
import { workDirectory } from './work-directory.ts';

export interface DeploymentRunner {
  /** Handler of the queue's `deployment` jobs; returns when the deployment has ended, or when the signal took it away. */
  run(job: JobRecord, signal: AbortSignal): Promise<void>;
  /** Ends the running build of the application, if one is in a building stage; false when nothing is building. */
  killBuild(applicationId: string): Promise<boolean>;
  /** Ends whatever deployment of the application is running here (it is being deleted), and waits for its end. */
  end(applicationId: string, reason: string): Promise<void>;
}

export interface RunnerOptions {
  ports: DeployPorts;
  applications: Applications;
  deployments: Deployments;
  logs: DeploymentLogs;
  /** Writes an unexpected failure to Berth's own log and gives the id it stands under. */
  onFault(error: unknown, deploymentId: string): string;
}

/** A person ended the build. */
class Killed extends Error {}

interface Running {
  applicationId: string;
  stage: string;
  kill: AbortController;
  done: Promise<void>;
}

const attemptsLimit = 3;

export function createDeploymentRunner(options: RunnerOptions): DeploymentRunner {
  const { ports, applications, deployments, logs } = options;
  const running = new Map<string, Running>();

  async function run(job: JobRecord, signal: AbortSignal): Promise<void> {
    const deployment = await deployments.find(job.payload['deploymentId'] ?? '');
    const application = deployment && (await applications.find(deployment.applicationId));
    if (!deployment || !application || !(await deployments.begin(deployment.deploymentId))) return;
    const kill = new AbortController();
    const entry: Running = { applicationId: application.applicationId, stage: deployment.stage ?? '', kill, done: Promise.resolve() };
    running.set(deployment.deploymentId, entry);
    entry.done = carryOut(deployment, application, job, AbortSignal.any([signal, kill.signal]), entry).finally(() => running.delete(deployment.deploymentId));
    await entry.done;
  }

  async function carryOut(deployment: DeploymentRecord, application: ApplicationRecord, job: JobRecord, signal: AbortSignal, entry: Running): Promise<void> {
    const secrets: string[] = [];
    const log = logs.writer(deployment.deploymentId, (text) => redactor(secrets)(text));
    const redactor = memoized((known: string[]) => redactLines(createRedactor(known)));
    try {
      if (job.attempts > 1) await resume(deployment, job, log);
      const context = await prepare(deployment, application, log, signal, secrets);
      await stages(context, entry);
      log.line('Done.');
      // Whoever follows the log stops at the deployment's end, so all of it must be there by then.
      await log.close();
      await deployments.finish(context.deployment, {
        status: 'done', healthyAt: new Date(context.released?.healthyAt ?? ports.clock.now()).toISOString(), patch: { releasedAppName: application.appName },
      });
    } catch (error) {
      await fail(deployment, error, signal, log, redactor(secrets));
    } finally {
      await ports.fileSystem.remove(workDirectory({ workRoot: ports.workRoot, deployment })).catch((error: unknown) => options.onFault(error, deployment.deploymentId));
      await log.close();
    }
  }

  /** A start after a crash: the former child is ended by its pid and start time, then the deployment goes on. */
  async function resume(deployment: DeploymentRecord, job: JobRecord, log: LogWriter): Promise<void> {
    log.line(`Berth was restarted during the stage ${deployment.stage ?? 'queue'}; going on (attempt ${job.attempts} of ${attemptsLimit}).`);
    if (deployment.child) {
      const wasAlive = membersOf(deployment.child).length > 0;
      const isGone = await endProcessGroup(deployment.child);
      if (wasAlive && isGone) log.line(`Ended the process ${deployment.child.pid} that the former attempt left behind.`);
      if (!isGone) throw new AppError('PRECONDITION_FAILED', `The process ${deployment.child.pid} of the former attempt cannot be ended; it most likely waits for a disk or network share that does not answer. Deploy again when it is gone.`);
      await deployments.record(deployment.deploymentId, { child: null });
    }
    if (job.attempts > attemptsLimit) throw new AppError('PRECONDITION_FAILED', `Berth was restarted ${attemptsLimit} times during this deployment, last in the stage ${deployment.stage ?? 'queue'}. Deploy again when it runs steadily.`);
  }

  async function prepare(deployment: DeploymentRecord, application: ApplicationRecord, log: LogWriter, signal: AbortSignal, secrets: string[]): Promise<DeployContext> {
    const { records } = ports;
    const placement = await records.placement(application.environmentId);
    const blocks = { ...(await records.envBlocks(application.environmentId)), service: application.env };
    const env = resolveEnv(blocks);
    const buildArguments = application.buildArgs ? resolveBlock('buildArgs', application.buildArgs, blocks) : {};
    const buildSecrets = application.buildSecrets ? resolveBlock('buildSecrets', application.buildSecrets, blocks) : {};
    secrets.push(...secretsOf(application, env, buildSecrets));
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

  async function stages(context: DeployContext, entry: Running): Promise<void> {
    const plan = planOf(context.deployment, context.application);
    for (const stage of plan.slice(startIndex(plan, context.deployment))) {
      context.signal.throwIfAborted();
      entry.stage = stage.name;
      await context.save({ stage: stage.name, child: null });
      context.log.line(`── ${stage.sentence(context)}`);
      const began = ports.clock.now();
      await stage.run(context);
      context.log.line(`   ${stage.name} took ${((ports.clock.now() - began) / 1000).toFixed(1)} s`);
    }
  }

  /** A stopping Berth and a lost lease leave the row as it is: the next start, or whoever has the lease, goes on. */
  async function fail(deployment: DeploymentRecord, error: unknown, signal: AbortSignal, log: LogWriter, redact: (text: string) => string): Promise<void> {
    const isKilled = signal.reason instanceof Killed;
    if (signal.aborted && !isKilled) {
      log.line(`Interrupted: ${sentenceOf(signal.reason)}`);
      return;
    }
    const reason = isKilled ? sentenceOf(signal.reason) : redact(error instanceof AppError && error.code !== 'INTERNAL_SERVER_ERROR' ? error.message : `Something went wrong inside Berth; its log has the details under the id ${options.onFault(error, deployment.deploymentId)}.`);
    log.line(`Failed: ${reason}`);
    await log.close();
    await deployments.finish(deployment, { status: 'error', reason, event: isKilled ? 'buildKilled' : 'deployFailed' });
  }

  async function stop(entries: Running[], reason: string): Promise<void> {
    for (const { kill } of entries) kill.abort(new Killed(reason));
    await Promise.all(entries.map(({ done }) => done));
  }

  return {
    run,
    async killBuild(applicationId) {
      const building = [...running.values()].filter((entry) => entry.applicationId === applicationId && buildingStages.has(entry.stage));
      await stop(building, 'The build was ended by hand (killBuild). Deploy again to go on.');
      return building.length > 0;
    },
    end: (applicationId, reason) => stop([...running.values()].filter((entry) => entry.applicationId === applicationId), reason),
  };
}

/** Building stages begin again from the checkout (pinned to its commit); a release goes on where the engine has it. */
function startIndex(plan: readonly Stage[], deployment: DeploymentRecord): number {
  const at = plan.findIndex(({ name }) => name === deployment.stage);
  if (at <= 0 || deployment.stage === 'build') return 0;
  if (deployment.stage === 'publish') return at;
  return plan.findIndex(({ name }) => name === 'release');
}

const secretName = /secret|token|pass|pwd|key|credential|auth|dsn|private|database_url|connection/i;

/** What must never stand in the log: credentials, build secrets, and variables whose names say that they are secret. */
function secretsOf(application: ApplicationRecord, env: Record<string, string>, buildSecrets: Record<string, string>): string[] {
  const named = Object.entries(env).filter(([name]) => secretName.test(name)).map(([, value]) => value);
  return [...named, ...Object.values(buildSecrets), application.password ?? '', application.customGitPassword ?? ''].filter((value) => value.length > 0);
}

function memoized<T>(make: (known: string[]) => T): (known: string[]) => T {
  let made: { size: number; value: T } | undefined;
  return (known) => {
    if (made?.size !== known.length) made = { size: known.length, value: make(known) };
    return made.value;
  };
}
