import { existsSync } from 'node:fs';
import { AppError } from '../../server/src/domain/errors.ts';
import { installPackages } from '../machine/apt.ts';
import { enginePackagesHere } from '../machine/engine-packages.ts';
import type { SetupContext, Step } from '../context.ts';
import { settingsPath, writeEngineSettings } from '../engine/engine-settings.ts';
import { recordMade } from '../made.ts';
import { startEngine } from '../engine/start-engine.ts';
import { processesNamed } from '../process/process-identity.ts';
import { readText, removeRecord } from '../record.ts';
import { recordedProcess } from '../starters/detached.ts';
import { enableEngine, systemdRuns } from '../starters/systemd.ts';
import { waitUntil } from '../process/wait-until.ts';

/** An engine that has just been started by someone else answers within this. */
const silentLimitMs = 20_000;

const usualSockets = ['/var/run/docker.sock', '/run/docker.sock'];

/**
 * The container engine: the one that runs is used; only where there is none, Debian's is installed and
 * started.
 */
export const engineStep: Step = {
  title: 'Container engine',
  async run(context) {
    const origin = (await context.engine.answers(10_000)) ? runningSentence(context) : await bringUp(context);
    const info = await context.engine.info();
    if (info.OSType !== 'linux')
      throw new AppError(
        'PRECONDITION_FAILED',
        `the engine at ${context.engine.socket} runs ${info.OSType} containers. Berth needs a Linux engine.`,
      );
    return `${origin}, version ${info.ServerVersion}`;
  },
};

function runningSentence({ layout }: SetupContext): string {
  const ours = recordedProcess(layout.engineProcess);
  return ours === undefined
    ? 'uses the engine that runs here'
    : `uses the engine that bin/up started (process ${ours.pid})`;
}

async function bringUp(context: SetupContext): Promise<string> {
  if (!usualSockets.includes(context.settings.engineSocket)) {
    throw new AppError(
      'PRECONDITION_FAILED',
      `no engine answers at BERTH_ENGINE_SOCKET=${context.settings.engineSocket}. Start that engine, or ` +
        `set BERTH_ENGINE_SOCKET= (empty) to use this machine's own.`,
    );
  }
  if (await silentEngineAwakes(context)) return 'uses the engine that has just started';
  const installs = !existsSync('/usr/sbin/dockerd');
  if (installs && writeEngineSettings()) {
    recordMade(context.layout, { files: [settingsPath] });
    context.say(`the engine keeps its own control groups, so that builds can be limited (${settingsPath})`);
  }
  if (installs) await installPackages(enginePackagesHere().engine, context);
  if (systemdRuns()) {
    await enableEngine(context);
    if (!(await awaitAnswer(context, 30_000))) {
      throw new AppError(
        'PRECONDITION_FAILED',
        'systemd started docker.service, but it does not answer. See "journalctl -u docker" for the ' +
          'reason, fix it and run the command again.',
      );
    }
    return `${installs ? 'installed' : 'found'}; systemd starts it, also at boot`;
  }
  await startEngine(context);
  return (
    `${installs ? 'installed' : 'found'}; no service manager runs here, so bin/up started it itself ` +
    `(log: ${context.layout.engineLog})`
  );
}

/**
 * Two engines side by side destroy each other's networks, so an engine that is there but silent is waited for
 * and then left to the person. What an engine of our own left behind when it was killed is known by its
 * record.
 */
async function silentEngineAwakes(context: SetupContext): Promise<boolean> {
  const [engine] = processesNamed('dockerd');
  if (engine !== undefined) {
    context.say(
      `an engine is there (dockerd, process ${engine.pid}) but does not answer; waits up to ` +
        `${silentLimitMs / 1000} s for it`,
    );
    if (await awaitAnswer(context, silentLimitMs)) return true;
    throw new AppError(
      'PRECONDITION_FAILED',
      `an engine runs here (dockerd, process ${engine.pid}) and does not answer at ` +
        `${context.settings.engineSocket}. Berth does not start a second one. ` +
        ('Restart it (systemctl restart docker), end it, or set BERTH_ENGINE_SOCKET to where it listens, ' +
          'and run the command again.'),
    );
  }
  if (readText(context.layout.engineProcess) !== undefined) {
    context.say('the engine that bin/up had started is gone; it is started again');
    removeRecord(context.layout.engineProcess);
    return false;
  }
  const socket = usualSockets.find((path) => existsSync(path));
  if (socket === undefined) return false;
  if (systemdRuns()) return false;
  throw new AppError(
    'PRECONDITION_FAILED',
    `${socket} is there but no engine answers, and no dockerd is running. If an engine elsewhere serves ` +
      `it, start that one; if it is left over, remove the file ("rm ${socket}"). Then run the command again.`,
  );
}

async function awaitAnswer({ engine, signal }: SetupContext, limitMs: number): Promise<boolean> {
  return (
    (await waitUntil(async () => ((await engine.answers(2000)) ? true : undefined), { limitMs, signal })) ??
    false
  );
}
