/**
 * What the swarm's manager does so that the tasks of a service follow its specification: scaling, restarts,
 * and updates with their monitor and their way back (moby/swarmkit, manager/orchestrator, as Docker 20.10 has
 * it).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceBody } from './routes/bodies.ts';
import { forgetOldTasks } from './logs.ts';
import {
  changed,
  nextNumber,
  rank,
  untilState,
  type Service,
  type State,
  type Task,
  type UpdateName,
} from './state.ts';
import { endTask, makeTask } from './tasks.ts';

const nanosecondsPerMs = 1_000_000;
const defaultMonitorMs = 5_000;
const defaultRestartMs = 5_000;

type UpdateRule = NonNullable<ServiceBody['UpdateConfig']>;

/** Tasks of the service that are meant to run, by slot. */
function slotsOf(state: State, service: Service): Map<number, Task[]> {
  const slots = new Map<number, Task[]>();
  for (const task of state.tasks.values())
    if (task.serviceId === service.id && (task.desired === 'ready' || task.desired === 'running'))
      slots.set(task.slot, [...(slots.get(task.slot) ?? []), task]);
  return slots;
}

const isCurrent = (service: Service, task: Task): boolean =>
  task.template === service.spec.TaskTemplate ||
  JSON.stringify(task.template) === JSON.stringify(service.spec.TaskTemplate);

const isDirty = (service: Service, slot: readonly Task[]): boolean =>
  slot.length > 1 || slot.some((task) => !isCurrent(service, task));

/** Follows a new or changed specification. */
export function follow(state: State, service: Service): void {
  service.turn += 1;
  scale(state, service);
  void update(state, service, service.turn);
}

function scale(state: State, service: Service): void {
  const wanted = service.spec.Mode.Replicated?.Replicas ?? 1;
  const slots = slotsOf(state, service);
  if (slots.size > wanted) {
    // Those that run stay rather than those that do not.
    const weight = (tasks: readonly Task[]): number =>
      tasks.some(({ state: name }) => name === 'running') ? 0 : 1;
    const sorted = [...slots].toSorted(([a, one], [b, other]) => weight(one) - weight(other) || a - b);
    for (const [slot, tasks] of sorted.slice(wanted)) {
      for (const task of tasks) endTask(state, task, 'remove');
      for (const task of state.tasks.values())
        if (task.serviceId === service.id && task.slot === slot) endTask(state, task, 'remove');
    }
  }
  let slot = 1;
  for (let count = slots.size; count < wanted; count += 1) {
    while (slots.has(slot)) slot += 1;
    slots.set(slot, []);
    keep(state, service, makeTask(state, service, slot, 'running'));
  }
}

/** Puts another task in the place of one that ended by itself. */
function keep(state: State, service: Service, task: Task): void {
  void (async () => {
    await untilState(state, () => rank(task.state) > rank('running') || isOver(task));
    if (isOver(task) || service.isRemoved) return;
    endTask(state, task, 'shutdown');
    const { Condition: condition = 'any', Delay: delay } = service.spec.TaskTemplate.RestartPolicy ?? {};
    if (condition === 'none' || (condition === 'on-failure' && task.state === 'complete')) return;
    const next = makeTask(state, service, task.slot, 'ready');
    keep(state, service, next);
    forgetOldTasks(state, service, task.slot);
    await sleep(delay == null ? defaultRestartMs : delay / nanosecondsPerMs);
    begin(state, next);
  })();
}

const isOver = ({ desired }: Task): boolean => desired === 'shutdown' || desired === 'remove';

function begin(state: State, task: Task): void {
  if (task.desired !== 'ready') return;
  task.desired = 'running';
  changed(state);
}

interface Update {
  state: State;
  service: Service;
  rule: UpdateRule | null | undefined;
  isRollback: boolean;
  isStopped(): boolean;
  /** Tasks that it made, with when each ran; 0: not yet. */
  made: Map<Task, number>;
  /** The failure that ends it. */
  failed(): Task | undefined;
}

