/** Paths of the machine that no service and no backup may reach, whoever asks (decisions 2). */
import { AppError } from '../../domain/errors.ts';
import { isProcessPath, refuseProtected } from '../../domain/names/server-path.ts';
import type { Danger } from '../../domain/access/danger.ts';
import type { Host } from '../../ports/host/host.ts';

export interface Places {
  /**
   * The real path; FORBIDDEN naming `field` when that, or the path as given, is one of the protected ones,
   * stands in one, holds one or leads through a process. `effect` is what giving it would do, such as "would
   * give the service".
   */
  real(path: string, field: string, effect: string): Promise<string>;
  /** The dangers as the machine sees them: a bind is its real path. Refuses as `real`. */
  seen(dangers: readonly Danger[], field: string): Promise<Danger[]>;
}

/** What is asked of a host. */
export type PlacesHost = Pick<Host, 'protectedPaths' | 'realPath'> & { engine: Pick<Host['engine'], 'info'> };

export function createPlaces(host: PlacesHost): Places {
  let engineData: string | undefined;
  const protectedPaths = async (): Promise<readonly string[]> => {
    // It is the engine's for as long as it runs; while it does not answer, its usual place counts.
    engineData ??= await host.engine.info().then(
      ({ rootDirectory }) => rootDirectory || undefined,
      () => undefined,
    );
    return [...host.protectedPaths, ...(engineData === undefined ? [] : [engineData])];
  };

  async function real(path: string, field: string, effect: string): Promise<string> {
    const given = await protectedPaths();
    const all = [...given, ...(await Promise.all(given.map(host.realPath)))];
    refuseProcesses(path, field);
    refuseProtected(path, field, { protectedPaths: all, effect });
    const found = await host.realPath(path);
    refuseProcesses(found, field);
    refuseProtected(found, field, { protectedPaths: all, effect });
    return found;
  }
  return {
    real,
    seen: (dangers, field) =>
      Promise.all(
        dangers.map(async (danger) =>
          danger.what === 'bind'
            ? { ...danger, value: await real(danger.value, field, 'would give the service') }
            : danger,
        ),
      ),
  };
}

function refuseProcesses(path: string, field: string): void {
  if (isProcessPath(path))
    throw new AppError(
      'FORBIDDEN',
      `${field}: ${path} leads through a process to wherever that process stands. Name the folder itself.`,
    );
}
