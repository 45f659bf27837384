/** SQL of images: what each organization has exchanged with a registry, and whose services are released. */
import { AppError } from '../../domain/errors.ts';
import type { ServiceRef } from '../../domain/names/service-ref.ts';
import type { Database } from '../../db/database.ts';
import { tableStore } from '../../db/table-store.ts';
import type { ImagePulls, ReleasedImages, ReleasedService } from './image.ts';

export function createImageStore(database: Database): ImagePulls & ReleasedImages {
  const pulls = tableStore(database, 'image_pull');
  const databases = tableStore(database, 'database');
  const [applications, composes, previews] = [
    tableStore(database, 'application'),
    tableStore(database, 'compose'),
    tableStore(database, 'preview_deployment'),
  ];
  const find = {
    application: (applicationId: string) => applications.find({ applicationId }),
    database: (databaseId: string) => databases.find({ databaseId }),
    compose: (composeId: string) => composes.find({ composeId }),
    previewDeployment: (previewDeploymentId: string) => previews.find({ previewDeploymentId }),
  } satisfies Record<ServiceRef['kind'], (id: string) => Promise<ReleasedService | undefined>>;
  return {
    pull: ({ organizationId, serverKey, reference }) => pulls.find({ organizationId, serverKey, reference }),
    pullsOf: (serverKey, imageId) => pulls.list({ serverKey, imageId }),
    keepPull: ({ organizationId, serverKey, reference, ...pulled }) =>
      database.transaction(async () => {
        const key = { organizationId, serverKey, reference };
        if ((await pulls.update(key, pulled)) > 0) return;
        // Another deployment may have pulled it at this moment; the later word stands.
        await database
          .attempt(() => pulls.insert({ ...key, ...pulled }))
          .catch(async (error: unknown) => {
            if (!(error instanceof AppError) || error.code !== 'CONFLICT') throw error;
            await pulls.update(key, pulled);
          });
      }),
    service: ({ kind, serviceId }) => find[kind](serviceId),
    liveDatabases: async (organizationId) =>
      (await databases.list({ organizationId })).flatMap(({ liveDeploymentId }) => liveDeploymentId ?? []),
  };
}
