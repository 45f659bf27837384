/** The engine of the bed's m1, as the engine's suite and the proxy's tests use it. */
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type {} from '../../bed/global-setup.ts';
import { mustRun } from '../../../images/command.ts';
import { createEngineClient, ownedBy } from '../../../server/src/adapters/engine/client/engine-client.ts';
import { createEngineView } from '../../../server/src/adapters/engine/view/engine-view.ts';
import { createSwarmEngine } from '../../../server/src/adapters/engine/swarm.ts';
import type { ServiceSpec } from '../../../server/src/ports/engine/engine.ts';
import { testInstallation } from '../../installation.ts';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import { dockerCli } from '../../bed/host/golden.ts';
import { stepService, type EngineFixture } from '../../engine-suite/fixture.ts';

/** The engine of the bed's m1 through the port, and its bare API for what Berth would not do. */
export function bedEngine(): EngineFixture & { ip: string } {
  const { engineSocket, ip } = inject('servers').m1;
  const api = ownedBy(createEngineClient(engineSocket), testInstallation);
  return {
    engine: createSwarmEngine({ client: api }),
    view: createEngineView({ client: api }),
    api,
    ip,
    registries: async () => ({
      ...(await (await bedOfRun()).registries()),
      nowhere: `${inject('bed').machineIp}:1`,
      makeSmallImage: (tag) => buildBusybox(engineSocket, tag),
    }),
  };
}

/** One static program of 2 MB, so that pushing it costs little. */
async function buildBusybox(engineSocket: string, tag: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'small-image-'));
  await copyFile('/bin/busybox', join(folder, 'busybox'));
  await writeFile(join(folder, 'Dockerfile'), 'FROM scratch\nCOPY busybox /busybox\n');
  await mustRun([dockerCli, '-H', `unix://${engineSocket}`, 'build', '--quiet', '--tag', tag, folder], {
    limitMs: 60_000,
    env: { ...process.env, DOCKER_BUILDKIT: '1' },
  });
  await rm(folder, { recursive: true });
}

/** A service that runs a program text with Node. */
export function nodeService(name: string, program: string, change: Partial<ServiceSpec> = {}): ServiceSpec {
  return stepService(name, [], { command: ['node', '-e', program], ...change });
}
