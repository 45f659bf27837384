/**
 * The stored form of a release of a compose service (an encrypted column of its deployment): enough to make
 * exactly it again.
 */
import type { DeploymentRecord } from '../../db/tables.ts';
import type { Dependency } from '../../modules/compose/translation/plan.ts';
import type { ReleasedInputs } from '../inputs/inputs.ts';
import type { ServiceSpec } from '../../ports/engine/engine.ts';

export interface ComposeSnapshot extends ReleasedInputs {
  /** The file, where it came from the record. */
  text: string | null;
  suffix: string;
  /** Each after those it depends on. */
  services: ComposeRelease[];
  /** Those that ran to their end in this deployment. */
  ended: string[];
  /** Versions of the engine's services before this release, by their names there; null before it began. */
  previous: Record<string, number> | null;
}

export interface ComposeRelease {
  /** As the file has it. */
  service: string;
  spec: ServiceSpec;
  /** Content of the image, since a name may mean another one later. */
  imageId: string;
  dependsOn: Dependency[];
  isOneShot: boolean;
}

/** Passwords of registries are no part of it; they are read anew. */
export function writeComposeSnapshot(snapshot: ComposeSnapshot): string {
  const services = snapshot.services.map(({ spec: { registryAuth: _auth, ...spec }, ...release }) => ({
    ...release,
    spec,
  }));
  return JSON.stringify({ ...snapshot, services });
}

export function readComposeSnapshot(
  deployment: Pick<DeploymentRecord, 'settings'> | undefined,
): ComposeSnapshot | undefined {
  // Written by `writeComposeSnapshot` alone, encrypted and authenticated by the column.
  return deployment?.settings ? (JSON.parse(deployment.settings) as ComposeSnapshot) : undefined;
}

/** What the engine keeps running of it. */
export const keptServices = ({ services }: ComposeSnapshot): ComposeRelease[] =>
  services.filter(({ isOneShot }) => !isOneShot);

/** What the engine calls its services, by their names in the file. */
export const releasedNames = (snapshot: ComposeSnapshot): Record<string, string> =>
  Object.fromEntries(keptServices(snapshot).map(({ service, spec }) => [service, spec.name]));
