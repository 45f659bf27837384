/**
 * Berth's busybox in the service's own image, which is on the host already: nothing is fetched, and nothing
 * of the image runs. It sees the one volume and no network.
 */
import { backupRunLabel, organizationLabel } from '../../../domain/names/labels.ts';
import { randomId } from '../../../ports/clock.ts';
import { ownerLabels } from '../../../domain/names/service-ref.ts';
import type { ServiceSpec } from '../../../ports/engine/engine.ts';
import type { ProgramSpec } from '../../../ports/engine/engine-program.ts';
import type { LiveVolumes, VolumeService } from './volume-service.ts';

const busybox = '/.berth/busybox';
const folder = '/.berth/volume';

/** Prints an archive of the volume: owners, rights, times, links; sockets are left out. */
export const readArchive = [busybox, 'tar', '-c', '-f', '-', '-C', folder, '.'] as const;
/** Takes an archive on its input into the volume; what is no archive, or only a part of one, fails. */
export const writeArchive = [busybox, 'tar', '-x', '--numeric-owner', '-f', '-', '-C', folder] as const;
/** Prints how many files there are, folders not counted. */
export const countFiles = [
  busybox,
  'sh',
  '-c',
  `"$0" find ${folder} ! -type d -print0 | "$0" tr -cd '\\0' | "$0" wc -c`,
  busybox,
] as const;

/** Prints a SHA-256 over the names and contents of all files. */
export const digestFiles = [
  busybox,
  'sh',
  '-c',
  `cd ${folder} && "$0" find . -type f -print0 | "$0" sort -z | "$0" xargs -0 -r "$0" sha256sum | ` +
    '"$0" sha256sum',
  busybox,
] as const;

/** Without them root is nobody to files of others. */
const reading = ['DAC_OVERRIDE'];
const writing = ['DAC_OVERRIDE', 'CHOWN', 'FOWNER', 'FSETID', 'MKNOD'];
const limits = { memoryBytes: 256 * 1024 * 1024, nanoCpus: 1_000_000_000, pids: 32 };

export interface VolumeProgram {
  backupRunId: string;
  volume: string;
  /** Writes into the volume, and makes it where it is absent. */
  writes: boolean;
  argv: readonly [string, ...string[]];
  /** One that the host runs. */
  image: Pick<ServiceSpec, 'image' | 'registryAuth'>;
}

export function volumeProgram(
  { ref, organizationId }: Pick<VolumeService, 'ref' | 'organizationId'>,
  { probePath }: Pick<LiveVolumes, 'probePath'>,
  { backupRunId, volume, writes, argv, image }: VolumeProgram,
): ProgramSpec {
  return {
    name: `volume-${backupRunId.slice(0, 12).toLowerCase()}-${randomId(8).toLowerCase()}`,
    image: image.image,
    registryAuth: image.registryAuth,
    argv,
    env: {},
    network: 'none',
    labels: { [backupRunLabel]: backupRunId, [organizationLabel]: organizationId },
    marksItsEnd: true,
    confined: {
      mounts: [
        { type: 'bind', source: probePath, target: busybox, readOnly: true },
        {
          type: 'volume',
          source: volume,
          target: folder,
          readOnly: !writes,
          labels: { [organizationLabel]: organizationId, [ownerLabels[ref.kind]]: ref.serviceId },
        },
      ],
      shell: [busybox, 'sh'],
      capabilities: writes ? writing : reading,
      limits,
    },
  };
}
