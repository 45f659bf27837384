/**
 * The first user that `--example` makes. Saved before the sign-up is tried, so that a run that breaks off
 * locks nobody out.
 */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Layout } from '../layout.ts';
import { readRecord, writeRecord } from '../record.ts';

const credentialsSchema = z.object({
  email: z.string(),
  password: z.string(),
  apiKey: z.string().optional(),
  organizationId: z.string().optional(),
  applicationId: z.string().optional(),
  /** Whether the example has answered once; until then no address of it is told. */
  answered: z.boolean().default(false),
});

export type Credentials = z.infer<typeof credentialsSchema>;

export function readCredentials(layout: Layout): Credentials | undefined {
  return readRecord(layout.credentials, credentialsSchema);
}

export function saveCredentials(layout: Layout, credentials: Credentials): Credentials {
  writeRecord(layout.credentials, credentials);
  return credentials;
}

/** The saved ones, else new ones with a password of 144 random bits. */
export function ensureCredentials(layout: Layout): Credentials {
  return (
    readCredentials(layout) ??
    saveCredentials(layout, {
      email: 'owner@example.localhost',
      password: randomBytes(18).toString('base64url'),
      answered: false,
    })
  );
}
