/** What becomes of a service while its volume is read: it runs on, is paused, or stopped; then as before. */
import type { HeldService } from '../../../db/stored-types.ts';
import type { ServiceDuring } from '../../../db/tables.ts';
import { AppError } from '../../../domain/errors.ts';
import type { ServiceSpec } from '../../../ports/engine/engine.ts';
import type { RunContext } from '../runs/run-context.ts';
import type { BackupRunRecord } from '../store.ts';
import { foundService, refOf, type LiveVolumes, type VolumeServices } from './volume-service.ts';

export interface Holding {
  services: VolumeServices;
  live: LiveVolumes;
  /** Those that have the volume. */
  users: readonly ServiceSpec[];
  during: ServiceDuring;
}

/** What is done is recorded before it is done, so that `giveBack` knows it after a crash. */
export async function hold({ services, live, users, during }: Holding, context: RunContext): Promise<void> {
  const { run } = context;
  const service = await foundService(services, refOf(run));
  if (during === 'running' || service.isStopped) return;
  if (during === 'stopped') {
    await context.step('stop the service', async () => {
      await context.record({ held: { how: 'stopped', containers: [] } });
      await services.stop(service.ref);
      return { value: undefined };
    });
    return;
  }
  await context.step('pause the service', async () => {
    const containers = await containersOf(live, users);
    await context.record({ held: { how: 'paused', containers } });
    for (const id of containers) await live.engine.pauseContainer(id);
    return {
      value: undefined,
      detail: `${containers.length} container${containers.length === 1 ? '' : 's'}`,
    };
  });
}

/** Those that somebody paused by hand stay so. */
async function containersOf({ engine }: LiveVolumes, users: readonly ServiceSpec[]): Promise<string[]> {
  const paused = await engine.pausedContainers();
  const found = await Promise.all(
    users.map(async ({ name }) => {
      const service = await engine.service(name);
      return service ? engine.serviceContainers(service.id) : [];
    }),
  );
  return found
    .flat()
    .map(({ id }) => id)
    .filter((id) => !paused.includes(id));
}

/** A service that ran meanwhile may have changed what had been read already. */
export async function requireHeld(
  { services, live }: Holding,
  { held, ...run }: BackupRunRecord,
): Promise<void> {
  if (held === null) return;
  const isHeld =
    held.how === 'stopped'
      ? (await foundService(services, refOf(run))).isStopped
      : await arePaused(live, held);
  if (isHeld) return;
  throw new AppError(
    'PRECONDITION_FAILED',
    `The service was to stay ${held.how} while its volume was read, but somebody resumed or deployed it. ` +
      'Nothing was kept; make the backup again.',
  );
}

async function arePaused({ engine }: LiveVolumes, { containers }: HeldService): Promise<boolean> {
  const paused = await engine.pausedContainers();
  return containers.every((id) => paused.includes(id));
}

/** The service goes on as before; one that goes on already stays as it is. */
export async function giveBack(
  services: VolumeServices,
  run: BackupRunRecord,
  record: (patch: Partial<BackupRunRecord>) => Promise<void>,
): Promise<void> {
  const { held } = run;
  if (held === null) return;
  const service = await foundService(services, refOf(run));
  if (held.how === 'paused') {
    const { engine } = await services.live(service.ref);
    for (const id of held.containers) await engine.unpauseContainer(id);
  } else if (service.isStopped) await services.start(service.ref);
  await record({ held: null });
}
