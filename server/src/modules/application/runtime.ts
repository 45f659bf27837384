/** What people can do with an application's service: start, stop, reload, run a command, remove. */
import { AppError } from '../../domain/errors.ts';
import { bothEnds } from '../../domain/text/line-limits.ts';
import { statusAfter } from '../../domain/states/lifecycle.ts';
import { taskLabel } from '../../domain/names/labels.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { applicationRef } from '../../domain/names/service-ref.ts';
import type { Engine, LogLine, ServiceSpec } from '../../ports/engine/engine.ts';
import { noHealthCheck } from '../../ports/engine/health-check.ts';
import type { Host, Hosts } from '../../ports/host/host.ts';
import type { Applications } from './application.ts';
import {
  awaitEnded,
  awaitRunning,
  followOutput,
  nameOf,
  ownService,
  readOutput,
  removeFromEngine,
  type Removal,
  type FollowOptions,
  type OutputOptions,
  type OwnedService,
} from '../service/own-service.ts';
import type { Turns } from '../service/turns.ts';
import type { ApplicationRecord } from '../../db/tables.ts';
import { notDeployedYet } from '../../domain/not-deployed.ts';
import { givenVolumes } from '../../domain/names/restored-volumes.ts';

export interface ApplicationRuntime {
  readLogs(application: ApplicationRecord, options: OutputOptions): Promise<LogLine[]>;
  followLogs(application: ApplicationRecord, options: FollowOptions): AsyncIterable<LogLine>;
  /** Starts the replicas that its record has; throws PRECONDITION_FAILED before the first release. */
  start(application: ApplicationRecord): Promise<ApplicationRecord>;
  stop(application: ApplicationRecord): Promise<ApplicationRecord>;
  /**
   * Starts new tasks with the current settings and the live image; throws PRECONDITION_FAILED with the reason
   * when they do not become healthy.
   */
  reload(application: ApplicationRecord): Promise<void>;
  /** Applies the record's number of replicas; does nothing before a release or while it is stopped. */
  scale(application: ApplicationRecord): Promise<void>;
  /** Starts new tasks of the live release; throws PRECONDITION_FAILED when it is stopped or they fail. */
  restart(application: ApplicationRecord): Promise<void>;
  run(application: ApplicationRecord, command: string[], signal: AbortSignal): Promise<RunResult>;
  /** Whether the service exists and should have tasks. */
  hasTasks(application: ApplicationRecord): Promise<boolean>;
  /**
   * Removes the service under every name that it had, its images and, on request, its volumes; resolves with
   * the volumes that stay.
   */
  remove(
    application: ApplicationRecord,
    removal: Pick<Removal, 'deleteVolumes' | 'stays'>,
  ): Promise<string[]>;
}

export interface RunResult {
  exitCode: number | null;
  error: string;
  log: { at: string; stream: 'stdout' | 'stderr'; text: string }[];
}

export interface RuntimeOptions {
  hosts: Hosts;
  applications: Applications;
  /** The specification of the live release; undefined before the first one. */
  liveSpec(application: ApplicationRecord): Promise<ServiceSpec | undefined>;
  /** The same with the number of replicas of the record, which is stored with the live release. */
  rescaled(application: ApplicationRecord): Promise<ServiceSpec | undefined>;
  /** The live image with the present settings; `keep` stores them with the live release. */
  currentSpec(
    application: ApplicationRecord,
    host: Host,
  ): Promise<{ spec: ServiceSpec; keep(): Promise<void> }>;
  /**
   * Gives the running service this specification. Throws when its tasks do not become healthy; the former
   * ones then keep running.
   */
  releaseNow(host: Host, spec: ServiceSpec): Promise<void>;
  turns: Turns;
  /** Labels of one-off tasks, which name the run of Berth that waits for them. */
  taskLabels: Record<string, string>;
  /** Maximum number of bytes of a one-off task's output that are returned. */
  runOutputBytes(): Promise<number>;
  /** Counts a one-off task until the returned function is called; CONFLICT where it would be too much. */
  beginOneOff(application: ApplicationRecord, task: ServiceSpec): Promise<() => void>;
  /** A name for a one-off task. */
  taskName(application: ApplicationRecord): string;
}

const runLimitMs = 60 * 60_000;
const reader = 'application.readLogs';

const owned = (application: ApplicationRecord): OwnedService => ({
  ...application,
  ...applicationRef(application.applicationId),
});

