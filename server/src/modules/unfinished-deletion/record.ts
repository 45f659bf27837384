import type { DeployedKind } from '../../domain/names/service-ref.ts';

/** Kinds of service whose deletion is asked for by itself; a preview goes with its application. */
export const deletedKinds = ['application', 'database', 'compose'] as const satisfies readonly DeployedKind[];
