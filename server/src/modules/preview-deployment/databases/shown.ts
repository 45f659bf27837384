/** The databases that previews have of their own, as previews show them, and why a preview failed. */
import { reachOf } from '../../../domain/access/permissions.ts';
import { composeRef, previewRef, type ServiceRef } from '../../../domain/names/service-ref.ts';
import type { CallContext } from '../../../procedure/context.ts';
import type { PlacedOwnDatabase, PreviewDatabaseReads } from '../store.ts';

export interface ShowingDeps {
  previewDatabases: PreviewDatabaseReads;
  /** Newest first. */
  deployments: { recent(service: ServiceRef): Promise<{ errorMessage: string | null }[]> };
}

interface Bare {
  previewDeploymentId: string;
  composeId: string | null;
  status: string;
}

export type ShownOwnDatabase = ReturnType<typeof shown>;

interface WithDatabases {
  databases: ShownOwnDatabase[];
  errorMessage: string | null;
}

/** With their databases, as far as the caller reaches these. */
export async function withDatabases<P extends Bare>(
  { previewDatabases, deployments }: ShowingDeps,
  actor: Parameters<typeof reachOf>[0] & Pick<CallContext['actor'], 'organizationId'>,
  previews: readonly P[],
): Promise<(P & WithDatabases)[]> {
  const reaches = reachOf(actor);
  const { organizationId } = actor;
  const reached = (await previewDatabases.ofOrganization(organizationId)).filter(
    ({ projectId, environmentId, databaseId }) =>
      reaches({ organizationId, projectId, environmentId, serviceId: databaseId }),
  );
  return Promise.all(
    previews.map(async (preview) => {
      const { previewDeploymentId, composeId, status } = preview;
      const ref = composeId === null ? previewRef(previewDeploymentId) : composeRef(previewDeploymentId);
      const [newest] = status === 'error' ? await deployments.recent(ref) : [];
      return {
        ...preview,
        errorMessage: newest?.errorMessage ?? null,
        databases: reached.filter((one) => one.previewDeploymentId === previewDeploymentId).map(shown),
      };
    }),
  );
}

function shown({
  databaseId,
  kind: databaseType,
  name,
  sourceId,
  sourceName,
  origin: from,
  asOf,
  isMasked,
  filledAt,
  runStatus,
  backupRunId,
  errorMessage,
}: PlacedOwnDatabase) {
  const hasFailed = filledAt === null && (runStatus === 'error' || runStatus === null);
  const status = hasFailed ? 'failed' : filledAt === null ? 'filling' : 'ready';
  return {
    databaseId,
    databaseType,
    name,
    sourceId,
    sourceName,
    from,
    asOf,
    isMasked,
    status: status satisfies 'filling' | 'ready' | 'failed',
    backupRunId,
    errorMessage,
  } as const;
}
