/** The mount record (decisions 5). */
import { z } from 'zod';

const optional = z.string().nullable();

export const mountRecord = z.object({
  mountId: z.string(), type: z.enum(['bind', 'volume', 'file']), hostPath: optional, volumeName: optional, filePath: optional, content: optional,
  mountPath: z.string(), serviceType: z.string(), applicationId: optional, createdAt: z.string(),
}).meta({ id: 'Mount' });
