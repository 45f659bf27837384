/**
 * The stages of a server's set-up (decisions 13). Each looks first and does only what is missing, so that a
 * set-up that was broken off anywhere goes on, and a second one changes nothing.
 */
import { proxyServiceName } from '../../../domain/names/names.ts';
import { AppError } from '../../../domain/errors.ts';
import type { ServerShell } from '../../../ports/host/server-shell.ts';
import { builderProgramsStage } from './builder-programs.ts';
import { engineStage, swarmStage } from './engine-stages.ts';
import { runTelling } from './run-telling.ts';
import type { SetupContext, Stage } from './stage.ts';

export const setupStages = [
  'connect',
  'facts',
  'packages',
  'engine',
  'swarm',
  'network',
  'folders',
  'proxy',
  'tools',
  'builders',
  'probe',
] as const;
export type SetupStage = (typeof setupStages)[number];

/** Of the system, one a line: apt, systemd, machine, kernel, free kilobytes, name. */
const factsScript = `[ -x /usr/bin/apt-get ] && echo apt || echo none
[ -d /run/systemd/system ] && echo systemd || echo none
uname -m
uname -r
df -Pk /var | sed -n '2s/^[^ ]* *[0-9]* *[0-9]* *\\([0-9]*\\).*/\\1/p'
. /etc/os-release 2>/dev/null; echo "$PRETTY_NAME"`;

const leastFreeKilobytes = 2 * 1024 * 1024;
const aptLimitMs = 15 * 60_000;
const imageLimitMs = 15 * 60_000;
const aptOptions = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Dpkg::Options::=--force-confold'] as const;

async function connect({ shell, say }: SetupContext): Promise<string[]> {
  await runTelling(shell, ['true']);
  say(`Connected to ${shell.name} at ${shell.address} as ${shell.username}.`);
  return [];
}

async function facts(context: SetupContext): Promise<string[]> {
  const { shell, say } = context;
  const { stdout } = await runTelling(shell, ['sh', '-c', factsScript]);
  const [apt, init, machine = '', kernel = '', free = '', name = ''] = stdout.split('\n');
  context.facts.hasApt = apt === 'apt';
  context.facts.hasSystemd = init === 'systemd';
  const gigabytes = Math.floor(Number(free) / 1024 / 1024);
  say(
    `It is ${name || 'a system without a name'} on ${machine}, kernel ${kernel}; ${gigabytes} GiB are free.`,
  );
  if (Number(free) < leastFreeKilobytes)
    throw new AppError(
      'PRECONDITION_FAILED',
      `Only ${Math.floor(Number(free) / 1024)} MiB are free below /var of ${shell.name}, and at least ` +
        `${leastFreeKilobytes / 1024} MiB are needed for the engine and its images. Make room, then set ` +
        'up again.',
    );
  return [];
}

/** Debian's engine only where there is none at all; nothing that is installed is replaced. */
async function packages(context: SetupContext): Promise<string[]> {
  const { shell, say, signal } = context;
  const { hasApt } = context.facts;
  const engine = await shell.run(['sh', '-c', 'command -v dockerd'], { signal });
  const hasEngine = engine.code === 0 || (await shell.engine.info()) !== undefined;
  if (hasEngine) say('A container engine is installed; it is used as it is.');
  const changes: string[] = [];
  if (!hasEngine) {
    if (!hasApt)
      throw new AppError(
        'PRECONDITION_FAILED',
        `${shell.name} has no container engine and no apt-get, so Berth cannot install one. Install Docker ` +
          '20.10 or later there and start it, then set up again.',
      );
    await keepOwnControlGroups(context, changes);
    await install(context, ['docker.io', 'iptables', 'ca-certificates']);
    changes.push('installed the container engine (docker.io of the distribution)');
  }
  // What backups would use there; the server works without it, and server.validate tells of it.
  if (hasApt && (await shell.run(['sh', '-c', 'command -v rclone'], { signal })).code !== 0) {
    try {
      await install(context, ['rclone']);
      changes.push('installed rclone');
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'SERVICE_UNAVAILABLE') throw error;
      say(`rclone could not be installed, and nothing that runs needs it: ${error.message}`);
    }
  }
  return changes;
}

/** Builds can be limited only where the engine keeps its own control groups; a file that is there stays. */
async function keepOwnControlGroups({ shell }: SetupContext, changes: string[]): Promise<void> {
  const settings = `${JSON.stringify({ 'exec-opts': ['native.cgroupdriver=cgroupfs'] }, null, 2)}\n`;
  const script = '[ -e "$1" ] && exit 0; mkdir -p "${1%/*}" && cat >"$1" && echo made';
  const path = '/etc/docker/daemon.json';
  const { stdout } = await runTelling(shell, ['sh', '-c', script, 'sh', path], { stdin: settings });
  if (stdout.trim() === 'made') changes.push(`wrote ${path}, so that builds can be limited`);
}

