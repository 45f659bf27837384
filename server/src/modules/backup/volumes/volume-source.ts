/** A volume of an application or compose service as the source of a backup: an archive of its files. */
import { backupRunLabel } from '../../../domain/names/labels.ts';
import { AppError } from '../../../domain/errors.ts';
import { firstVolume } from '../../../domain/names/restored-volumes.ts';
import { ownerLabels } from '../../../domain/names/service-ref.ts';
import type { ServiceSpec } from '../../../ports/engine/engine.ts';
import type { RunContext } from '../runs/run-context.ts';
import type { BackupRuns } from '../runs/runs.ts';
import type { Bytes } from '../runs/unpack/bytes.ts';
import type { BackupSourceKind } from '../source.ts';
import { giveBack, hold, requireHeld, type Holding } from './hold.ts';
import { readArchive, volumeProgram } from './volume-program.ts';
import {
  foundService,
  mountsVolume,
  refOf,
  volumeNow,
  type LiveVolumes,
  type VolumeService,
  type VolumeServices,
} from './volume-service.ts';

export interface VolumeSourcePorts {
  services: VolumeServices;
  runs: Pick<BackupRuns, 'record'>;
}

export function createVolumeSource({ services, runs }: VolumeSourcePorts): BackupSourceKind {
  return {
    ending: () => 'tar.gz',
    async open({ volumeName, serviceDuring, ...backup }, context) {
      const service = await foundService(services, refOf(backup));
      const live = await services.live(service.ref);
      const volume = volumeNow(service, volumeName ?? '');
      const users = usersOf(service, live, volume);
      await requireVolume(service, live, volume);
      const holding = { services, live, users, during: serviceDuring ?? 'running' };
      return {
        title: `the volume ${volumeName ?? ''} of ${service.name}`,
        secrets: [],
        read: () => read(holding, { service, volume }, context),
      };
    },
    async tidy(run) {
      for (const engine of await services.engines(refOf(run)))
        await engine.removeContainers(`${backupRunLabel}=${run.backupRunId}`);
      await giveBack(services, run, async (patch) => {
        Object.assign(run, patch);
        await runs.record(run.backupRunId, patch);
      });
    },
  };
}

/** Those services of the live release that have the volume. */
export function usersOf(
  { name }: VolumeService,
  { specs }: LiveVolumes,
  volume: string,
): [ServiceSpec, ...ServiceSpec[]] {
  const [first, ...others] = specs.filter((spec) => mountsVolume(spec, volume));
  if (first) return [first, ...others];
  throw new AppError(
    'PRECONDITION_FAILED',
    specs.length === 0
      ? `${name} was never deployed, so it has no volume yet. Deploy it first.`
      : `The running version of ${name} does not have the volume ${volume}. Check its mounts, or deploy ` +
          'it again.',
  );
}

/** The engine would make an absent one, and its emptiness would be a good backup. */
async function requireVolume(
  { ref, name }: VolumeService,
  { engine }: LiveVolumes,
  volume: string,
): Promise<void> {
  const isOwn = volume.startsWith(firstVolume(ref, ''));
  const isThere = isOwn
    ? (await engine.volumes(`${ownerLabels[ref.kind]}=${ref.serviceId}`)).includes(volume)
    : await engine.hasVolume(volume);
  if (isThere) return;
  throw new AppError(
    'PRECONDITION_FAILED',
    `The engine has no volume ${volume}, although ${name} should have it. Check its server, or restore ` +
      'it from an earlier backup.',
  );
}

async function* read(
  holding: Holding,
  { service, volume }: { service: VolumeService; volume: string },
  context: RunContext,
): Bytes & AsyncGenerator<Uint8Array> {
  const { live, users, services } = holding;
  const { run, signal, say } = context;
  const [image] = users;
  if (!image) return;
  const program = volumeProgram(service, live, {
    backupRunId: run.backupRunId,
    volume,
    writes: false,
    argv: readArchive,
    image,
  });
  try {
    await hold(holding, context);
    yield* live.engine.programOutput(program, { signal, onLine: say });
    await requireHeld(holding, run);
  } finally {
    if (run.held !== null)
      await context.step(
        run.held.how === 'paused' ? 'let the service go on' : 'start the service',
        async () => {
          await giveBack(services, run, context.record);
          return { value: undefined };
        },
      );
  }
}
