/** Opens a program in a running container of a service: which container, which shell, how it ended. */
import { setTimeout as pause } from 'node:timers/promises';
import { AppError, badField } from '../../domain/errors.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { isSameService, ownerOfLabels, previewRef, type ServiceRef } from '../../domain/names/service-ref.ts';
import { randomId } from '../../ports/clock.ts';
import { taskLabel, type Engine, type ServiceState, type TaskState } from '../../ports/engine/engine.ts';
import type { ProgramConnection } from '../../ports/engine/engine-program.ts';
import type { Hosts } from '../../ports/host/host.ts';
import { serviceKinds } from '../service/record-lists.ts';
import type { ServiceReads } from '../service/service.ts';
import type { TerminalInput } from './contract.ts';

export interface OpenedTerminal {
  serviceName: string;
  task: string;
  containerId: string;
  command: readonly string[];
  program: ProgramConnection;
  /** Once its output has ended: its exit code, or undefined when its container ended. */
  ended(): Promise<number | undefined>;
  /** Tells what still runs of it that its terminal is gone. */
  hangUp(): Promise<void>;
}

export interface Terminals {
  /**
   * NOT_FOUND for a task that does not run, BAD_REQUEST where the service must be named, PRECONDITION_FAILED
   * when nothing of it runs within reach.
   */
  open(organizationId: string, input: TerminalInput, signal: AbortSignal): Promise<OpenedTerminal>;
}

export interface TerminalParts {
  hosts: Pick<Hosts, 'find'>;
  services: Pick<ServiceReads, 'placed'>;
  /** The application of a preview, with the server that both stand on. */
  applicationOf(
    previewDeploymentId: string,
    organizationId: string,
  ): Promise<{ name: string; serverId: string | null }>;
  /** Path in containers of the static busybox that Berth mounts into most. */
  busybox: string;
}

const serviceLabel = 'berth.service';
const organizationLabel = 'berth.organization';
const markName = 'BERTH_TERMINAL';
const sideLimitMs = 10_000;
const [cannotRun, notFound, killed] = [126, 127, 137];
/** A killed program may be the first sign that its container ends; so long the engine takes to say so. */
const containerEndMs = 2000;
const lookMs = 100;

/** Ends, as a closed terminal does, whatever bears the mark: the program and what it has started. */
const hangUpScript = `grep=grep; [ -x "$2" ] && grep="$2 grep"
for each in /proc/[0-9]*; do
  if $grep -qs "${markName}=$1" "$each/environ"; then kill -HUP "\${each#/proc/}"; fi
done`;

export function createTerminals(parts: TerminalParts): Terminals {
  return {
    async open(organizationId, input, signal) {
      const { engine, services } = await placeOf(parts, organizationId, input);
      const { service, task, containerId } = await runningTask(engine, services, input);
      const side = async (argv: string[]) =>
        engine.exec(containerId, {
          argv,
          env: {},
          limitMs: sideLimitMs,
          signal: AbortSignal.timeout(sideLimitMs),
        });
      const shells = await shellOf(side, parts.busybox);
      const mark = randomId();
      const command: readonly [string, ...string[]] = asCommand(input.command) ?? shells.interactive;
      const program = await engine.interact(containerId, {
        argv: command,
        env: { [markName]: mark, ...(input.terminal ? { TERM: 'xterm-256color' } : {}) },
        size: input.terminal ? { columns: input.columns, rows: input.rows } : undefined,
        signal,
      });
      return {
        serviceName: service.labels[serviceLabel] ?? service.name,
        task: task.id,
        containerId,
        command,
        program,
        ended: () => exitCodeOf(engine, { service, task, containerId }, program),
        async hangUp() {
          await side([...shells.plain, '-c', hangUpScript, 'sh', mark, parts.busybox]);
        },
      };
    },
  };
}

const asCommand = ([first, ...others]: readonly string[] = []): readonly [string, ...string[]] | undefined =>
  first === undefined ? undefined : [first, ...others];

interface Place {
  engine: Engine;
  /** Those that are there; a compose service has several. */
  services: ServiceState[];
}

