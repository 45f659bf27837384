/**
 * A volume is restored beside: into a new one, which the service has from then on. The one before is kept.
 */
import { backupRunLabel } from '../../../domain/names/labels.ts';
import { AppError } from '../../../domain/errors.ts';
import type { ServiceSpec } from '../../../ports/engine/engine.ts';
import { firstVolume, restoredVolume } from '../../../domain/names/restored-volumes.ts';
import { unsealed } from '../keys/keys.ts';
import { checkRead, explain, findObject, recipientsOf, type ObjectPorts } from '../runs/load-object.ts';
import type { RunContext } from '../runs/run-context.ts';
import { changeOverStep } from '../runs/runs.ts';
import type { RunOperation } from '../runs/runner.ts';
import { drain, decompressed, measured, type Measure } from '../runs/streams.ts';
import type { BackupRunRecord } from '../store.ts';
import { removeWhenFree } from '../../../ports/engine/remove-when-free.ts';
import { countFiles, volumeProgram, writeArchive, type VolumeProgram } from './volume-program.ts';
import {
  foundService,
  mountsVolume,
  refOf,
  volumeNow,
  type LiveVolumes,
  type VolumeService,
  type VolumeServices,
} from './volume-service.ts';
import { usersOf } from './volume-source.ts';
import { limitedBytes } from '../../../domain/text/limited-bytes.ts';

export interface VolumeRestoringPorts extends ObjectPorts {
  services: VolumeServices;
}

export function createVolumeRestoring(ports: VolumeRestoringPorts): RunOperation {
  return {
    run: (context) => restore(ports, context),
    async tidy(run) {
      const { services, runs } = ports;
      const engines = await services.engines(refOf(run));
      for (const engine of engines) await engine.removeContainers(`${backupRunLabel}=${run.backupRunId}`);
      const service = await services.find(refOf(run));
      if (service && isOn(service, run)) return;
      for (const engine of engines) await removeWhenFree(engine, targetOf(run));
      if (run.previousVolume !== null) await runs.record(run.backupRunId, { previousVolume: null });
    },
  };
}

/** The same in every attempt, so that a later one finds it. */
const targetOf = (run: BackupRunRecord): string =>
  restoredVolume(refOf(run), run.volumeName ?? '', run.backupRunId);

const isOn = (service: VolumeService, run: BackupRunRecord): boolean =>
  service.restoredVolumes[run.volumeName ?? ''] === targetOf(run);

async function restore(ports: VolumeRestoringPorts, context: RunContext): Promise<void> {
  const { run, say } = context;
  const service = await foundService(ports.services, refOf(run));
  if (isOn(service, run)) {
    say(
      'The restored volume was complete and the switch to it had begun before Berth was restarted; ' +
        'continuing there.',
    );
  } else {
    await fill(ports, context, service);
    // Known before the change, so that a crash in it forgets no volume.
    await context.record({ previousVolume: volumeNow(service, run.volumeName ?? '') });
  }
  await context.step(changeOverStep, async () => {
    await changeOver(ports, context, service);
    return {
      value: undefined,
      detail: `runs on ${targetOf(run)}; the previous state is kept in ${run.previousVolume ?? ''}`,
    };
  });
}

/** A new volume with the object in it, looked into. */
async function fill(ports: VolumeRestoringPorts, context: RunContext, service: VolumeService): Promise<void> {
  const { run, signal, say } = context;
  const live = await ports.services.live(service.ref);
  const [image] = usersOf(service, live, volumeNow(service, run.volumeName ?? ''));
  const store = await findObject(ports, context, {
    what: 'the restored volume',
    disk: await ports.services.disk(service.ref),
  });
  const program = programsOf(service, live, { backupRunId: run.backupRunId, volume: targetOf(run), image });
  await context.step('load', async () => {
    const read: Measure = { bytes: 0, checksum: '' };
    const stored = measured(store.read(run.path, signal), read);
    const input = decompressed(unsealed(store, run, stored, await recipientsOf(ports, run)));
    try {
      await drain(live.engine.programOutput(program(writeArchive, true), { signal, input, onLine: say }));
    } catch (error) {
      if (!signal.aborted) await explain(ports, run, store, signal);
      throw error;
    }
    await checkRead(ports, run, read);
    return { value: undefined, detail: `${read.bytes} bytes, SHA-256 ${read.checksum}` };
  });
  await context.step('check', async () => {
    const output = live.engine.programOutput(program(countFiles, false), { signal, onLine: say });
    const files = Number((await limitedBytes(output, 1024, 'The count of files')).toString().trim());
    if (!Number.isInteger(files))
      throw new AppError('PRECONDITION_FAILED', 'The files of the restored volume could not be counted.');
    return { value: undefined, detail: `${files} file${files === 1 ? '' : 's'}` };
  });
}

const programsOf =
  (
    service: VolumeService,
    live: LiveVolumes,
    shared: Pick<VolumeProgram, 'backupRunId' | 'volume'> & { image: ServiceSpec },
  ) =>
  (argv: VolumeProgram['argv'], writes: boolean) =>
    volumeProgram(service, live, { ...shared, argv, writes });

async function changeOver(
  { services }: VolumeRestoringPorts,
  context: RunContext,
  { ref, name }: VolumeService,
): Promise<void> {
  const { run, signal, say } = context;
  const volumeName = run.volumeName ?? '';
  const target = targetOf(run);
  await services.change(ref, volumeName, target);
  const failure = await services.releaseAgain(ref, `Restore of the volume ${volumeName}`, { signal, say });
  if (failure === undefined) return;
  // Another deployment may have taken it meanwhile.
  if ((await services.specs(ref)).some((spec) => mountsVolume(spec, target))) return;
  const before = run.previousVolume;
  await services.change(ref, volumeName, before === firstVolume(ref, volumeName) ? null : before);
  await context.record({ previousVolume: null });
  throw new AppError(
    'PRECONDITION_FAILED',
    `The restored volume was not accepted: ${failure} ${name} has its former volume again.`,
  );
}
