import { existsSync } from 'node:fs';
import { AppError } from '../../server/src/domain/errors.ts';
import type { SetupContext, Step } from '../context.ts';
import { tryCommand } from '../process/run-command.ts';

/**
 * From this major version on the client builds through a plugin; older ones carry BuildKit's client
 * themselves.
 */
const firstMajorWithPlugin = 23;

/**
 * The docker client that builds images: it must be there and speak to BuildKit (secrets and cache mounts need
 * it).
 */
export const dockerCliStep: Step = {
  title: 'Docker client for builds',
  async run(context) {
    const cli = context.settings.dockerCli;
    if (!existsSync(cli)) throw missing(cli, 'is not there');
    const version = await clientVersion(context, cli);
    const needsPlugin = Number.parseInt(version, 10) >= firstMajorWithPlugin;
    if (needsPlugin && !(await hasBuildx(context, cli)))
      throw missing(cli, `is version ${version} and lacks its build plugin`);
    return `${cli}, version ${version}, builds with BuildKit${needsPlugin ? ' (plugin)' : ''}`;
  },
};

async function clientVersion(context: SetupContext, cli: string): Promise<string> {
  const shown = await tryCommand([cli, '--version'], { signal: context.signal, limitMs: 15_000 });
  const version = /version (\d+\.\d+[^\s,]*)/.exec(shown.stdout)?.[1];
  if (version === undefined) throw missing(cli, 'does not say its version');
  return version;
}

async function hasBuildx(context: SetupContext, cli: string): Promise<boolean> {
  return (
    (await tryCommand([cli, 'buildx', 'version'], { signal: context.signal, limitMs: 15_000 })).code === 0
  );
}

function missing(cli: string, fault: string): AppError {
  return new AppError(
    'PRECONDITION_FAILED',
    `the docker client ${cli} ${fault}. Install it ("apt-get install docker-cli docker-buildx" on ` +
      'Debian 13 and newer, docker.io on Debian 12, ' +
      ("docker-ce-cli and docker-buildx-plugin with Docker's own packages), or set BERTH_DOCKER_CLI to " +
        'one that can build, and run the command again.'),
  );
}
