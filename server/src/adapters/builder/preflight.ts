import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { command, standardPath } from '../../shell/command.ts';
import { run } from '../../shell/run.ts';

/**
 * Throws PRECONDITION_FAILED when this docker program cannot build with BuildKit; some have it only through a
 * plugin that is not there.
 */
export async function requireBuildKit(
  dockerPath: string,
  options: { env: Record<string, string>; scratch: string; serverName: string; signal: AbortSignal },
): Promise<void> {
  const said: string[] = [];
  const result = await run(
    command([dockerPath, 'build', '--help'], { cwd: options.scratch, env: options.env }),
    {
      signal: options.signal,
      limitMs: 20_000,
      scratchDirectory: options.scratch,
      captureStdout: true,
      onLine: (line) => said.push(line),
    },
  );
  if (result.ended === 'aborted') options.signal.throwIfAborted();
  if (result.exitCode === 0 && result.stdout.includes('--secret')) return;
  throw new AppError(
    'PRECONDITION_FAILED',
    `The program ${dockerPath} on ${options.serverName} cannot build with ` +
      `BuildKit${said[0] === undefined ? '' : ` (${said[0].slice(0, 200)})`}: install Debian's docker.io ` +
      'or the docker-buildx plugin, or set another path of the docker program.',
  );
}

/**
 * The program's path in the standard folders; throws PRECONDITION_FAILED naming the program, the server and
 * how to install it.
 */
export async function requireProgram(
  program: { name: string; install: string },
  buildType: string,
  serverName: string,
): Promise<string> {
  const path = await pathOf(program.name);
  if (path !== undefined) return path;
  throw new AppError(
    'PRECONDITION_FAILED',
    `The build type ${buildType} needs the program "${program.name}", which is not installed on ` +
      `${serverName}; ${program.install}, or choose the build type dockerfile.`,
  );
}

/** The program's path in the standard folders; undefined when it is in none. */
export async function pathOf(name: string, folders = standardPath): Promise<string | undefined> {
  for (const folder of folders.split(':')) {
    const path = join(folder, name);
    if (
      await access(path, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  return undefined;
}
