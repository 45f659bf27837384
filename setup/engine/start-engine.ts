/** Starts Debian's engine where no service manager does it. */
import { AppError } from '../../server/src/domain/errors.ts';
import type { SetupContext } from '../context.ts';
import { isAlive } from '../process/process-identity.ts';
import { startDetached, tailOf } from '../starters/detached.ts';
import { waitUntil } from '../process/wait-until.ts';

const startLimitMs = 60_000;

/**
 * Starts dockerd detached and waits until it answers; its own settings file (/etc/docker/daemon.json) is
 * honoured by it.
 */
export async function startEngine(context: SetupContext): Promise<void> {
  const { layout, settings, engine, signal } = context;
  const identity = await startDetached({
    argv: ['/usr/sbin/dockerd', '--host', `unix://${settings.engineSocket}`],
    env: {
      ...proxyVariables(),
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: '/root',
    },
    cwd: '/',
    logFile: layout.engineLog,
    recordFile: layout.engineProcess,
  });
  const state = await waitUntil(
    async () => {
      if (await engine.answers(2000)) return 'answers';
      return isAlive(identity) ? undefined : 'ended';
    },
    { limitMs: startLimitMs, signal },
  );
  if (state === 'answers') return;
  const fault = state === 'ended' ? 'ended at once' : `did not answer within ${startLimitMs / 1000} s`;
  throw new AppError(
    'PRECONDITION_FAILED',
    `the container engine ${fault}. Fix what its log names (${layout.engineLog}) and run the command ` +
      `again. Its last lines:\n${tailOf(layout.engineLog, 12)}`,
  );
}

/** A machine behind a proxy pulls through it. */
function proxyVariables(): Record<string, string> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
