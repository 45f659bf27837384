/** Opens a program in a running container of a service: which container, which shell, how it ended. */
import { composeServiceLabel, organizationLabel, taskLabel } from '../../domain/names/labels.ts';
import { AppError, badField } from '../../domain/errors.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import { isSameService, ownerOfLabels, previewRef, type ServiceRef } from '../../domain/names/service-ref.ts';
import { randomId } from '../../ports/clock.ts';
import { type Engine, type ServiceState, type TaskState } from '../../ports/engine/engine.ts';
import type { ProgramConnection, TerminalSize } from '../../ports/engine/engine-program.ts';
import type { Hosts } from '../../ports/host/host.ts';
import { refOfService } from '../service/record-lists.ts';
import type { ServiceReads } from '../service/service.ts';
import type { ForwardInput, TerminalInput } from './contract.ts';
import { waitUntilSo } from '../../ports/wait-until.ts';

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
  /** A connection to a port in the container, as a program without a terminal; refused as `open` is. */
  forward(organizationId: string, input: ForwardInput, signal: AbortSignal): Promise<OpenedTerminal>;
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

/** What of a service is meant. */
type Reach = Pick<TerminalInput, 'serviceId' | 'previewDeploymentId' | 'serviceName' | 'task'>;

const markName = 'BERTH_TERMINAL';
/**
 * Without a UTF-8 locale a shell takes letters beyond ASCII for bytes to discard. C.UTF-8 is part of glibc
 * (2.35) and Debian's, and musl knows no other encoding.
 */
const terminalEnv: Readonly<Record<string, string>> = {
  TERM: 'xterm-256color',
  LANG: 'C.UTF-8',
  LC_CTYPE: 'C.UTF-8',
};
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

/**
 * Connects to the container's own address, as its neighbours do: images trust whoever comes from 127.0.0.1
 * (pg_hba.conf of the image postgres) and ask everybody else for a password. What listens on 127.0.0.1 alone
 * is reached there, as before.
 */
const forwardScript = `name=$("$1" cat /etc/hostname)
while read -r address names; do
  case " $names " in *" $name "*) own=$address ;; esac
done </etc/hosts
port=$(printf %04X "$2")
"$1" cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | "$1" grep ":$port 0*:0000 0A" |
  "$1" grep -qv " 0100007F:$port" || own=127.0.0.1
exec "$1" nc "\${own:-127.0.0.1}" "$2"`;

export function createTerminals(parts: TerminalParts): Terminals {
  return {
    open: (organizationId, input, signal) =>
      start(parts, { organizationId, input, signal }, async (side) => {
        const { interactive, plain } = await shellOf(side, parts.busybox);
        return {
          plain,
          command: asCommand(input.command) ?? interactive,
          env: input.terminal ? terminalEnv : {},
          size: input.terminal ? { columns: input.columns, rows: input.rows } : undefined,
        };
      }),
    forward: (organizationId, input, signal) =>
      start(parts, { organizationId, input, signal }, async (side) => {
        const { exitCode } = await side([parts.busybox, 'true']);
        if (exitCode !== 0) throw cannotForward();
        return {
          plain: [parts.busybox, 'sh'],
          command: [parts.busybox, 'sh', '-c', forwardScript, 'sh', parts.busybox, String(input.port)],
          env: {},
        };
      }),
  };
}

const cannotForward = (): AppError =>
  new AppError(
    'PRECONDITION_FAILED',
    "The container does not have Berth's program to connect with: its service was released before Berth " +
      'put one there, or this machine had none. Deploy it again; if that does not help, run ./bin/up on ' +
      'the machine.',
  );

type Side = (argv: string[]) => Promise<{ exitCode: number; stdout: string }>;

interface Started {
  organizationId: string;
  input: Reach;
  signal: AbortSignal;
}

interface Chosen {
  command: readonly [string, ...string[]];
  env: Readonly<Record<string, string>>;
  size?: TerminalSize | undefined;
  /** A shell that runs scripts. */
  plain: readonly [string, ...string[]];
}