async function placeOf(parts: TerminalParts, organizationId: string, input: TerminalInput): Promise<Place> {
  const { owner, name, serverId } = await ownerOf(parts, organizationId, input);
  const host = await parts.hosts.find(serverKeyOf({ serverId }));
  const nothingRuns = (): AppError =>
    new AppError(
      'PRECONDITION_FAILED',
      `Nothing of ${name} runs, so there is no container to open. Start or deploy it.`,
    );
  if (!host) throw nothingRuns();
  const services = (await host.engine.services()).filter(
    ({ labels }) =>
      labels[organizationLabel] === organizationId &&
      labels[taskLabel] === undefined &&
      isSameService(ownerOfLabels(labels), owner),
  );
  if (services.length === 0) throw nothingRuns();
  return { engine: host.engine, services: named(services, input.serviceName) };
}

async function ownerOf(
  { services, applicationOf }: TerminalParts,
  organizationId: string,
  { serviceId, previewDeploymentId }: TerminalInput,
): Promise<{ owner: ServiceRef; name: string; serverId: string | null }> {
  if (previewDeploymentId !== undefined)
    return {
      owner: previewRef(previewDeploymentId),
      ...(await applicationOf(previewDeploymentId, organizationId)),
    };
  const found = (await services.placed(organizationId)).find((one) => one.serviceId === serviceId);
  if (!found) throw new AppError('NOT_FOUND', 'There is no service with the id given in serviceId.');
  const { kind, name, serverId } = found;
  return { owner: { kind: serviceKinds[kind].deployed, serviceId: found.serviceId }, name, serverId };
}

function named(services: ServiceState[], wanted: string | undefined): ServiceState[] {
  const names = services.map(({ labels, name }) => labels[serviceLabel] ?? name);
  const others = `; there are ${names.join(', ')}`;
  if (wanted === undefined && services.length > 1) throw badField('serviceName', `is required${others}`);
  const found = wanted === undefined ? services : services.filter((_, index) => names[index] === wanted);
  if (found.length === 0) throw badField('serviceName', `is no service of it that runs${others}`);
  return found;
}

interface RunningTask {
  service: ServiceState;
  task: TaskState;
  containerId: string;
}

async function runningTask(
  engine: Engine,
  services: readonly ServiceState[],
  { task: wanted }: TerminalInput,
): Promise<RunningTask> {
  const { nodeId } = await engine.info();
  for (const service of services) {
    const running = (await engine.tasks(service.name)).filter(
      ({ id, state, containerId }) =>
        state === 'running' && containerId !== undefined && (wanted === undefined || id === wanted),
    );
    const task = running.find((one) => one.nodeId === nodeId) ?? running[0];
    if (task?.containerId === undefined) continue;
    if (task.nodeId !== nodeId)
      throw new AppError(
        'PRECONDITION_FAILED',
        `It runs on the node ${task.nodeId} of the swarm, and Berth reaches only containers of the node ` +
          `${nodeId}.`,
      );
    return { service, task, containerId: task.containerId };
  }
  if (wanted !== undefined)
    throw new AppError(
      'NOT_FOUND',
      'The task named in task does not run; leave it out for the newest that does.',
    );
  throw new AppError(
    'PRECONDITION_FAILED',
    'No task of the service runs at this moment. Its log says why; a deployment under way may begin one ' +
      'soon.',
  );
}

interface Shells {
  interactive: readonly [string, ...string[]];
  /** Runs scripts. */
  plain: readonly [string, ...string[]];
}

/** bash, or sh, or the one that Berth brings, for images that have none. */
async function shellOf(
  side: (argv: string[]) => Promise<{ exitCode: number; stdout: string }>,
  busybox: string,
): Promise<Shells> {
  const { exitCode, stdout } = await side(['sh', '-c', 'command -v bash || true']);
  if (exitCode === cannotRun || exitCode === notFound)
    return { interactive: [busybox, 'sh'], plain: [busybox, 'sh'] };
  const bash = stdout.trim();
  return { interactive: [bash.startsWith('/') ? bash : 'sh'], plain: ['sh'] };
}

async function exitCodeOf(
  engine: Engine,
  { service, task, containerId }: RunningTask,
  program: ProgramConnection,
): Promise<number | undefined> {
  const exitCode = await program.exitCode();
  if (exitCode !== killed) return exitCode;
  const end = performance.now() + containerEndMs;
  while (performance.now() < end) {
    const present = (await engine.tasks(service.name)).find(({ id }) => id === task.id);
    if (present?.state !== 'running' || (await engine.containerEnd(containerId))) return undefined;
    await pause(lookMs);
  }
  return exitCode;
}
