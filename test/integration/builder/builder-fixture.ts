import { testInstallation } from '../../installation.ts';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  createBuildEngines,
  type BuildEnginesOptions,
} from '../../../server/src/adapters/build-engine/build-engines.ts';
import { nameOf } from '../../../server/src/adapters/build-engine/container-spec.ts';
import { createBuilder } from '../../../server/src/adapters/builder/builder.ts';
import type { BuilderOptions } from '../../../server/src/adapters/builder/builder.ts';
import { createBuildLimiter } from '../../../server/src/adapters/host/local/build-limits.ts';
import { outgoingNetworks } from '../../../server/src/domain/network/outgoing.ts';
import { createImageAccess } from '../../../server/src/modules/image/image.ts';
import type { BuildEngines } from '../../../server/src/ports/engine/build-engine.ts';
import type { BuildRequest } from '../../../server/src/ports/engine/builder.ts';
import { randomId, systemClock } from '../../../server/src/ports/clock.ts';
import { command } from '../../../server/src/shell/command.ts';
import { run } from '../../../server/src/shell/run.ts';

export interface BuilderFixture extends AsyncDisposable {
  /** Whose builds these are. */
  organizationId: string;
  engines: BuildEngines;
  folder: string;
  source: string;
  scratch: string;
  lines: string[];
  /** Replaces the source by these files. */
  write(files: Record<string, string>): void;
  /** Builds with sensible defaults; the image is `berth-test/<pid>-<n>:1` and removed in the end. */
  build(request?: Partial<BuildRequest>): Promise<string>;
  /** Runs docker on the bed's engine; gives its output, fails when it fails. */
  docker(...args: string[]): Promise<string>;
}

const defaults = {
  buildType: 'dockerfile',
  buildPath: '/',
  dockerfile: 'Dockerfile',
  contextPath: '',
  stage: undefined,
  publishDirectory: undefined,
  singlePage: false,
  labels: { 'berth.test': 'yes' },
  buildArguments: {},
  buildSecrets: {},
  env: {},
  noCache: false,
  limits: { memoryBytes: 1024 ** 3, nanoCpus: 2e9 },
  limitMs: 180_000,
  onChild: async () => undefined,
} as const satisfies Partial<BuildRequest>;

export function createBuilderFixture(
  engineSocket: string,
  options: Partial<BuilderOptions> = {},
  engineOptions: Partial<BuildEnginesOptions> = {},
): BuilderFixture {
  const folder = mkdtempSync(join(tmpdir(), 'builder-test-'));
  const [source, scratch] = [join(folder, 'source'), join(folder, 'scratch')];
  const organizationId = `o${process.pid}-${randomId(6)}`;
  const engines = buildersOf(engineSocket, engineOptions);
  const builder = createBuilder({
    dockerPath: '/usr/bin/docker',
    engines,
    serverName: 'this server',
    staticImage: 'berth/caddy:2.11',
    ...options,
  });
  const images: string[] = [];
  const lines: string[] = [];
  const docker = (...args: string[]): Promise<string> => runDocker(args, folder, engineSocket);
  return {
    organizationId,
    engines,
    folder,
    source,
    scratch,
    lines,
    docker,
    write: (files) => writeAnew(source, files),
    build: async (request = {}) => {
      const image = `berth-test/${process.pid}-${images.length}:1`;
      images.push(image);
      await builder.build({
        ...defaults,
        organizationId,
        sourceDirectory: source,
        scratchDirectory: scratch,
        image,
        signal: AbortSignal.timeout(180_000),
        onLine: (line) => lines.push(line),
        ...request,
      });
      return image;
    },
    [Symbol.asyncDispose]: async () => {
      const name = nameOf({ installation: testInstallation }, organizationId);
      await docker('rm', '--force', name).catch(() => undefined);
      await docker('volume', 'rm', '--force', name).catch(() => undefined);
      for (const image of images) await docker('image', 'rm', '--force', image).catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Of an installation that has pulled nothing and shares nothing. */
const images = createImageAccess({
  store: { pull: async () => undefined, pullsOf: async () => [], keepPull: async () => undefined },
  shared: async () => [],
  clock: systemClock,
});

/** Builders with the walls of a tenant's, in the folder that both the host and this machine see. */
function buildersOf(engineSocket: string, options: Partial<BuildEnginesOptions>): BuildEngines {
  return createBuildEngines({
    installation: testInstallation,
    engineSocket,
    folder: join(dirname(engineSocket), 'builders'),
    hostFolder: '/run/bed/builders',
    limiterOf: (socket) => createBuildLimiter(socket),
    wallsOf: async () => ({
      ...outgoingNetworks({ reachesPrivate: false, allowed: [], platform: [] }),
      host: [],
      hostPorts: [80, 443],
    }),
    isShared: async (reference) => reference.startsWith('berth/'),
    mayBuildFrom: (claim, image) => images.mayBuildFrom({ ...claim, serverKey: 'local' }, image),
    ...options,
  });
}

/** Its output; fails when it fails. */
async function runDocker(args: string[], folder: string, engineSocket: string): Promise<string> {
  const said: string[] = [];
  const result = await run(
    command(['/usr/bin/docker', ...args], { cwd: folder, env: { DOCKER_HOST: `unix://${engineSocket}` } }),
    {
      signal: AbortSignal.timeout(120_000),
      limitMs: 120_000,
      scratchDirectory: join(folder, 'docker'),
      onLine: (line) => said.push(line),
    },
  );
  if (result.exitCode !== 0) throw new Error(`docker ${args.join(' ')}: ${said.join('\n')}`);
  return said.join('\n');
}

function writeAnew(folder: string, files: Record<string, string>): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}