/** Starts in a running container what `choose` gives; `side` runs short programs there. */
async function start(
  parts: TerminalParts,
  { organizationId, input, signal }: Started,
  choose: (side: Side) => Promise<Chosen>,
): Promise<OpenedTerminal> {
  const { engine, services } = await placeOf(parts, organizationId, input);
  const running = await runningTask(engine, services, input);
  const { service, task, containerId } = running;
  const side: Side = async (argv) =>
    engine.exec(containerId, {
      argv,
      env: {},
      limitMs: sideLimitMs,
      signal: AbortSignal.timeout(sideLimitMs),
    });
  const { command, env, size, plain } = await choose(side).catch((error: unknown) => {
    throw unlessElsewhere(error, running);
  });
  const mark = randomId();
  const program = await engine.interact(containerId, {
    argv: command,
    env: { ...env, [markName]: mark },
    size,
    signal,
  });
  return {
    serviceName: service.labels[composeServiceLabel] ?? service.name,
    task: task.id,
    containerId,
    command,
    program,
    ended: () => exitCodeOf(engine, running, program),
    async hangUp() {
      await side([...plain, '-c', hangUpScript, 'sh', mark, parts.busybox]);
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

async function placeOf(parts: TerminalParts, organizationId: string, input: Reach): Promise<Place> {
  const { owner, name, serverId } = await ownerOf(parts, organizationId, input);
  const host = await parts.hosts.find(serverKeyOf({ serverId }));
  const nothingRuns = (): AppError =>
    new AppError(
      'PRECONDITION_FAILED',
      `Nothing of ${name} is running, so there is no container to open. Start or deploy it.`,
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
  { serviceId, previewDeploymentId }: Reach,
): Promise<{ owner: ServiceRef; name: string; serverId: string | null }> {
  if (previewDeploymentId !== undefined)
    return {
      owner: previewRef(previewDeploymentId),
      ...(await applicationOf(previewDeploymentId, organizationId)),
    };
  const found = (await services.placed(organizationId)).find((one) => one.serviceId === serviceId);
  if (!found) throw new AppError('NOT_FOUND', 'There is no service with the id given in serviceId.');
  const { name, serverId } = found;
  return { owner: refOfService(found), name, serverId };
}

function named(services: ServiceState[], wanted: string | undefined): ServiceState[] {
  const names = services.map(({ labels, name }) => labels[composeServiceLabel] ?? name);
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
  /** On another node of the swarm; Berth reaches it when that is a server of its own. */
  isElsewhere: boolean;
}

async function runningTask(
  engine: Engine,
  services: readonly ServiceState[],
  { task: wanted }: Reach,
): Promise<RunningTask> {
  const { nodeId } = await engine.info();
  for (const service of services) {
    const running = (await engine.tasks(service.name)).filter(
      ({ id, state, containerId }) =>
        state === 'running' && containerId !== undefined && (wanted === undefined || id === wanted),
    );
    const task = running.find((one) => one.nodeId === nodeId) ?? running[0];
    if (task?.containerId === undefined) continue;
    return { service, task, containerId: task.containerId, isElsewhere: task.nodeId !== nodeId };
  }
  if (wanted !== undefined)
    throw new AppError(
      'NOT_FOUND',
      'The task named in task is not running; leave it out for the newest one that is.',
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
async function shellOf(side: Side, busybox: string): Promise<Shells> {
  const { exitCode, stdout } = await side(['sh', '-c', 'command -v bash || true']);
  if (exitCode === cannotRun || exitCode === notFound)
    return { interactive: [busybox, 'sh'], plain: [busybox, 'sh'] };
  const bash = stdout.trim();
  return { interactive: [bash.startsWith('/') ? bash : 'sh'], plain: ['sh'] };
}

/** Of a container that no engine of Berth's has, where it is. */
function unlessElsewhere(error: unknown, { isElsewhere, task }: RunningTask): unknown {
  if (!isElsewhere || !(error instanceof AppError) || error.code !== 'NOT_FOUND') return error;
  return new AppError(
    'PRECONDITION_FAILED',
    `It runs on the node ${task.nodeId} of the swarm, which is not a server of Berth's or does not answer.`,
  );
}

async function exitCodeOf(
  engine: Engine,
  { service, task, containerId }: RunningTask,
  program: ProgramConnection,
): Promise<number | undefined> {
  const exitCode = await program.exitCode();
  if (exitCode !== killed) return exitCode;
  const hasEnded = async (): Promise<boolean> => {
    const present = (await engine.tasks(service.name)).find(({ id }) => id === task.id);
    return present?.state !== 'running' || (await engine.containerEnd(containerId)) !== undefined;
  };
  const isOver = await waitUntilSo(hasEnded, { everyMs: lookMs, limitMs: containerEndMs });
  return isOver ? undefined : exitCode;
}
