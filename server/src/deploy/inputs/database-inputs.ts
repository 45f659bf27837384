/** The inputs of a database's release, without what takes effect at once (port, passwords). Pure. */
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
  'pidsLimit',
  'command',
  'args',
  'environmentId',
] as const satisfies readonly (keyof DatabaseRecord)[];

/** `env`: its own variables with their references resolved, without those that its kind sets. */
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
