/** Stops a service of any kind as a person would. */
import type { DeployedKind, ServiceRef } from '../../domain/names/service-ref.ts';
import type { ApplicationRecord, ComposeRecord, DatabaseRecord, TableRecord } from '../../db/tables.ts';

type PreviewDeploymentRecord = TableRecord<'preview_deployment'>;

export interface StopParts {
  stores: {
    applications: { find(key: { applicationId: string }): Promise<ApplicationRecord | undefined> };
    databases: { find(key: { databaseId: string }): Promise<DatabaseRecord | undefined> };
    composes: { find(key: { composeId: string }): Promise<ComposeRecord | undefined> };
    previewDeployments: {
      find(key: { previewDeploymentId: string }): Promise<PreviewDeploymentRecord | undefined>;
    };
  };
  applications: { stop(application: ApplicationRecord): Promise<unknown> };
  databases: { stop(database: DatabaseRecord): Promise<unknown> };
  composes: { stop(compose: ComposeRecord): Promise<unknown> };
  previews: { stop(application: ApplicationRecord, preview: PreviewDeploymentRecord): Promise<unknown> };
}

/** A service without a record is left alone. */
export function createStopService({
  stores,
  applications,
  databases,
  composes,
  previews,
}: StopParts): (service: ServiceRef) => Promise<void> {
  const stops: Record<DeployedKind, (serviceId: string) => Promise<unknown>> = {
    async application(applicationId) {
      const found = await stores.applications.find({ applicationId });
      if (found) await applications.stop(found);
    },
    async database(databaseId) {
      const found = await stores.databases.find({ databaseId });
      if (found) await databases.stop(found);
    },
    async compose(composeId) {
      const found = await stores.composes.find({ composeId });
      if (found) await composes.stop(found);
    },
    async previewDeployment(previewDeploymentId) {
      const found = await stores.previewDeployments.find({ previewDeploymentId });
      const application = found && (await stores.applications.find({ applicationId: found.applicationId }));
      if (application) await previews.stop(application, found);
    },
  };
  return async ({ kind, serviceId }) => void (await stops[kind](serviceId));
}
