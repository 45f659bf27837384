/** Engine and swarm of a server: what is there is used, what is missing is started or made. */
import { AppError } from '../../../domain/errors.ts';
import type { ServerShell } from '../../../ports/host/server-shell.ts';
import { runTelling } from './run-telling.ts';
import type { SetupContext, Stage } from './stage.ts';
import { waitUntil } from '../../../ports/wait-until.ts';

const startLimitMs = 90_000;
const pauseMs = 500;
/** Lowest API version that Berth was tried with: Docker 20.10. */
const oldestApi = [1, 41] as const;

/** Starts an engine that does not run; where no service manager is, as a process of its own. */
const startScript = `if [ -d /run/systemd/system ]; then exec systemctl enable --now docker; fi
if [ -n "$(pidof dockerd)" ]; then exit 0; fi
rm -f /var/run/docker.pid
setsid sh -c 'exec dockerd >>/var/log/berth-engine.log 2>&1' </dev/null >/dev/null 2>&1 &
echo started`;

export const engineStage: Stage = async (context) => {
  const { shell, say } = context;
  const changes = await joinGroup(context);
  let engine = await shell.engine.info();
  if (engine === undefined) {
    say('The engine does not answer; starting it.');
    await runTelling(shell, ['sh', '-c', startScript], { limitMs: startLimitMs });
    engine = await answering(context);
    changes.push(
      context.facts.hasSystemd
        ? 'started the engine, and systemd starts it at boot'
        : 'started the engine; no service manager runs there, so it is not started at boot',
    );
  }
  const [major = 0, minor = 0] = engine.apiVersion.split('.').map(Number);
  if (major < oldestApi[0] || (major === oldestApi[0] && minor < oldestApi[1]))
    throw new AppError(
      'PRECONDITION_FAILED',
      `The engine of ${shell.name} is Docker ${engine.version} with API version ${engine.apiVersion}; ` +
        `Berth needs ${oldestApi.join('.')} (Docker 20.10) or later. Upgrade it, then set up again.`,
    );
  say(`Docker ${engine.version} answers (API version ${engine.apiVersion}).`);
  return changes;
};

type EngineInfo = NonNullable<Awaited<ReturnType<ServerShell['engine']['info']>>>;

async function answering({ shell, signal, facts }: SetupContext): Promise<EngineInfo> {
  const info = await waitUntil(() => shell.engine.info(), {
    everyMs: pauseMs,
    limitMs: startLimitMs,
    signal,
  });
  if (info) return info;
  const log = facts.hasSystemd ? '"journalctl -u docker"' : 'the end of /var/log/berth-engine.log';
  throw new AppError(
    'PRECONDITION_FAILED',
    `The engine of ${shell.name} was started and does not answer within ${startLimitMs / 1000} s. See ` +
      `${log} there for the reason, fix it and set up again.`,
  );
}

/** A user that is not root reaches the engine's socket by its group. */
async function joinGroup({ shell, say }: SetupContext): Promise<string[]> {
  if (shell.username === 'root') return [];
  const { stdout } = await runTelling(shell, ['id', '-nG', '--', shell.username]);
  const { code } = await shell.run(['getent', 'group', 'docker']);
  if (code !== 0 || stdout.trim().split(/\s+/).includes('docker')) return [];
  await runTelling(shell, ['usermod', '-aG', 'docker', '--', shell.username]);
  shell.signInAgain();
  say(`Members of the group docker can do all that root can: ${shell.username} now is one.`);
  return [`added ${shell.username} to the group docker, which is equivalent to root`];
}

const unusable: Readonly<Record<string, string>> = {
  pending: 'is still joining a swarm. Wait, then set up again.',
  error: 'reports a fault of its swarm ("docker info" names it). Fix it, then set up again.',
  locked: 'has a locked swarm. Unlock it ("docker swarm unlock"), then set up again.',
};

/** A swarm of which the server is a manager; Berth leaves none and remakes none. */
export const swarmStage: Stage = async ({ shell, say, isNode }) => {
  const { swarm } = (await shell.engine.info()) ?? {};
  if (swarm === undefined)
    throw new AppError('SERVICE_UNAVAILABLE', `The engine of ${shell.name} stopped answering. Set up again.`);
  if (isNode && swarm.state === 'active') {
    say(`It is a node of a cluster, known as ${swarm.nodeAddress}.`);
    return [];
  }
  if (isNode)
    throw new AppError(
      'PRECONDITION_FAILED',
      `${shell.name} is a node of a cluster by its record, but its engine is not in a swarm ` +
        `(${swarm.state}). Take it out with cluster.remove and make it join again, or set it up with a ` +
        'swarm of its own then.',
    );
  if (swarm.state === 'inactive') {
    const address = await ownAddress(shell);
    await shell.engine.initSwarm(address);
    return [`created a swarm of this one machine, known as ${address}`];
  }
  if (swarm.state === 'active' && swarm.isManager) {
    say(`It is a manager of a swarm, known as ${swarm.nodeAddress}.`);
    return [];
  }
  const why =
    swarm.state === 'active'
      ? 'is a worker of a swarm, and Berth needs a manager. Promote it there ("docker node promote"), ' +
        'or make it leave, then set up again.'
      : (unusable[swarm.state] ?? `has a swarm in the state "${swarm.state}".`);
  throw new AppError(
    'PRECONDITION_FAILED',
    `The engine of ${shell.name} ${why}${swarm.problem === '' ? '' : ` It says: ${swarm.problem}`}`,
  );
};

/** The address that Berth reaches it at when it is the machine's own, else the one of its way out. */
async function ownAddress(shell: ServerShell): Promise<string> {
  const { stdout } = await runTelling(shell, [
    'sh',
    '-c',
    'ip -o addr show; ip -o route get 192.0.2.1 || true',
  ]);
  const own = [...stdout.matchAll(/\sinet6? ([0-9a-f.:]+)\//g)].map(([, address]) => address);
  if (own.includes(shell.address)) return shell.address;
  return /\ssrc ([0-9a-f.:]+)/.exec(stdout)?.[1] ?? shell.address;
}
