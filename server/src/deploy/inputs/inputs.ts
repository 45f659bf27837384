/**
 * The inputs of a release. They are stored with it and compared with what would be released now (decisions 5,
 * pendingChanges). Each kind of service has one function that collects them, for both purposes. Pure.
 */
import { AppError } from '../../domain/errors.ts';

export interface ReleaseInputs {
  /** Settings of the record by their fields. */
  settings: Readonly<Record<string, unknown>>;
  /** Variables with their references resolved, by the field of their block. */
  variables: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Other records that belong to the service: mounts, ports, the registry. */
  parts: Readonly<Record<string, unknown>>;
}

/** The stored inputs of a release; earlier versions of Berth stored fewer. */
export type ReleasedInputs = { [K in keyof ReleaseInputs]?: ReleaseInputs[K] | undefined };

/**
 * Names of what differs, never a value: fields, parts, and for variables the field of the block followed by
 * `<field>.<NAME>` for each variable that was added, removed or changed.
 */
export function changedInputs(released: ReleasedInputs, now: ReleaseInputs): string[] {
  const changed = [
    ...changedNames(released.settings, now.settings),
    ...Object.entries(now.variables).flatMap(([block, variables]) => {
      const former = released.variables?.[block];
      const names = former === undefined ? [] : changedVariables(former, variables);
      return names.length === 0 ? [] : [block, ...names.map((name) => `${block}.${name}`)];
    }),
    ...changedNames(released.parts, now.parts),
  ];
  return [...new Set(changed)];
}

/** How the inputs of a release differ from those of an earlier one. */
export const changedBetween = (
  earlier: ReleasedInputs,
  { settings = {}, variables = {}, parts = {} }: ReleasedInputs,
): string[] => changedInputs(earlier, { settings, variables, parts });

/**
 * What changed since a release; empty before the first. A reference that cannot be resolved counts as a
 * change of its field, although the next deployment will refuse it.
 */
export async function pendingChanges(
  released: ReleasedInputs | undefined,
  settings: ReleaseInputs['settings'],
  now: () => Promise<ReleaseInputs>,
): Promise<string[]> {
  if (released === undefined) return [];
  try {
    return changedInputs(released, await now());
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const changed = changedInputs(released, { settings, variables: {}, parts: {} });
    return [...changed, error.issues?.[0]?.path ?? 'env'];
  }
}

/** Leaves out whatever the release has not stored. */
function changedNames(
  released: Readonly<Record<string, unknown>> = {},
  now: Readonly<Record<string, unknown>>,
): string[] {
  return Object.keys(now).filter((name) => name in released && !isSame(released[name], now[name]));
}

function changedVariables(
  released: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): string[] {
  return [...new Set([...Object.keys(released), ...Object.keys(now)])]
    .filter((name) => released[name] !== now[name])
    .toSorted();
}

/** Compares the stored forms, in which an undefined member is missing. */
function isSame(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}

interface MountFacts {
  type: string;
  hostPath: string | null;
  volumeName: string | null;
  filePath: string | null;
  content: string | null;
  mountPath: string;
}

/** The inputs that mounts are, always in the same order. */
export function mountFacts(mounts: readonly MountFacts[]): MountFacts[] {
  return mounts
    .map(({ type, hostPath, volumeName, filePath, content, mountPath }) => ({
      type,
      hostPath,
      volumeName,
      filePath,
      content,
      mountPath,
    }))
    .toSorted((left, right) => left.mountPath.localeCompare(right.mountPath));
}

const rememberedReleases = 2000;

/**
 * A live release never changes, except by a reload, which forgets it; so each is decrypted and parsed once.
 */
export function rememberReleases<S extends { liveDeploymentId: string | null }>(
  read: (service: S) => Promise<ReleasedInputs | undefined>,
): { released: typeof read; forget(deploymentId: string): void } {
  const known = new Map<string, ReleasedInputs>();
  /** How often something was forgotten: what was read before that must not be remembered after it. */
  let forgotten = 0;
  return {
    forget(deploymentId) {
      forgotten += 1;
      known.delete(deploymentId);
    },
    async released(service) {
      const { liveDeploymentId } = service;
      if (liveDeploymentId === null) return undefined;
      const remembered = known.get(liveDeploymentId);
      if (remembered) return remembered;
      const before = forgotten;
      const snapshot = await read(service);
      if (!snapshot) return undefined;
      const { settings, variables, parts } = snapshot;
      const inputs = { settings, variables, parts };
      if (forgotten !== before) return inputs;
      if (known.size >= rememberedReleases) known.clear();
      known.set(liveDeploymentId, inputs);
      return inputs;
    },
  };
}
