/** What is asked when a deployment is accepted, and what came of it. */
import type { DeploymentRecord } from '../../db/tables.ts';
import type { Scope } from '../../domain/access/permissions.ts';
import type { DeploymentStarter } from '../../domain/states/lifecycle.ts';
import type { Actor } from '../../procedure/context.ts';

export interface Accepting {
  /** Whose service it must be. */
  organizationId?: string;
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
  /** Builds without what earlier builds left. */
  withoutCache?: boolean;
  /** Keys of the servers of a move. */
  move?: { from: string; to: string };
}

/** What the guard need not look up again. */
export const placeOfAccepted = { scope: ({ scope }: Accepted): Scope | undefined => scope };

/** Whoever calls, by a session or a key. */
export function startedBy({ userId, apiKeyId }: Pick<Actor, 'userId' | 'apiKeyId'>): DeploymentStarter {
  return { kind: apiKeyId === undefined ? 'person' : 'key', userId, apiKeyId: apiKeyId ?? null };
}

/** A deployment that was stored, and where its service stands. */
export interface Accepted extends DeploymentRecord {
  scope: Scope | undefined;
}
