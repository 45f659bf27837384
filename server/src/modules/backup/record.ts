/** The backup record (decisions 7): the schedule of one database. */
import { z } from 'zod';
import { databaseKindNames, perDatabaseId } from '../../domain/database-kind.ts';

export const backupRecord = z.object({
  backupId: z.string(), schedule: z.string(), prefix: z.string(), destinationId: z.string(), database: z.string(), databaseType: z.enum(databaseKindNames),
  ...perDatabaseId(() => z.string().nullable()), enabled: z.boolean(), keepLatestCount: z.number().nullable(), createdAt: z.string(),
}).meta({ id: 'Backup' });
