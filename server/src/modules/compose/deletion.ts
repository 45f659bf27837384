/** The end of a compose service: its deployments, services, network, images, domains and record. */
import { composeRef } from '../../domain/names/service-ref.ts';
import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { ComposeRecord, DomainRecord } from '../../db/tables.ts';
import type { DeploymentLogs } from '../../ports/deployment-log.ts';
import type { ChangeRoutes } from '../../ports/proxy.ts';
import type { Deployments } from '../deployment/deployment.ts';
import type { Interruption } from '../interruption/interruption.ts';
import type { Composes } from './compose.ts';
import type { ComposeRuntime } from './runtime.ts';

export interface ComposeDeletionDeps {
  composes: Pick<Composes, 'remove'>;
  deployments: Pick<Deployments, 'all'>;
  runtime: Pick<ComposeRuntime, 'remove'>;
  logs: Pick<DeploymentLogs, 'remove'>;
  interruption: Pick<Interruption, 'endThen'>;
  /** What ends its schedules once its record is gone. */
  leaveSchedules(composeId: string): Promise<() => Promise<void>>;
  /** Ends the databases that it has of its own when it is a preview. */
  removeDatabases(composeId: string, userId?: string): Promise<void>;
  domains(composeId: string, organizationId: string): Promise<DomainRecord[]>;
  changeRoutes: ChangeRoutes;
}

export interface DeletedBy {
  /** The transaction of the record's removal. */
  write: <R>(work: () => Promise<R>) => Promise<R>;
  /** Undefined: nobody in person. */
  userId?: string | undefined;
  deleteVolumes: boolean;
  /** Called when its containers go on after all. */
  stays?(reason: string): Promise<void>;
}

/** Resolves with the volumes that stay. Fit to run again after a crash: the record goes last. */
export type DeleteCompose = (compose: ComposeRecord, by: DeletedBy) => Promise<string[]>;

export function createDeleteCompose(deps: ComposeDeletionDeps): DeleteCompose {
  return async (compose, { write, userId, deleteVolumes, stays }) => {
    const { composeId, organizationId } = compose;
    const service = composeRef(composeId);
    // In its turn: the reconciler would make services again whose record still stands.
    const { keptVolumes, past, endSchedules } = await deps.interruption.endThen(
      service,
      { operation: 'delete', userId },
      async () => {
        const all = await deps.deployments.all(service);
        const leave = await deps.leaveSchedules(composeId);
        // Without a deployment the engine never heard of it.
        const kept = all.length > 0 ? await deps.runtime.remove(compose, { deleteVolumes, stays }) : [];
        if (compose.previewOf !== null) await deps.removeDatabases(composeId, userId);
        const forget = (): Promise<ComposeRecord> => deps.composes.remove(composeId, organizationId);
        const hasDomains = (await deps.domains(composeId, organizationId)).length > 0;
        await (hasDomains ? deps.changeRoutes(serverKeyOf(compose), write, forget) : write(forget));
        return { keptVolumes: kept, past: all, endSchedules: leave };
      },
    );
    await endSchedules();
    for (const { deploymentId } of past) await deps.logs.remove(deploymentId);
    return keptVolumes;
  };
}