export function createApplicationRuntime(options: RuntimeOptions): ApplicationRuntime {
  const { hosts, turns } = options;
  const inTurn =
    <T>(work: (options: RuntimeOptions, application: ApplicationRecord) => Promise<T>) =>
    (application: ApplicationRecord): Promise<T> =>
      turns.take(application.applicationId, () => work(options, application));
  const presentEngine = async (application: ApplicationRecord): Promise<Engine | undefined> =>
    (await hosts.find(serverKeyOf(application)))?.engine;

  return {
    start: inTurn(start),
    stop: inTurn(stop),
    reload: inTurn(reload),
    scale: inTurn(scale),
    restart: inTurn(restart),
    run: (application, command, signal) => run(options, application, command, signal),
    readLogs: async (application, wanted) =>
      readOutput(await presentEngine(application), owned(application), wanted),
    async *followLogs(application, wanted) {
      yield* followOutput(await presentEngine(application), owned(application), wanted);
    },
    async hasTasks(application) {
      const service = await ownService(await presentEngine(application), owned(application));
      return service !== undefined && service.replicas > 0;
    },
    async remove(application, removal) {
      const engine = await presentEngine(application);
      if (!engine) return [];
      return removeFromEngine(engine, applicationRef(application.applicationId), {
        ...removal,
        given: givenVolumes(application.restoredVolumes),
        async stays(reason) {
          await settle(options, application, 'stopped');
          await removal.stays?.(reason);
        },
      });
    },
  };
}

async function start(options: RuntimeOptions, application: ApplicationRecord): Promise<ApplicationRecord> {
  const live = await requireLive(options, application);
  const { engine } = await hostOf(options, application);
  const spec = (await options.rescaled(application)) ?? live;
  // What an ended deployment has left on the engine may differ from the live release.
  const present = await engine.service(spec.name);
  if (present?.specDigest === engine.specDigest(spec)) await engine.scaleService(spec.name, spec.replicas);
  else await engine.applyService(spec);
  await awaitRunning(engine, spec.name, spec.replicas, reader);
  return settle(options, application, 'started');
}

async function stop(options: RuntimeOptions, application: ApplicationRecord): Promise<ApplicationRecord> {
  const host = await options.hosts.find(serverKeyOf(application));
  if (host && (await ownService(host.engine, owned(application)))) {
    const name = nameOf(application);
    await host.engine.scaleService(name, 0);
    await awaitEnded(host.engine, name, reader);
  }
  return settle(options, application, 'stopped');
}

async function reload(options: RuntimeOptions, application: ApplicationRecord): Promise<void> {
  await requireLive(options, application);
  const host = await hostOf(options, application);
  const { spec, keep } = await options.currentSpec(application, host);
  if (application.isStopped) await host.engine.applyService({ ...spec, replicas: 0 });
  else await options.releaseNow(host, spec);
  await keep();
}

async function scale(options: RuntimeOptions, application: ApplicationRecord): Promise<void> {
  const { engine } = await hostOf(options, application);
  const spec = await options.rescaled(application);
  if (spec === undefined || application.isStopped || !(await engine.service(spec.name))) return;
  await engine.scaleService(spec.name, spec.replicas);
  await awaitRunning(engine, spec.name, spec.replicas, reader);
}

async function restart(options: RuntimeOptions, application: ApplicationRecord): Promise<void> {
  const spec = await requireLive(options, application);
  if (application.isStopped)
    throw new AppError(
      'PRECONDITION_FAILED',
      `${application.name} is stopped, so there is nothing to restart: start it.`,
    );
  await options.releaseNow(await hostOf(options, application), spec);
}

async function run(
  options: RuntimeOptions,
  application: ApplicationRecord,
  command: string[],
  signal: AbortSignal,
): Promise<RunResult> {
  const spec = await requireLive(options, application);
  const { engine } = await hostOf(options, application);
  const output = bothEnds(await options.runOutputBytes(), 'runOutputLimit');
  const name = options.taskName(application);
  const task: ServiceSpec = {
    ...spec,
    name,
    labels: { ...spec.labels, ...options.taskLabels, [taskLabel]: name },
    command,
    args: undefined,
    ports: [],
    replicas: 1,
    healthCheck: noHealthCheck,
    release: undefined,
  };
  const end = await options.beginOneOff(application, task);
  try {
    const { exitCode, error } = await engine.runTask(task, {
      signal,
      limitMs: runLimitMs,
      onLine: ({ at, stream, text }) => output.add({ at, stream, text }),
    });
    return { exitCode: exitCode ?? null, error, log: output.lines() };
  } finally {
    end();
  }
}

function hostOf({ hosts }: RuntimeOptions, application: ApplicationRecord): Promise<Host> {
  return hosts.of(serverKeyOf(application));
}

async function requireLive(
  { liveSpec }: RuntimeOptions,
  application: ApplicationRecord,
): Promise<ServiceSpec> {
  const spec = await liveSpec(application);
  if (!spec) throw notDeployedYet(application.name);
  return spec;
}

async function settle(
  { applications }: RuntimeOptions,
  application: ApplicationRecord,
  event: 'started' | 'stopped',
): Promise<ApplicationRecord> {
  const changed = {
    isStopped: event === 'stopped',
    applicationStatus: statusAfter(event, application.applicationStatus),
  };
  await applications.patch(application.applicationId, changed);
  return { ...application, ...changed };
}
