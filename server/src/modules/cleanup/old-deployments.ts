/** Deployments beyond the newest of each service. */
import { localServer } from '../../domain/names/server-key.ts';
import type { ServiceRef } from '../../domain/names/service-ref.ts';
import type { CleanupPorts } from './cleanup.ts';

export interface OldDeploymentsParts {
  /** Services with more deployments than that. */
  crowded(kept: number): Promise<{ service: ServiceRef; count: number }[]>;
  /** Removes all but the newest ones. */
  clear(service: ServiceRef, kept: number): Promise<unknown>;
  kept(): Promise<number>;
}

export function oldDeploymentsOf(parts: OldDeploymentsParts): CleanupPorts['oldDeployments'] {
  return async (serverKey) => {
    // Their records and logs are on Berth's own machine, wherever their services run.
    if (serverKey !== localServer) return [];
    const kept = await parts.kept();
    return (await parts.crowded(kept)).map(({ service, count }) => ({
      name: `the deployments of the ${service.kind} ${service.serviceId}`,
      count: count - kept,
      remove: async () => void (await parts.clear(service, kept)),
    }));
  };
}
