/** The stored form of a release (an encrypted column of its deployment). */
import type { DeploymentRecord } from '../db/tables.ts';
import type { ReleaseSnapshot } from './context.ts';

/** The registry's password is not part of it; it is read anew when the release is made again. */
export function writeSnapshot(snapshot: ReleaseSnapshot): string {
  const { registryAuth: _auth, ...spec } = snapshot.spec;
  return JSON.stringify({ ...snapshot, spec });
}

export function readSnapshot(
  deployment: Pick<DeploymentRecord, 'settings'> | undefined,
): ReleaseSnapshot | undefined {
  // Written by `writeSnapshot` alone, encrypted and authenticated by the column.
  return deployment?.settings ? (JSON.parse(deployment.settings) as ReleaseSnapshot) : undefined;
}
