/** Databases as deployments see them. */
import { notYet } from '../../domain/errors.ts';
import type { DeployedServices } from '../deployment/deployment.ts';
import type { Databases } from './database.ts';

export function deployedDatabases(databases: Databases): DeployedServices {
  return {
    async find(databaseId) {
      const database = await databases.find(databaseId);
      return (
        database && {
          ...database,
          status: database.applicationStatus,
          // Nothing is built for a database, so it waits for no build.
          serverKey: `database:${databaseId}`,
          requireDeployable() {
            if (database.serverId !== null) throw notYet('Deploying to other servers');
          },
        }
      );
    },
    patch: (databaseId, { status, ...patch }) =>
      databases.patch(databaseId, {
        ...patch,
        ...(status === undefined ? {} : { applicationStatus: status }),
      }),
  };
}
