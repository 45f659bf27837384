/** The databases that previews have of their own, as previews show them, and why a preview failed. */
import { reachOf } from '../../../domain/access/permissions.ts';
import { applicationRef, composeRef } from '../../../domain/names/service-ref.ts';
import type { CallContext } from '../../../procedure/context.ts';
import type { PlacedOwnDatabase, PreviewDatabaseReads } from '../store.ts';

export interface ShowingDeps {
  previewDatabases: PreviewDatabaseReads;
}

interface Bare {
  previewDeploymentId: string;
  applicationId: string | null;
  composeId: string | null;
  status: string;
}

export type ShownOwnDatabase = ReturnType<typeof shown>;

interface WithDatabases {
  databases: ShownOwnDatabase[];
  errorMessage: string | null;
}

/** Previews of one service with their databases, as far as the caller reaches these. */
export async function withDatabases<P extends Bare>(
  { previewDatabases }: ShowingDeps,
  actor: Parameters<typeof reachOf>[0] & Pick<CallContext['actor'], 'organizationId'>,
  previews: readonly P[],
): Promise<(P & WithDatabases)[]> {
  const [first] = previews;
  if (first === undefined) return [];
  const { applicationId, composeId } = first;
  const service = composeId === null ? applicationRef(applicationId ?? '') : composeRef(composeId);
  const reaches = reachOf(actor);
  const { organizationId } = actor;
  const hasFailed = previews.some(({ status }) => status === 'error');
  const reasons = hasFailed ? await previewDatabases.reasons(service) : new Map<string, string>();
  const reached = (await previewDatabases.ofOrganization(organizationId)).filter(
    ({ projectId, environmentId, databaseId }) =>
      reaches({ organizationId, projectId, environmentId, serviceId: databaseId }),
  );
  return previews.map((preview) => {
    const { previewDeploymentId, status } = preview;
    return {
      ...preview,
      errorMessage: (status === 'error' ? reasons.get(previewDeploymentId) : undefined) ?? null,
      databases: reached.filter((one) => one.previewDeploymentId === previewDeploymentId).map(shown),
    };
  });
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
