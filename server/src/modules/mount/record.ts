/** The mount record (decisions 5), and the services that have mounts. */
import { z } from 'zod';
import { databaseKindNames, perDatabaseId } from '../../domain/database-kind.ts';
import { secretText } from '../../procedure/secret-fields.ts';

const optional = z.string().nullable();

export const serviceTypes = ['application', 'compose', ...databaseKindNames] as const;
export type ServiceType = (typeof serviceTypes)[number];

export const mountRecord = z
  .object({
    mountId: z.string(),
    type: z.enum(['bind', 'volume', 'file']),
    hostPath: optional,
    volumeName: optional,
    filePath: optional,
    content: secretText('Text of a file; null for a secret one').nullable(),
    isSecret: z.boolean().describe('For a file: its text is never shown'),
    mountPath: z.string(),
    serviceType: z.enum(serviceTypes),
    applicationId: optional,
    composeId: optional,
    ...perDatabaseId(() => optional),
    createdAt: z.string(),
  })
  .meta({ id: 'Mount' });
