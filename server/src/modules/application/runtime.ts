/** What an application's service does by hand: start, stop, reload, run, show its output, go. */
import { AppError } from '../../domain/errors.ts';
import { statusAfter } from '../../domain/lifecycle.ts';
import { applicationRef } from '../../domain/service-ref.ts';
import type { Engine, LogLine, ServiceSpec } from '../../ports/engine.ts';
import type { Applications } from './application.ts';
import {
  awaitEnded,
  awaitRunning,
  nameOf,
  ownService,
  removeFromEngine,
  serviceOutput,
  type OutputOptions,
  type OwnedService,
} from '../service/own-service.ts';
import type { Turns } from '../service/turns.ts';
import type { ApplicationRecord } from '../../db/tables.ts';

export interface ApplicationRuntime {
  readLogs(application: ApplicationRecord, options: OutputOptions): Promise<LogLine[]>;
  followLogs(
    application: ApplicationRecord,
    options: { tail: number; since?: string | undefined; signal: AbortSignal },
  ): AsyncIterable<LogLine>;
  /** Back to its replicas; PRECONDITION_FAILED before any release. */
  start(application: ApplicationRecord): Promise<ApplicationRecord>;
  stop(application: ApplicationRecord): Promise<ApplicationRecord>;
  /** New tasks with the current settings and the live image; PRECONDITION_FAILED with the reason when they do not become healthy. */
  reload(application: ApplicationRecord): Promise<void>;
  run(application: ApplicationRecord, command: string[], signal: AbortSignal): Promise<RunResult>;
  /** Whether the service exists with tasks it should run. */
  hasTasks(application: ApplicationRecord): Promise<boolean>;
  /** Removes the service under any name it had, its images and, when asked, its volumes; gives the volumes that stay. */
  remove(application: ApplicationRecord, options: { deleteVolumes: boolean }): Promise<string[]>;
}

export interface RunResult {
  exitCode: number | null;
  error: string;
  log: { at: string; stream: 'stdout' | 'stderr'; text: string }[];
}

export interface RuntimeOptions {
  engine: Engine;
  applications: Applications;
  /** The specification of the live release; undefined before the first one. */
  liveSpec(application: ApplicationRecord): Promise<ServiceSpec | undefined>;
  /** The live image with the settings as they are now; `keep` stores them as the live release's. */
  currentSpec(application: ApplicationRecord): Promise<{ spec: ServiceSpec; keep(): Promise<void> }>;
  /** Gives the running service this specification; throws when its tasks do not become healthy, and the former ones run on. */
  releaseNow(spec: ServiceSpec): Promise<void>;
  turns: Turns;
  /** Labels of one-off tasks, which tell the run of Berth that waits for them. */
  taskLabels: Record<string, string>;
  /** A name for a one-off task. */
  taskName(application: ApplicationRecord): string;
}

const runLimitMs = 60 * 60_000;
const runLogLimit = 10_000;
const reader = 'application.readLogs';

const owned = (application: ApplicationRecord): OwnedService => ({
  ...application,
  ...applicationRef(application.applicationId),
});

export function createApplicationRuntime(options: RuntimeOptions): ApplicationRuntime {
  const { engine, applications, turns } = options;
  const output = serviceOutput(engine);

  async function requireLive(application: ApplicationRecord): Promise<ServiceSpec> {
    const spec = await options.liveSpec(application);
    if (!spec)
      throw new AppError('PRECONDITION_FAILED', `${application.name} has no release yet: deploy first.`);
    return spec;
  }
  async function settle(
    application: ApplicationRecord,
    event: 'started' | 'stopped',
    patch: Partial<ApplicationRecord>,
  ): Promise<ApplicationRecord> {
    const changed = { ...patch, applicationStatus: statusAfter(event, application.applicationStatus) };
    await applications.patch(application.applicationId, changed);
    return { ...application, ...changed };
  }

  return {
    start: (application) =>
      turns.take(application.applicationId, async () => {
        const spec = await requireLive(application);
        if (await engine.service(spec.name)) await engine.scaleService(spec.name, spec.replicas);
        else await engine.applyService(spec);
        await awaitRunning(engine, spec.name, spec.replicas, reader);
        return settle(application, 'started', { isStopped: false });
      }),
    stop: (application) =>
      turns.take(application.applicationId, async () => {
        const name = nameOf(application);
        if (await ownService(engine, owned(application))) {
          await engine.scaleService(name, 0);
          await awaitEnded(engine, name, reader);
        }
        return settle(application, 'stopped', { isStopped: true });
      }),
    reload: (application) =>
      turns.take(application.applicationId, async () => {
        await requireLive(application);
        const { spec, keep } = await options.currentSpec(application);
        if (application.isStopped) await engine.applyService({ ...spec, replicas: 0 });
        else await options.releaseNow(spec);
        await keep();
      }),
    async run(application, command, signal) {
      const spec = await requireLive(application);
      const log: RunResult['log'] = [];
      const task: ServiceSpec = {
        ...spec,
        name: options.taskName(application),
        labels: { ...spec.labels, ...options.taskLabels },
        command,
        args: undefined,
        ports: [],
        replicas: 1,
        healthCheck: undefined,
        release: undefined,
      };
      const { exitCode, error } = await engine.runTask(task, {
        signal,
        limitMs: runLimitMs,
        onLine: ({ at, stream, text }) => {
          if (log.length < runLogLimit) log.push({ at, stream, text });
        },
      });
      return { exitCode: exitCode ?? null, error, log };
    },
    readLogs: (application, options) => output.readLogs(owned(application), options),
    followLogs: (application, options) => output.followLogs(owned(application), options),
    async hasTasks(application) {
      const service = await ownService(engine, owned(application));
      return service !== undefined && service.replicas > 0;
    },
    remove: (application, removal) =>
      removeFromEngine(engine, applicationRef(application.applicationId), removal),
  };
}
