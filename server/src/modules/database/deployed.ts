/** Databases as deployments see them. */
import { serverKeyOf } from '../../domain/names/server-key.ts';
import type { Hosts } from '../../ports/host/host.ts';
import { recordOf, type DeployedServices } from '../deployment/deployment.ts';
import type { Databases } from './database.ts';

/** `requireFilled` refuses a branch whose data are not complete and masked. */
export function deployedDatabases(
  databases: Databases,
  hosts: Hosts,
  requireFilled: (databaseId: string) => Promise<void>,
): DeployedServices {
  return {
    async find(databaseId, organizationId) {
      const database = await recordOf(databases, databaseId, organizationId);
      return (
        database && {
          ...database,
          status: database.applicationStatus,
          // Nothing is built for a database, so it waits for no build.
          serverKey: `database:${databaseId}`,
          async requireDeployable() {
            await requireFilled(databaseId);
            await hosts.of(serverKeyOf(database));
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
