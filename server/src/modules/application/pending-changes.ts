/** Which settings changed since the running release (decisions 5, pendingChanges). */
import type { ApplicationRecord } from '../../db/tables.ts';

/** Settings that a release takes with it. */
export const releasedFields = [
  'appName',
  'sourceType',
  'buildType',
  'replicas',
  'env',
  'buildArgs',
  'buildSecrets',
  'createEnvFile',
  'memoryLimit',
  'memoryReservation',
  'cpuLimit',
  'cpuReservation',
  'dockerfile',
  'containerContextPath',
  'containerBuildStage',
  'publishDirectory',
  'isStaticSpa',
  'buildPath',
  'gitHost',
  'owner',
  'repository',
  'branch',
  'customGitUrl',
  'customGitBranch',
  'customGitBuildPath',
  'enableSubmodules',
  'containerImage',
  'registryId',
  'healthCheck',
  'updateOrder',
  'placement',
  'labels',
  'networks',
  'stopGracePeriod',
  'rollbackActive',
  'preReleaseCommand',
  'command',
  'args',
  'environmentId',
] as const satisfies readonly (keyof ApplicationRecord)[];

export type ReleasedSettings = Pick<ApplicationRecord, (typeof releasedFields)[number]>;

export function settingsOf(application: ApplicationRecord): ReleasedSettings {
  return Object.fromEntries(releasedFields.map((field) => [field, application[field]])) as ReleasedSettings;
}

/** Names of the settings that differ from what was released. */
export function changedSince(released: ReleasedSettings, application: ApplicationRecord): string[] {
  // A release of an earlier version of Berth knows nothing of settings that came later.
  return releasedFields.filter(
    (field) => released[field] !== undefined && !isSame(released[field], application[field]),
  );
}

function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  return (
    typeof left === 'object' && typeof right === 'object' && JSON.stringify(left) === JSON.stringify(right)
  );
}

/** The settings of the live release; undefined before the first one. */
export type ReleaseSnapshotReader = (application: ApplicationRecord) => Promise<ReleasedSettings | undefined>;

const rememberedReleases = 2000;

/** A release never changes once it is live (a reload forgets it), so each is decrypted and parsed once. */
export function rememberReleases(read: ReleaseSnapshotReader): {
  released: ReleaseSnapshotReader;
  forget(deploymentId: string): void;
} {
  const known = new Map<string, ReleasedSettings>();
  return {
    forget: (deploymentId) => known.delete(deploymentId),
    async released(application) {
      const { liveDeploymentId } = application;
      if (liveDeploymentId === null) return undefined;
      const remembered = known.get(liveDeploymentId);
      if (remembered) return remembered;
      const settings = await read(application);
      if (known.size >= rememberedReleases) known.clear();
      if (settings) known.set(liveDeploymentId, settings);
      return settings;
    },
  };
}
