/**
 * Hands a service to the engine as the release of a deployment. What the engine got is stored with the
 * deployment, so that exactly it can be made again.
 */
import { releaseLabel } from '../../domain/names/labels.ts';
import { AppError } from '../../domain/errors.ts';
import { isSameService, ownerOfLabels, type ServiceRef } from '../../domain/names/service-ref.ts';
import { type ServiceSpec, type ServiceState } from '../../ports/engine/engine.ts';
import type { Released, ReleaseSnapshot, StageContext } from '../context.ts';
import { writeSnapshot } from '../snapshot.ts';

export interface Release {
  spec: ServiceSpec;
  owner: ServiceRef;
  /** An earlier release of the service was done. */
  hasFormer: boolean;
  /** What is stored besides the specification. */
  snapshot: Omit<ReleaseSnapshot, 'spec'>;
  /** Runs when the release was not given to the engine yet, before it is. */
  before?(): Promise<void>;
}

/**
 * Sets `released`. Fit to run again after a crash: a release that the engine has already is gone on with.
 * CONFLICT when the name is another service's.
 */
export async function applyRelease(
  context: StageContext,
  { spec, owner, hasFormer, snapshot, before }: Release,
): Promise<void> {
  context.released = await applyService(context, {
    spec,
    owner,
    hasFormer,
    previousVersion: context.deployment.previousVersion,
    async prepare(present) {
      await before?.();
      // What ran before may have taken it away.
      const left = before ? await context.engine.service(spec.name) : present;
      await context.save({
        settings: writeSnapshot({ ...snapshot, spec }),
        previousVersion: left?.version ?? 0,
      });
      return left;
    },
  });
}

export interface ServiceRelease {
  /** Its `release` tells whether the engine has it already. */
  spec: ServiceSpec;
  owner: ServiceRef;
  hasFormer: boolean;
  /**
   * It is the release of an earlier deployment, which nothing changes: no update of the engine begins, and
   * the last one, whatever became of it, says nothing about this deployment.
   */
  isUnchanged?: boolean;
  /** Version of the engine's service before an earlier attempt at this release; null when there was none. */
  previousVersion: number | null;
  /** Runs before a release that the engine does not have; gives the service as it is after it. */
  prepare(present: ServiceState | undefined): Promise<ServiceState | undefined>;
}

/** Gives the engine the service, or goes on with it where the engine has it. */
export async function applyService(
  { engine, log }: Pick<StageContext, 'engine' | 'log'>,
  { spec, owner, hasFormer, isUnchanged = false, previousVersion, prepare }: ServiceRelease,
): Promise<Released> {
  const present = await engine.service(spec.name);
  if (present) refuseOthers(present, owner);
  if (present && present.labels[releaseLabel] === spec.release) {
    log.line('The engine already has this release; continuing with it.');
    return {
      spec,
      applied: { generation: present.generation },
      previousUpdateStartedAt: isUnchanged ? present.update?.startedAt : undefined,
      // An attempt after a restart: what ran before cannot be seen any more.
      former: hasFormer ? 'running' : 'none',
    };
  }
  refuseLostRelease(previousVersion, present);
  const left = await prepare(present);
  const applied = await engine.applyService(spec);
  return {
    spec,
    applied,
    previousUpdateStartedAt: left?.update?.startedAt,
    former: hasFormer ? formerOf(left) : 'none',
  };
}

function formerOf(left: ServiceState | undefined): Released['former'] {
  if (left === undefined) return 'gone';
  return left.replicas === 0 ? 'stopped' : 'running';
}

/** Nobody's deployment may replace another's service, whatever the records say. */
function refuseOthers({ name, labels }: ServiceState, owner: ServiceRef): void {
  if (isSameService(ownerOfLabels(labels), owner)) return;
  throw new AppError(
    'CONFLICT',
    `The engine has a service named ${name} that belongs to another service or to Berth itself. Give ` +
      `this ${owner.kind} another appName and deploy again.`,
  );
}

/**
 * After a restart of Berth in the middle of a release: the engine may have taken it and gone back on it
 * meanwhile.
 */
function refuseLostRelease(previousVersion: number | null, present: ServiceState | undefined): void {
  if (previousVersion === null || !present || present.version <= previousVersion) return;
  if (!present.update?.state.startsWith('rollback')) return;
  throw new AppError(
    'PRECONDITION_FAILED',
    'The engine went back to the former version while Berth was away: ' +
      `${present.update.message || 'the new one failed'}.`,
  );
}