/** Until no other installation runs, ten minutes at most: their locks would refuse this one at once. */
const othersScript = `end=$(($(date +%s) + 600))
while pidof -x apt-get apt dpkg unattended-upgrade >/dev/null; do
  [ "$(date +%s)" -lt "$end" ] || { echo 'another installation of packages does not end' >&2; exit 1; }
  sleep 1
done`;

async function install({ shell, signal, say }: SetupContext, names: string[]): Promise<void> {
  const options = { signal, limitMs: aptLimitMs };
  say(`Installing ${names.join(', ')} …`);
  // What a set-up that was broken off began may still run; it is waited for, then finished.
  await runTelling(shell, ['sh', '-c', othersScript], options);
  await runTelling(shell, ['dpkg', '--configure', '-a'], options);
  await runTelling(shell, ['apt-get', 'update', '-q', ...aptOptions], options);
  await runTelling(
    shell,
    [
      'env',
      'DEBIAN_FRONTEND=noninteractive',
      'apt-get',
      'install',
      '-y',
      '-q',
      '--no-install-recommends',
      ...aptOptions,
      ...names,
    ],
    options,
  );
}

async function network({ host, shell, serverType, isNode, claim }: SetupContext): Promise<string[]> {
  if (!isNode) await claim();
  // A node has those of its cluster.
  if (serverType === 'build' || isNode) return [];
  const before = new Set((await host.engine.networks()).map(({ name }) => name));
  await host.networks.ensurePlatform();
  const made = (await host.engine.networks()).filter(({ name }) => !before.has(name));
  return made.map(({ name }) => `made the network ${name} on ${shell.name}`);
}

/** They are made with each connection; here only whether they can be used. */
async function folders({ host, shell }: SetupContext): Promise<string[]> {
  const { data, proxy, composes, builders } = host.folders;
  await runTelling(shell, ['ls', '-d', data, proxy, composes, builders]);
  return [];
}

async function proxy({
  host,
  shell,
  serverType,
  isNode,
  settle,
  images,
  signal,
  say,
}: SetupContext): Promise<string[]> {
  if (serverType === 'build' || isNode) return [];
  const before = await host.engine.service(proxyServiceName);
  // One that stayed of a cluster which the server is no node of any more.
  if (!before) await host.nodeProxy?.remove();
  if (!before)
    for (const port of [host.proxyPorts.http, host.proxyPorts.https])
      if (!(await host.isPortFree(port))) throw await heldPort(shell, port);
  if (!(await host.engine.image(images.proxy))) {
    say(`Copying the proxy's image ${images.proxy} …`);
    await host.fetchImage?.(images.proxy, AbortSignal.any([signal, AbortSignal.timeout(imageLimitMs)]));
  }
  await settle();
  if ((await host.proxy.current()) === undefined)
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      `The proxy of ${shell.name} does not answer yet. See "docker service ps berth-proxy" there, then set ` +
        'up again.',
    );
  return before ? [] : ['started the proxy on the ports 80 and 443'];
}

/** Names the program that listens, as ss(8) shows it: users:(("nginx",pid=12,fd=6)). */
async function heldPort(shell: ServerShell, port: number): Promise<AppError> {
  const shown = await shell
    .run(['ss', '-ltnpH', 'sport', '=', `:${port}`])
    .catch(() => ({ code: 1, stdout: '', stderr: '' }));
  const holder = /users:\(\("([^"]{1,60})",pid=(\d+)/.exec(shown.stdout);
  const who = holder ? `${holder[1] ?? ''} (process ${holder[2] ?? ''})` : 'another program';
  return new AppError(
    'PRECONDITION_FAILED',
    `Port ${port} of ${shell.name} is held by ${who}, and Berth's proxy needs it. Stop that program or ` +
      'give it another port, then set up again.',
  );
}

/** What builds run in, so that the first one need not wait for it. */
async function tools({ host, images, signal, say }: SetupContext): Promise<string[]> {
  if (await host.engine.image(images.builder)) return [];
  say(`Copying the image that builds run in, ${images.builder} …`);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(imageLimitMs)]);
  if (await host.fetchImage?.(images.builder, limit)) return [`copied the image ${images.builder}`];
  say(
    `Berth's own machine does not have ${images.builder} either; run bin/up there. Nothing can be ` +
      'built here.',
  );
  return [];
}

async function probe({ host, shell, say }: SetupContext): Promise<string[]> {
  const { hasProbe } = await host.facts();
  await host.engine.info();
  say(
    hasProbe
      ? `The engine of ${shell.name} answers, and health can be asked.`
      : `The engine of ${shell.name} answers. Its architecture differs from that of Berth's own machine, ` +
          'so the health of services is only what their own checks say.',
  );
  return [];
}

export const stages: Readonly<Record<SetupStage, Stage>> = {
  connect,
  facts,
  packages,
  engine: engineStage,
  swarm: swarmStage,
  network,
  folders,
  proxy,
  tools,
  builders: builderProgramsStage,
  probe,
};