async function update(state: State, service: Service, turn: number): Promise<void> {
  const status = service.update?.state;
  if (status === 'paused' || status === 'rollback_paused') return;
  const isRollback = status === 'rollback_started';
  const dirty = [...slotsOf(state, service)]
    .filter(([, slot]) => isDirty(service, slot))
    .map(([slot]) => slot);
  if (dirty.length === 0) {
    if (status === 'updating' || isRollback) complete(state, service, isRollback);
    return;
  }
  if (service.update === undefined) mark(state, service, 'updating', 'update in progress', Date.now());
  const made = new Map<Task, number>();
  const rule = isRollback ? service.spec.RollbackConfig : service.spec.UpdateConfig;
  const monitorMs = rule === null || rule === undefined ? defaultMonitorMs : rule.Monitor / nanosecondsPerMs;
  const given: Update = {
    state,
    service,
    rule,
    isRollback,
    isStopped: () => service.turn !== turn || service.isRemoved,
    made,
    failed: () =>
      [...made].find(
        ([task, ranAt]) =>
          rank(task.state) > rank('running') &&
          !isReplaced(task) &&
          (ranAt === 0 || task.stateAt - ranAt <= monitorMs),
      )?.[0],
  };
  const ended = (): boolean => given.isStopped() || given.failed() !== undefined;
  const queue = dirty.toSorted((a, b) => a - b);
  const workers = Array.from(
    { length: Math.min(rule?.Parallelism || queue.length, queue.length) },
    async () => {
      for (let slot = queue.shift(); slot !== undefined && !ended(); slot = queue.shift()) {
        await updateSlot(given, slot);
        if (rule?.Delay) await untilState(state, ended, rule.Delay / nanosecondsPerMs);
      }
    },
  );
  await Promise.all(workers);
  if (!ended()) await untilState(state, ended, monitorMs);
  if (given.isStopped()) return;
  const failure = given.failed();
  if (failure === undefined) complete(state, service, isRollback);
  else react(given, failure);
}

/** A task that was told to end did not fail. */
const isReplaced = (task: Task): boolean => task.state === 'shutdown' || task.state === 'remove';

async function updateSlot(given: Update, slot: number): Promise<void> {
  const { state, service, rule, made } = given;
  const tasks = slotsOf(state, service).get(slot) ?? [];
  const present =
    tasks.find((task) => task.desired === 'running' && isCurrent(service, task)) ??
    tasks.find((task) => isCurrent(service, task));
  const others = tasks.filter((task) => task !== present);
  if (present !== undefined) {
    await makeRoom(state, others, present.desired !== 'running');
    begin(state, present);
    return;
  }
  const isStartFirst = rule?.Order === 'start-first';
  const task = makeTask(state, service, slot, 'ready');
  made.set(task, 0);
  keep(state, service, task);
  if (!isStartFirst) await makeRoom(state, tasks, true);
  begin(state, task);
  await untilState(state, () => rank(task.state) >= rank('running') || given.isStopped());
  if (rank(task.state) < rank('running')) return;
  made.set(task, Date.now());
  if (isStartFirst && task.state === 'running') for (const old of tasks) endTask(state, old, 'shutdown');
  forgetOldTasks(state, service, slot);
}

async function makeRoom(state: State, tasks: readonly Task[], waits: boolean): Promise<void> {
  for (const task of tasks) endTask(state, task, 'shutdown');
  if (waits)
    await untilState(state, () =>
      tasks.every((task) => task.nodeId === '' || rank(task.state) > rank('running')),
    );
}

/** What the rule says of a failure. A rollback that fails is paused: nobody goes back twice. */
function react({ state, service, rule, isRollback }: Update, { id }: Task): void {
  const action = rule?.FailureAction ?? 'pause';
  const why = `due to failure or early termination of task ${id}`;
  if (action === 'continue') complete(state, service, isRollback);
  else if (isRollback) mark(state, service, 'rollback_paused', `rollback paused ${why}`);
  else if (action === 'rollback' && service.previous !== undefined) {
    service.spec = service.previous;
    service.previous = undefined;
    mark(state, service, 'rollback_started', `update rolled back ${why}`);
    follow(state, service);
  } else mark(state, service, 'paused', `update paused ${why}`);
}

function complete(state: State, service: Service, isRollback: boolean): void {
  if (isRollback) mark(state, service, 'rollback_completed', 'rollback completed');
  else mark(state, service, 'completed', 'update completed');
}

function mark(
  state: State,
  service: Service,
  name: UpdateName,
  message: string,
  startedAt = service.update?.startedAt ?? Date.now(),
): void {
  service.update = { state: name, message, startedAt };
  service.version = nextNumber(state);
  changed(state);
}

/** Goes back by hand. */
export function rollBack(state: State, service: Service, previous: ServiceBody): void {
  service.previous = service.spec;
  service.spec = previous;
  mark(state, service, 'rollback_started', 'manually requested rollback', Date.now());
  follow(state, service);
}

export function removeTasks(state: State, service: Service): void {
  service.isRemoved = true;
  service.turn += 1;
  for (const task of state.tasks.values()) if (task.serviceId === service.id) endTask(state, task, 'remove');
}
