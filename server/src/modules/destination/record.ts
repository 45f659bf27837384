/** The destination record; accessKey and secretAccessKey are never in an answer (decisions 7). */
import { z } from 'zod';

export const destinationProviders = ['s3', 'local', 'sftp', 'azure', 'gcs', 'b2'] as const;
export type DestinationProvider = (typeof destinationProviders)[number];

/** Those that are not a folder of Berth's own machine. */
export const remoteProviders = ['s3', 'sftp', 'azure', 'gcs', 'b2'] as const;

export const destinationRecord = z
  .object({
    destinationId: z.string(),
    name: z.string(),
    provider: z.enum(destinationProviders),
    bucket: z.string(),
    region: z.string(),
    endpoint: z.string(),
    path: z.string(),
    hostKey: z.string(),
    recipients: z.array(z.string()).describe('Public keys of age that later backups are encrypted for'),
    heldKeys: z
      .array(z.string())
      .describe('Public keys of the private ones that are stored here, with which Berth restores'),
    createdAt: z.string(),
  })
  .meta({ id: 'Destination' });
