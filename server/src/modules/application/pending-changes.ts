/** Which settings changed since the running release (decisions 5, pendingChanges). */
import type { ApplicationRecord } from './store.ts';

/** Settings that a release takes with it. */
export const releasedFields = [
  'appName', 'sourceType', 'buildType', 'replicas', 'env', 'buildArgs', 'buildSecrets', 'createEnvFile', 'memoryLimit', 'memoryReservation', 'cpuLimit', 'cpuReservation',
  'dockerfile', 'containerContextPath', 'containerBuildStage', 'publishDirectory', 'isStaticSpa', 'buildPath', 'customGitUrl', 'customGitBranch', 'customGitBuildPath', 'enableSubmodules',
  'containerImage', 'registryId', 'healthCheck', 'updateOrder', 'placement', 'labels', 'networks', 'stopGracePeriod', 'rollbackActive', 'preReleaseCommand', 'command', 'args', 'environmentId',
] as const satisfies readonly (keyof ApplicationRecord)[];

export type ReleasedSettings = Pick<ApplicationRecord, (typeof releasedFields)[number]>;

export function settingsOf(application: ApplicationRecord): ReleasedSettings {
  return Object.fromEntries(releasedFields.map((field) => [field, application[field]])) as ReleasedSettings;
}

/** Names of the settings that differ from what was released. */
export function changedSince(released: ReleasedSettings, application: ApplicationRecord): string[] {
  return releasedFields.filter((field) => !isSame(released[field], application[field]));
}

function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  return typeof left === 'object' && typeof right === 'object' && JSON.stringify(left) === JSON.stringify(right);
}
