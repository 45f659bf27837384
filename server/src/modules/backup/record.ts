/** The backup record (decisions 7). */
import { z } from 'zod';
import { databaseKindNames, perDatabaseId } from '../../domain/database-kind.ts';

const optional = z.string().nullable();

export const backupRecord = z.object({
  backupId: z.string(), databaseId: z.string(), databaseType: z.enum(databaseKindNames), ...perDatabaseId(() => optional), database: z.string(), destinationId: z.string(), schedule: z.string(), prefix: z.string(),
  enabled: z.boolean(), keepLatestCount: z.number().nullable().describe('So many of its newest objects are kept; null: all'), createdAt: z.string(),
}).meta({ id: 'Backup' });
