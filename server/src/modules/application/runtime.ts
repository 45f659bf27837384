/** What an application's service does by hand: start, stop, reload, run, show its output, go. */
import { AppError } from '../../domain/errors.ts';
import { statusAfter } from '../../domain/lifecycle.ts';
import type { Engine, ServiceSpec } from '../../ports/engine.ts';
import type { Applications } from './application.ts';
import { nameOf, ownService, removeFromEngine, serviceOutput, type ServiceOutput } from './own-service.ts';
import type { Turns } from '../service/turns.ts';
import type { ApplicationRecord } from '../../db/tables.ts';

export interface ApplicationRuntime extends ServiceOutput {
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
const waitLimitMs = 60_000;
const pollMs = 200;

export function createApplicationRuntime(options: RuntimeOptions): ApplicationRuntime {
  const { engine, applications, turns } = options;

  async function requireLive(application: ApplicationRecord): Promise<ServiceSpec> {
    const spec = await options.liveSpec(application);
    if (!spec) throw new AppError('PRECONDITION_FAILED', `${application.name} has no release yet: deploy first.`);
    return spec;
  }
  async function settle(application: ApplicationRecord, event: 'started' | 'stopped', patch: Partial<ApplicationRecord>): Promise<ApplicationRecord> {
    const changed = { ...patch, applicationStatus: statusAfter(event, application.applicationStatus) };
    await applications.patch(application.applicationId, changed);
    return { ...application, ...changed };
  }
  const awaitRunning = (name: string, replicas: number): Promise<void> =>
    until(async () => (await engine.service(name))?.running === replicas, `The service did not reach ${replicas} running task${replicas === 1 ? '' : 's'} within 60 s. application.readLogs shows its output.`);
  /** The engine takes a task off its count when it asks it to stop; it answers requests until it has. */
  const awaitEnded = (name: string): Promise<void> =>
    until(async () => !(await engine.tasks(name)).some(({ state }) => state === 'running' || state === 'starting'), 'The service was told to stop, and did not end within 60 s. application.readLogs shows its output.');

  return {
    start: (application) => turns.take(application.applicationId, async () => {
      const spec = await requireLive(application);
      if (await engine.service(spec.name)) await engine.scaleService(spec.name, spec.replicas);
      else await engine.applyService(spec);
      await awaitRunning(spec.name, spec.replicas);
      return settle(application, 'started', { isStopped: false });
    }),
    stop: (application) => turns.take(application.applicationId, async () => {
      const name = nameOf(application);
      if (await ownService(engine, application)) {
        await engine.scaleService(name, 0);
        await awaitEnded(name);
      }
      return settle(application, 'stopped', { isStopped: true });
    }),
    reload: (application) => turns.take(application.applicationId, async () => {
      await requireLive(application);
      const { spec, keep } = await options.currentSpec(application);
      if (application.isStopped) await engine.applyService({ ...spec, replicas: 0 });
      else await options.releaseNow(spec);
      await keep();
    }),
    async run(application, command, signal) {
      const spec = await requireLive(application);
      const log: RunResult['log'] = [];
      const task: ServiceSpec = { ...spec, name: options.taskName(application), labels: { ...spec.labels, ...options.taskLabels }, command, args: undefined, ports: [], replicas: 1, healthCheck: undefined, release: undefined };
      const { exitCode, error } = await engine.runTask(task, {
        signal, limitMs: runLimitMs,
        onLine: ({ at, stream, text }) => {
          if (log.length < runLogLimit) log.push({ at, stream, text });
        },
      });
      return { exitCode: exitCode ?? null, error, log };
    },
    ...serviceOutput(engine),
    async hasTasks(application) {
      const service = await ownService(engine, application);
      return service !== undefined && service.replicas > 0;
    },
    remove: (application, removal) => removeFromEngine(engine, application, removal),
  };
}

async function until(isSo: () => Promise<boolean>, otherwise: string): Promise<void> {
  const end = Date.now() + waitLimitMs;
  while (!(await isSo())) {
    if (Date.now() > end) throw new AppError('SERVICE_UNAVAILABLE', otherwise);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
