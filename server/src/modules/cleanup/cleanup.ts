/** Finds and removes what of Berth's own is of no use any more, and nothing else. */
import { builderLabel, installationLabel, taskIdLabel } from '../../domain/names/labels.ts';
import { sentenceOf } from '../../domain/errors.ts';
import { isBuiltHere } from '../../domain/builds/built-image.ts';
import { ownerOfLabels, type ServiceRef } from '../../domain/names/service-ref.ts';
import type { DiskUsage } from '../../ports/engine/engine-disk.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Engine } from '../../ports/engine/engine.ts';
import type { cleanupKinds } from './contract.ts';

export interface CleanupItem {
  kind: (typeof cleanupKinds)[number];
  name: string;
  bytes: number | null;
  reason: string;
}

export interface Cleanup {
  items: CleanupItem[];
  bytes: number;
  failures: string[];
}

interface CleanedHost {
  engine: Pick<Engine, 'diskUsage' | 'removeEnded' | 'removeImage'>;
}

export interface CleanupPorts {
  host(serverKey: string): Promise<CleanedHost>;
  /**
   * Images of a service that stay, by their tags; undefined: all of them, since it is being deployed or keeps
   * them by itself; empty for a service that is gone.
   */
  keptImages(service: ServiceRef): Promise<ReadonlySet<string> | undefined>;
  /** Removes the builder of an organization on this host with its cache. */
  removeCache(serverKey: string, organizationId: string): Promise<void>;
  /** Deployments beyond the newest of each service on this host; `remove` takes them away with their logs. */
  oldDeployments(serverKey: string): Promise<{ name: string; count: number; remove(): Promise<void> }[]>;
  clock: Clock;
}

export interface Cleaning {
  preview(serverKey: string, options: { caches: boolean }): Promise<Cleanup>;
  run(serverKey: string, options: { caches: boolean }): Promise<Cleanup>;
}

interface Candidate extends CleanupItem {
  remove(): Promise<void>;
}

const dayMs = 24 * 3_600_000;
const ended = new Set(['exited', 'dead', 'created']);

export function createCleaning(ports: CleanupPorts): Cleaning {
  return {
    async preview(serverKey, options) {
      return told(await candidates(ports, serverKey, options), []);
    },
    async run(serverKey, options) {
      const removed: Candidate[] = [];
      const failures: string[] = [];
      for (const candidate of await candidates(ports, serverKey, options))
        try {
          await candidate.remove();
          removed.push(candidate);
        } catch (error) {
          failures.push(`${candidate.name}: ${sentenceOf(error)}`);
        }
      return told(removed, failures);
    },
  };
}

function told(found: readonly Candidate[], failures: string[]): Cleanup {
  return {
    items: found.map(({ remove: _remove, ...item }) => item),
    bytes: found.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0),
    failures,
  };
}

async function candidates(
  ports: CleanupPorts,
  serverKey: string,
  { caches }: { caches: boolean },
): Promise<Candidate[]> {
  const { engine } = await ports.host(serverKey);
  const usage = await engine.diskUsage();
  const old = await ports.oldDeployments(serverKey);
  return [
    ...oldContainers(ports, engine, usage),
    ...(await unusedImages(ports, engine, usage)),
    ...(caches ? idleCaches(ports, serverKey, usage) : []),
    ...old.map(({ name, count, remove }) => ({
      kind: 'deployments' as const,
      name,
      bytes: null,
      reason: `${count} deployments older than those that are kept (keptDeployments), with their logs`,
      remove,
    })),
  ];
}

/** The engine keeps the last tasks of a service itself, and their output is read; builders only sleep. */
function oldContainers(
  { clock }: CleanupPorts,
  engine: CleanedHost['engine'],
  usage: DiskUsage,
): Candidate[] {
  return usage.containers
    .filter(
      ({ state, labels, createdAt }) =>
        ended.has(state) &&
        labels[installationLabel] &&
        !labels[builderLabel] &&
        !labels[taskIdLabel] &&
        clock.now() - Date.parse(createdAt) > dayMs,
    )
    .map(({ id, name, sizeBytes }) => ({
      kind: 'container',
      name,
      bytes: sizeBytes,
      reason: 'it ended, and is more than a day old',
      remove: () => engine.removeEnded(id),
    }));
}

async function unusedImages(
  { keptImages }: CleanupPorts,
  engine: CleanedHost['engine'],
  usage: DiskUsage,
): Promise<Candidate[]> {
  const found: Candidate[] = [];
  for (const image of usage.images) {
    const owner = isBuiltHere(image) && !image.isForeign ? ownerOfLabels(image.labels) : undefined;
    if (!owner || image.containers > 0) continue;
    const kept = await keptImages(owner);
    if (kept === undefined || image.tags.some((tag) => kept.has(tag))) continue;
    // Built before there were ids: only the record of its service says whose it is.
    if (!image.labels[installationLabel] && kept.size === 0) continue;
    found.push({
      kind: 'image',
      name: image.tags[0] ?? image.id,
      bytes: image.sizeBytes,
      reason:
        kept.size === 0 ? 'its service is gone' : 'it neither runs nor is it kept to return to (keptImages)',
      async remove() {
        for (const reference of image.tags.length > 0 ? image.tags : [image.id])
          await engine.removeImage(reference);
      },
    });
  }
  return found;
}

function idleCaches({ removeCache }: CleanupPorts, serverKey: string, usage: DiskUsage): Candidate[] {
  const builders = usage.containers.flatMap(({ labels, state }) => {
    const organizationId = labels[builderLabel];
    return organizationId && labels[installationLabel] && ended.has(state) ? [organizationId] : [];
  });
  return [...new Set(builders)].map((organizationId) => ({
    kind: 'buildCache',
    name: `the build cache of the organization ${organizationId}`,
    bytes: cacheBytes(usage, organizationId),
    reason: 'nothing is built with it now',
    remove: () => removeCache(serverKey, organizationId),
  }));
}

function cacheBytes({ volumes }: DiskUsage, organizationId: string): number | null {
  const own = volumes.filter(({ labels }) => labels[builderLabel] === organizationId);
  if (own.length === 0 || own.some(({ sizeBytes }) => sizeBytes === null)) return null;
  return own.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
}
