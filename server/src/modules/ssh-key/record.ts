/** The SSH key record; the private key is never in an answer (decisions 12). */
import { z } from 'zod';

export const sshKeyRecord = z
  .object({
    sshKeyId: z.string(),
    name: z.string(),
    description: z.string(),
    publicKey: z.string(),
    fingerprint: z.string(),
    createdAt: z.string(),
  })
  .meta({ id: 'SshKey' });
