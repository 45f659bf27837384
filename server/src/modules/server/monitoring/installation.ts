/**
 * The monitoring agent laid out on a server and run by its engine (decisions 15). It opens no port: Berth
 * asks it on a socket, through the connection to the server.
 */
import { managedLabel, roleLabel } from '../../../domain/names/labels.ts';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { AppError } from '../../../domain/errors.ts';
import { agentFlags } from '../../../domain/resources/node-flags.ts';
import type { Secret } from '../../../domain/secrets/secret.ts';
import { type ServiceSpec } from '../../../ports/engine/engine.ts';
import type { AgentPlaces, Host } from '../../../ports/host/host.ts';
import type { AgentProgram, CollectorSettings } from '../../../ports/metrics.ts';
import type { ServerShell } from '../../../ports/host/server-shell.ts';
import { runTelling } from '../setup/run-telling.ts';

export interface Installation {
  host: Host;
  /** Whether it is a node of another server's cluster, whose managers do not run the agent. */
  isNode: boolean;
  shell: ServerShell;
  program: AgentProgram;
  settings: CollectorSettings;
  token: Secret;
  /** Whatever it runs in that has the C library of Debian; the builders' image is on every server already. */
  image: string;
  signal: AbortSignal;
}

export const agentServiceName = 'berth-monitoring';

const folderInContainer = '/berth-agent';
const inContainer = { engineSocket: '/host/engine.sock', proc: '/host/proc' };
const copyLimitMs = 10 * 60_000;
const mib = 1024 * 1024;

/** Of everything that makes the agent what it is; another one means that it is to be made anew. */
export function installationDigest({
  program,
  settings,
  token,
}: Pick<Installation, 'program' | 'settings' | 'token'>): string {
  return createHash('sha256')
    .update(JSON.stringify([program.digest, settings, hashOf(token)]))
    .digest('hex')
    .slice(0, 16);
}

/** Throws AppError with the way out. */
export async function installAgent(installation: Installation): Promise<void> {
  const { host, image, signal } = installation;
  placesOn(host);
  const folder = join(host.folders.data, 'agent');
  await requireArchitecture(installation);
  await layOut(installation, folder);
  if (!(await host.engine.image(image)) && !(await host.fetchImage?.(image, signal)))
    throw new AppError(
      'PRECONDITION_FAILED',
      `Neither ${host.name} nor Berth's own machine has the image ${image}, which the agent runs in. Run ` +
        'bin/up on the machine of Berth, then set the monitoring up again.',
    );
  const spec = await agentSpec(installation);
  if (installation.isNode) {
    await host.standing.replace(spec);
    return;
  }
  // One that stayed of a cluster which it is no node of any more.
  await host.standing.remove(agentServiceName);
  await host.engine.applyService(spec);
}

function placesOn({ agent, name }: Host): AgentPlaces {
  if (agent) return agent;
  throw new AppError('PRECONDITION_FAILED', `No monitoring agent can run on ${name}.`);
}

async function agentSpec(installation: Installation): Promise<ServiceSpec & { command: string[] }> {
  const { host, image } = installation;
  const digest = installationDigest(installation);
  return specOf({
    folder: join(host.folders.data, 'agent'),
    places: placesOn(host),
    image,
    nodeId: (await host.engine.info()).nodeId,
    digest,
    entry: [...entryOf(installation), `${folderInContainer}/${configName(digest)}`],
  });
}

async function requireArchitecture({ shell, program, host }: Installation): Promise<void> {
  const { stdout } = await runTelling(shell, ['uname', '-m']);
  const machine = stdout.trim();
  if (machine !== program.node.architecture)
    throw new AppError(
      'PRECONDITION_FAILED',
      `The processor of ${host.name} is ${machine} and that of Berth's own machine is ` +
        `${program.node.architecture}: the monitoring agent is the same program and does not run there.`,
    );
}

