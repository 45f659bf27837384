/** The application as answers show it: its record and what belongs to it, without credentials. */
import type { ApplicationRecord, TableRecord } from '../../db/tables.ts';
import type { ReadAround } from './application.ts';
import type { Surroundings } from './store.ts';
import type { SourceApplication } from '../../domain/builds/source-applications.ts';
import type { Live } from '../../domain/states/live.ts';
import { secretNames, type SecretName } from '../../domain/variables/secret-env.ts';
import { applicationRef } from '../../domain/names/service-ref.ts';
import type { Actor } from '../../procedure/context.ts';
import type { ShownDeployment } from '../deployment/deployment.ts';
import { shownMount, type Mount } from '../mount/mount.ts';
import { environmentOf, type EnvironmentOfService, type LiveReader } from '../service/service.ts';

export interface ViewNeighbours {
  surroundings(environmentId: string): Promise<Surroundings>;
  deployments(applicationId: string): Promise<ShownDeployment[]>;
  sourceApplications(applicationId: string): Promise<SourceApplication[] | null>;
  domains(applicationId: string, organizationId: string): Promise<TableRecord<'domain'>[]>;
  ports(applicationId: string, organizationId: string): Promise<TableRecord<'port'>[]>;
  mounts(applicationId: string, organizationId: string): Promise<TableRecord<'mount'>[]>;
  pendingChanges(application: ApplicationRecord, around: ReadAround): Promise<string[]>;
  /** Keeps what was read until the next write: pages ask far more often than anything changes. */
  once(
    applicationId: string,
    records: readonly object[],
    read: () => Promise<Neighbourhood>,
  ): Promise<Neighbourhood>;
  liveOf: LiveReader;
}

type Narrowed = ApplicationRecord & {
  dockerContextPath: string | null;
  dockerBuildStage: string | null;
  secretEnvNames: SecretName[];
  previewSecretEnvNames: SecretName[];
};

export interface ApplicationViews {
  /** What this reader may see of it. */
  whole(application: ApplicationRecord, reader: Pick<Actor, 'role' | 'grants'>): Promise<WholeApplication>;
}

export interface Neighbourhood {
  pendingChanges: string[];
  environment: EnvironmentOfService;
  deployments: ShownDeployment[];
  sourceApplications: SourceApplication[] | null;
  domains: TableRecord<'domain'>[];
  ports: TableRecord<'port'>[];
  mounts: Mount[];
}

export type WholeApplication = Narrowed &
  Neighbourhood & {
    hasGitProviderAccess: boolean;
    unauthorizedProvider: string | null;
    live: Live | null;
  };

/** The record, with two settings under both of their names (decisions 5). */
export function shown(application: ApplicationRecord): Narrowed {
  return {
    ...application,
    dockerContextPath: application.containerContextPath,
    dockerBuildStage: application.containerBuildStage,
    secretEnvNames: secretNames(application.secretEnv),
    previewSecretEnvNames: secretNames(application.previewSecretEnv),
  };
}

export function createApplicationViews(neighbours: ViewNeighbours): ApplicationViews {
  return {
    async whole(application, { role, grants }) {
      const hasGitProviderAccess =
        application.githubId === null || role !== 'member' || grants.canAccessToGitProviders;
      const { applicationId } = application;
      const neighbourhood = await neighbours.once(applicationId, [application], () =>
        readNeighbourhood(neighbours, application),
      );
      return {
        ...shown(application),
        hasGitProviderAccess,
        unauthorizedProvider: hasGitProviderAccess ? null : application.sourceType,
        live: neighbours.liveOf(applicationRef(applicationId)),
        ...neighbourhood,
      };
    },
  };
}

async function readNeighbourhood(
  neighbours: ViewNeighbours,
  application: ApplicationRecord,
): Promise<Neighbourhood> {
  const { applicationId, environmentId, organizationId } = application;
  const [surroundings, deployments, sourceApplications, domains, ports, mounts] = await Promise.all([
    neighbours.surroundings(environmentId),
    neighbours.deployments(applicationId),
    neighbours.sourceApplications(applicationId),
    neighbours.domains(applicationId, organizationId),
    neighbours.ports(applicationId, organizationId),
    neighbours.mounts(applicationId, organizationId),
  ]);
  const { variables } = surroundings;
  return {
    pendingChanges: await neighbours.pendingChanges(application, { variables, mounts, ports }),
    environment: environmentOf(surroundings),
    deployments,
    sourceApplications,
    domains,
    ports,
    mounts: mounts.map(shownMount),
  };
}
