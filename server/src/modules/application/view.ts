/** The application as answers show it: its record and what belongs to it, without credentials. */
import type { ApplicationRecord } from '../../db/tables.ts';
import type { Placement } from './store.ts';
import type { TableRecord } from '../../db/tables.ts';
import type { Live } from '../../domain/states/live.ts';
import { secretNames, type SecretName } from '../../domain/variables/secret-env.ts';
import { applicationRef } from '../../domain/names/service-ref.ts';
import type { Actor } from '../../procedure/context.ts';
import type { ShownDeployment } from '../deployment/deployment.ts';
import type { Mount } from '../mount/mount.ts';
import { environmentOf, type EnvironmentOfService, type LiveReader } from '../service/service.ts';

export interface ViewNeighbours {
  placement(environmentId: string): Promise<Placement>;
  deployments(applicationId: string): Promise<ShownDeployment[]>;
  domains(applicationId: string, organizationId: string): Promise<TableRecord<'domain'>[]>;
  ports(applicationId: string, organizationId: string): Promise<TableRecord<'port'>[]>;
  mounts(applicationId: string, organizationId: string): Promise<Mount[]>;
  pendingChanges(application: ApplicationRecord): Promise<string[]>;
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

export type WholeApplication = Narrowed & {
  hasGitProviderAccess: boolean;
  unauthorizedProvider: string | null;
  live: Live | null;
  pendingChanges: string[];
  environment: EnvironmentOfService;
  deployments: ShownDeployment[];
  domains: TableRecord<'domain'>[];
  ports: TableRecord<'port'>[];
  mounts: Mount[];
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
      const { applicationId, environmentId, organizationId } = application;
      const [placement, deployments, domains, ports, mounts] = await Promise.all([
        neighbours.placement(environmentId),
        neighbours.deployments(applicationId),
        neighbours.domains(applicationId, organizationId),
        neighbours.ports(applicationId, organizationId),
        neighbours.mounts(applicationId, organizationId),
      ]);
      return {
        ...shown(application),
        hasGitProviderAccess,
        unauthorizedProvider: hasGitProviderAccess ? null : application.sourceType,
        live: neighbours.liveOf(applicationRef(applicationId)),
        pendingChanges: await neighbours.pendingChanges(application),
        environment: environmentOf(placement),
        deployments,
        domains,
        ports,
        mounts,
      };
    },
  };
}