const place = [
  'sh',
  '-c',
  'umask 077; mkdir -p -- "${1%/*}" && cat > "$1.part" && mv -f -- "$1.part" "$1"',
  'sh',
];
const unpack =
  'umask 077; mkdir -p -- "${1%/*}" && gzip -dc > "$1.part" && chmod 700 "$1.part" && ' +
  'exec mv -f -- "$1.part" "$1"';

/** Whole or not at all, so that one that was broken off is done again; what runs keeps its open files. */
async function layOut(installation: Installation, folder: string): Promise<void> {
  const { shell, program, settings, token, signal } = installation;
  const node = join(folder, nodeName(program));
  if ((await shell.run(['test', '-x', node], { signal })).code !== 0)
    await runTelling(shell, ['sh', '-c', unpack, 'sh', node], {
      stdin: program.node.compressed(),
      signal,
      limitMs: copyLimitMs,
    });
  for (const { path, content } of program.files)
    await runTelling(shell, [...asCommand(place), join(folder, programName(program), path)], {
      stdin: content,
      signal,
    });
  const digest = installationDigest(installation);
  const config = { settings, tokenHash: hashOf(token), digest, places: inContainer };
  await runTelling(shell, [...asCommand(place), join(folder, configName(digest))], {
    stdin: JSON.stringify(config),
    signal,
  });
}

/** Removes former ones and what they were started with: the way back, until the present one answers. */
export async function tidyAgent(installation: Installation): Promise<void> {
  const { host, isNode, shell, program, signal } = installation;
  if (isNode) await host.standing.settle(agentServiceName);
  const tidy =
    'cd "$1" && shift && for each in node-* program-* config*.json; do ' +
    'case $each in "$1"|"$2"|"$3") ;; *) rm -rf -- "$each";; esac; done';
  const kept = [nodeName(program), programName(program), configName(installationDigest(installation))];
  await runTelling(shell, ['sh', '-c', tidy, 'sh', join(host.folders.data, 'agent'), ...kept], { signal });
}

/** Starts the one before it again, unless the engine has done so by itself. */
export async function putAgentBack(installation: Installation): Promise<void> {
  const { engine, standing } = installation.host;
  if (installation.isNode) return standing.putBack(agentServiceName);
  const present = await engine.service(agentServiceName);
  if (present?.specDigest === engine.specDigest(await agentSpec(installation)))
    await engine.rollbackService(agentServiceName);
}

const asCommand = ([first = 'sh', ...others]: readonly string[]): [string, ...string[]] => [first, ...others];
const nodeName = ({ node }: AgentProgram): string => `node-${node.version}`;
const programName = ({ digest }: AgentProgram): string => `program-${digest}`;
const configName = (digest: string): string => `config-${digest}.json`;
const hashOf = (token: Secret): string => createHash('sha256').update(token.reveal()).digest('hex');
const entryOf = ({ program }: Installation): string[] => [
  `${folderInContainer}/${nodeName(program)}`,
  ...agentFlags,
  `${folderInContainer}/${programName(program)}/${program.entry}`,
  folderInContainer,
];

function specOf({
  folder,
  places,
  image,
  nodeId,
  digest,
  entry,
}: {
  folder: string;
  places: AgentPlaces;
  image: string;
  nodeId: string;
  digest: string;
  entry: string[];
}): ServiceSpec & { command: string[] } {
  return {
    name: agentServiceName,
    image,
    labels: { [managedLabel]: 'true', [roleLabel]: 'monitoring' },
    // Another one makes a new task, which reads the configuration anew.
    env: [`BERTH_AGENT_DIGEST=${digest}`],
    command: entry,
    networks: [],
    replicas: 1,
    limits: { memoryBytes: 256 * mib, pids: 64 },
    reservations: {},
    mounts: [
      { type: 'bind', source: folder, target: folderInContainer },
      { type: 'bind', source: places.engineSocket, target: inContainer.engineSocket },
      { type: 'bind', source: places.proc, target: inContainer.proc, readOnly: true },
    ],
    files: [],
    ports: [],
    updateOrder: 'stop-first',
    monitorMs: 2000,
    stopGracePeriodMs: 5000,
    constraints: [`node.id==${nodeId}`],
  };
}
