/** A deployment that nobody has begun yet. */
import type { DeploymentRecord } from '../../db/tables.ts';
import type { DeploymentStarter } from '../../domain/states/lifecycle.ts';
import { ownerColumns, type ServiceRef } from '../../domain/names/service-ref.ts';
import { randomId } from '../../ports/clock.ts';

/** What is asked of a deployment. */
export interface Asked {
  kind: DeploymentRecord['kind'];
  title: string;
  description: string;
  sourceDeploymentId?: string;
  /** Image to deploy, where it is not what the service's record names. */
  image?: string;
  /** Who or what began it; absent: Berth by itself. */
  startedBy?: DeploymentStarter | undefined;
  /** Commit to deploy, where it is not the newest. */
  commit?: string | undefined;
  /** Commit of a push whose branch is deployed; it takes the place of pushes that are queued. */
  pushedCommit?: string | undefined;
  /** Builds without what earlier builds left. */
  withoutCache?: boolean;
  /** Keys of the servers of a move. */
  move?: { from: string; to: string };
}

/** As it is stored when it is accepted. */
export function queued(
  service: ServiceRef,
  organizationId: string,
  asked: Asked,
  at: { sequence: number; createdAt: string },
): DeploymentRecord {
  const { kind, title, description, sourceDeploymentId, image, commit, startedBy, move } = asked;
  return {
    deploymentId: randomId(),
    organizationId,
    ...ownerColumns(service),
    kind,
    title,
    description,
    status: 'queued',
    stage: 'queue',
    commit: commit ?? null,
    pushedCommit: asked.pushedCommit ?? null,
    commitInfo: null,
    ownBuild: null,
    sourceApplications: null,
    image: image ?? null,
    errorMessage: null,
    settings: null,
    sourceDeploymentId: sourceDeploymentId ?? null,
    startedBy: startedBy ?? { kind: 'berth', userId: null, apiKeyId: null },
    stages: null,
    child: null,
    previousVersion: null,
    withoutCache: asked.withoutCache ?? false,
    moveFrom: move?.from ?? null,
    moveTo: move?.to ?? null,
    startedAt: null,
    healthyAt: null,
    finishedAt: null,
    ...at,
  };
}
