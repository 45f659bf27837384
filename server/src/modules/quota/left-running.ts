/**
 * What runs of an organization beside what its records say: services whose record is gone, containers of
 * releases that went on when the next two were there already, and one-off commands that another process of
 * Berth waits for, or none. The labels of each task show it.
 */
import { instanceLabel, managedLabel, organizationLabel, taskLabel } from '../../domain/names/labels.ts';
import { ownerOfLabels } from '../../domain/names/service-ref.ts';
import type { OneOffRuns } from './one-off-runs.ts';
import type { TableRecord } from '../../db/tables.ts';
import type { EngineView, SwarmTask } from '../../ports/engine/engine-view.ts';

export type LeftRecord = TableRecord<'quota_left'>;

/** What is left of one service on one server. */
export type LeftService = Omit<LeftRecord, 'serverKey'>;

export interface LeftStore {
  /** Whether any quota counts services, memory or cores. */
  isCounted(): Promise<boolean>;
  /** Ids of all organizations, and of all applications, databases, compose services and previews. */
  recorded(): Promise<{ organizations: ReadonlySet<string>; services: ReadonlySet<string> }>;
  /** One-off commands of this process. */
  oneOffs: OneOffRuns;
  /** In place of what was left there before. */
  keep(serverKey: string, left: readonly LeftService[]): Promise<void>;
}

export interface CountedServer {
  key: string;
  engineView: Pick<EngineView, 'swarmTasks'>;
}

/** Writes down what is left on the server, for quotas to count; only where there is a quota. */
export async function countLeft(store: LeftStore, { key, engineView }: CountedServer): Promise<void> {
  if (!(await store.isCounted())) return store.keep(key, []);
  // Tasks first: what is made between the two looks has its record then.
  const tasks = await engineView.swarmTasks();
  const others = tasks.filter(({ labels }) => !store.oneOffs.has(labels[taskLabel] ?? ''));
  await store.keep(key, leftOf(others, await store.recorded()));
}

/**
 * Of each place of a service two tasks may run while one takes over from the other. `tasks` are the newest
 * first.
 */
export function leftOf(
  tasks: readonly SwarmTask[],
  { organizations, services }: Awaited<ReturnType<LeftStore['recorded']>>,
): LeftService[] {
  const seen = new Map<string, number>();
  const left = new Map<string, LeftService>();
  for (const task of tasks) {
    const { labels, state } = task;
    const owner = ownerOfLabels(labels);
    const organizationId = labels[organizationLabel] ?? '';
    const isCommand = Boolean(labels[taskLabel] || labels[instanceLabel]);
    // A deployment or a scheduled run that waits for a command has a record, by which it counts.
    const isCounted = !isCommand || !['true', '', undefined].includes(labels[taskLabel]);
    if (labels[managedLabel] !== 'true' || !isCounted) continue;
    if (owner === undefined || !organizations.has(organizationId) || !running.has(state)) continue;
    const isRecorded = services.has(owner.serviceId);
    const place = [task.serviceId, task.slot, task.slot === 0 ? task.nodeId : ''].join(' ');
    const inPlace = (seen.get(place) ?? 0) + 1;
    seen.set(place, inPlace);
    if (isRecorded && !isCommand && inPlace <= 2) continue;
    const { serviceId } = owner;
    const { nanoCpus, memoryBytes } = left.get(serviceId) ?? { nanoCpus: 0, memoryBytes: 0 };
    const { cpus, memoryBytes: memory } = task.configuration.limits;
    left.set(serviceId, {
      serviceId,
      organizationId,
      isRecorded,
      nanoCpus: nanoCpus + Math.round((cpus ?? 0) * 1e9),
      memoryBytes: memoryBytes + (memory ?? 0),
    });
  }
  return [...left.values()];
}

/** States in which a task has its container. */
const running: ReadonlySet<string> = new Set(['starting', 'running']);
