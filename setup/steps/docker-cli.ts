import { existsSync } from 'node:fs';
import { AppError } from '../../server/src/domain/errors.ts';
import type { SetupContext, Step } from '../context.ts';
import { hasApt, installPackages } from '../machine/apt.ts';
import { enginePackagesHere } from '../machine/engine-packages.ts';
import { tryCommand } from '../process/run-command.ts';

/**
 * From this major version on the client builds through a plugin; older ones carry BuildKit's client
 * themselves.
 */
const firstMajorWithPlugin = 23;

/** Where the distributions' packages, and Docker's, put the client. */
const usualClient = '/usr/bin/docker';

/**
 * The docker client that builds images: it must be there and speak to BuildKit (secrets and cache mounts need
 * it). Where the usual one lacks, or lacks its build plugin, it is installed.
 */
export const dockerCliStep: Step = {
  title: 'Docker client for builds',
  async run(context) {
    const cli = context.settings.dockerCli;
    const fault = await faultOf(context, cli);
    if (fault !== undefined) await mend(context, cli, fault);
    const left = fault === undefined ? undefined : await faultOf(context, cli);
    if (left !== undefined) throw missing(cli, left);
    const version = await clientVersion(context, cli);
    const plugin = needsPlugin(version) ? ' (plugin)' : '';
    return `${cli}, version ${version}, builds with BuildKit${plugin}`;
  },
};

/** Undefined when the client is there and can build. */
async function faultOf(context: SetupContext, cli: string): Promise<string | undefined> {
  if (!existsSync(cli)) return 'is not there';
  const version = await clientVersion(context, cli);
  return needsPlugin(version) && !(await hasBuildx(context, cli))
    ? `is version ${version} and lacks its build plugin`
    : undefined;
}

const needsPlugin = (version: string): boolean => Number.parseInt(version, 10) >= firstMajorWithPlugin;

/** Installs what lacks, from where the client came; another client than the usual one is the person's. */
async function mend(context: SetupContext, cli: string, fault: string): Promise<void> {
  if (cli !== usualClient || !hasApt()) return;
  const packages = await packagesFor(context, cli);
  context.say(`${cli} ${fault}`);
  await installPackages(packages, context);
}

/** Docker's own client takes Docker's plugin: the distribution's has the same files. */
async function packagesFor(context: SetupContext, cli: string): Promise<readonly string[]> {
  const owner = await tryCommand(['dpkg-query', '--search', cli], {
    signal: context.signal,
    limitMs: 30_000,
  });
  return owner.stdout.startsWith('docker-ce-cli:') ? ['docker-buildx-plugin'] : enginePackagesHere().client;
}

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
    `the docker client ${cli} ${fault}. Install one that builds (${enginePackagesHere().client.join(', ')} ` +
      "of this system's packages, or docker-ce-cli and docker-buildx-plugin of Docker's own), or set " +
      'BERTH_DOCKER_CLI to its path, and run the command again.',
  );
}
