/** What stands on machines that no record of this installation names, or that another one made. */
import { AppError } from '../../domain/errors.ts';
import type { Engine } from '../../ports/engine/engine.ts';
import type { OthersThing } from '../../ports/engine/service-mark.ts';
import { giveUpIncarnation, type InstallationStore, type KnownThings } from '../installation/installation.ts';

export interface UnknownThingsDeps {
  things: Pick<KnownThings, 'unknown' | 'forgetUnknown'>;
  installation: Pick<InstallationStore, 'find' | 'endUnrecorded'>;
  host(serverKey: string): Promise<{ engine: Pick<Engine, 'othersThings' | 'removeService'> }>;
  /** ISO 8601. */
  now(): string;
}

export interface UnknownThings {
  others(serverKey: string): Promise<Pick<OthersThing, 'kind' | 'name' | 'installationId'>[]>;
  unknown: KnownThings['unknown'];
  /** NOT_FOUND when no such service is known to be unknown. */
  remove(serverKey: string, name: string): Promise<void>;
  giveUp(incarnationId: string): Promise<void>;
}

export function createUnknownThings(deps: UnknownThingsDeps): UnknownThings {
  const { things, installation, host } = deps;
  return {
    unknown: things.unknown,
    giveUp: (incarnationId) => giveUpIncarnation(installation, incarnationId, deps.now()),
    async others(serverKey) {
      const { engine } = await host(serverKey);
      return (await engine.othersThings()).map(({ kind, name, installationId }) => ({
        kind,
        name,
        installationId,
      }));
    },
    async remove(serverKey, name) {
      if (!(await things.unknown(serverKey)).some((thing) => thing.name === name))
        throw new AppError('NOT_FOUND', `cleanup.unknown lists no service named ${name} on this machine.`);
      await (await host(serverKey)).engine.removeService(name);
      await things.forgetUnknown(serverKey, name);
    },
  };
}
