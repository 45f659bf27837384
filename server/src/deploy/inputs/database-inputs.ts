/** What a database's release is made of; what takes effect at once (port, passwords) is no part. Pure. */
import type { DatabaseRecord } from '../../db/tables.ts';
import { mountFacts, type ReleaseInputs } from './inputs.ts';

const releasedFields = [
  'appName',
  'containerImage',
  'replicaSets',
  'memoryLimit',
  'memoryReservation',
  'cpuLimit',
  'cpuReservation',
  'command',
  'args',
  'environmentId',
] as const satisfies readonly (keyof DatabaseRecord)[];

/** `env`: its own variables with their references put in, without those of the kind. */
export function databaseInputs(
  database: DatabaseRecord,
  env: Readonly<Record<string, string>>,
  mounts: Parameters<typeof mountFacts>[0],
): ReleaseInputs {
  return {
    settings: databaseSettings(database),
    variables: { env },
    parts: { mounts: mountFacts(mounts) },
  };
}

export const databaseSettings = (database: DatabaseRecord): Record<string, unknown> =>
  Object.fromEntries(releasedFields.map((field) => [field, database[field]]));
