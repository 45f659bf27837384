/** Valid inputs of backups. */
import type { Fixtures } from '../fixtures/one-of-everything.ts';
import type { Inputs } from './make-inputs.ts';

const application = ({ applicationId }: Fixtures) => ({ applicationId });

export const backupInputs = {
  backup: {
    create: ({ postgresId, destinationId }) => ({
      databaseType: 'postgres',
      postgresId,
      destinationId,
      schedule: '0 3 * * *',
      prefix: 'another',
      database: 'shop',
    }),
    update: ({ backupId }) => ({ backupId, prefix: 'changed' }),
    byDatabase: ({ postgresId }) => ({ postgresId }),
    runsByDatabase: ({ postgresId }) => ({ databaseId: postgresId }),
    restoreBackupWithLogs: ({ postgresId, destinationId }) => ({
      databaseId: postgresId,
      databaseType: 'postgres',
      databaseName: 'shop',
      backupFile: 'shop/one.dump',
      destinationId,
    }),
    restore: ({ postgresId, destinationId }) => ({
      databaseId: postgresId,
      databaseType: 'postgres',
      databaseName: 'shop',
      backupFile: 'shop/one.dump',
      destinationId,
    }),
    branch: ({ postgresId }) => ({ databaseId: postgresId, name: 'Branch' }),
    branches: ({ postgresId }) => ({ databaseId: postgresId }),
    useFormerVolume: ({ postgresId }) => ({ databaseId: postgresId, volumeName: 'berth-former' }),
  },
  volumeBackup: {
    create: ({ applicationId, destinationId }) => ({
      applicationId,
      volumeName: 'data',
      destinationId,
      schedule: '0 3 * * *',
      prefix: 'another',
    }),
    update: ({ volumeBackupId }) => ({ volumeBackupId, prefix: 'changed' }),
    byService: application,
    runsByService: application,
    volumes: application,
    restore: ({ applicationId, destinationId }) => ({
      applicationId,
      volumeName: 'data',
      destinationId,
      backupFile: 'shop/one.tar.gz',
    }),
    useKeptVolume: ({ applicationId }) => ({
      applicationId,
      volumeName: 'data',
      keptVolume: 'berth-kept-data',
    }),
    removeFormerVolume: ({ applicationId }) => ({ applicationId, volumeName: 'berth-former' }),
  },
} satisfies Inputs;
