/**
 * `deploy` of a service, and the older keys for the same: replicas, resources, placement, the way of updates
 * (compose-spec, Compose Deploy). Pure.
 */
import { entriesOf, type YamlMap } from '../compose-file.ts';
import type { PlannedService } from './plan.ts';
import type { RestartPolicy } from './restart.ts';
import {
  below,
  bytesAt,
  coresAt,
  durationAt,
  fault,
  mapAt,
  pairsAt,
  textsAt,
  wholeAt,
  wordAt,
  type Place,
} from './values.ts';

type DeployPart = Pick<
  PlannedService,
  | 'replicas'
  | 'limits'
  | 'reservations'
  | 'updateOrder'
  | 'updatePace'
  | 'monitorMs'
  | 'restartDelayMs'
  | 'constraints'
  | 'spreadOver'
  | 'maxReplicasPerNode'
> & { labels: [string, string | null][]; restartPolicy: RestartPolicy };

const constraint = /^(node|engine)\.[a-zA-Z0-9._-]+ *(==|!=) *[a-zA-Z0-9:*()?._/ -]+$/;
const modes = ['replicated', 'global', 'replicated-job', 'global-job'] as const;
const empty: YamlMap = new Map<unknown, unknown>();
/** The engine's least. */
const leastMemory = 6 * 1024 * 1024;

export function deployPart(service: YamlMap, place: Place, notes: string[]): DeployPart {
  const at = below(place, 'deploy');
  const deploy = section(service.get('deploy'), at);
  const mode = deploy.has('mode') ? wordAt(deploy.get('mode'), below(at, 'mode'), modes) : 'replicated';
  const isGlobal = mode.startsWith('global');
  if (isGlobal)
    notes.push(
      `${at.where}.mode: ${mode} means one task here, since a compose service stands on one server.`,
    );
  const replicas = isGlobal ? 1 : (deploy.get('replicas') ?? service.get('scale'));
  const labels = deploy.get('labels');
  return {
    replicas:
      replicas === undefined || replicas === null
        ? 1
        : wholeAt(replicas, below(at, 'replicas'), { most: 1000 }),
    labels: labels === undefined || labels === null ? [] : pairsAt(labels, below(at, 'labels')),
    ...resources(service, deploy, place),
    ...placement(section(deploy.get('placement'), below(at, 'placement')), below(at, 'placement')),
    ...updates(section(deploy.get('update_config'), below(at, 'update_config')), below(at, 'update_config')),
    ...restarts(
      section(deploy.get('restart_policy'), below(at, 'restart_policy')),
      below(at, 'restart_policy'),
      mode.endsWith('-job'),
    ),
  };
}

function section(value: unknown, place: Place): YamlMap {
  return value === undefined || value === null ? empty : mapAt(value, place);
}

function resources(
  service: YamlMap,
  deploy: YamlMap,
  place: Place,
): Pick<DeployPart, 'limits' | 'reservations'> {
  const at = below(place, 'deploy.resources');
  const whole = section(deploy.get('resources'), at);
  const [limits, reservations] = [
    section(whole.get('limits'), below(at, 'limits')),
    section(whole.get('reservations'), below(at, 'reservations')),
  ];
  const first = <T>(
    read: (value: unknown, at: Place) => T,
    ...places: [YamlMap, string, Place][]
  ): T | undefined => {
    for (const [map, key, from] of places)
      if (map.get(key) !== undefined && map.get(key) !== null) return read(map.get(key), below(from, key));
    return undefined;
  };
  const found = {
    limits: {
      memoryBytes: first(memory, [limits, 'memory', below(at, 'limits')], [service, 'mem_limit', place]),
      nanoCpus: first(coresAt, [limits, 'cpus', below(at, 'limits')], [service, 'cpus', place]),
      pids: first(
        (value, from) => wholeAt(value, from, { least: -1 }),
        [limits, 'pids', below(at, 'limits')],
        [service, 'pids_limit', place],
      ),
    },
    reservations: {
      memoryBytes: first(
        memory,
        [reservations, 'memory', below(at, 'reservations')],
        [service, 'mem_reservation', place],
      ),
      nanoCpus: first(coresAt, [reservations, 'cpus', below(at, 'reservations')]),
    },
  };
  for (const key of ['memoryBytes', 'nanoCpus'] as const) {
    if ((found.reservations[key] ?? 0) > (found.limits[key] ?? Infinity))
      throw fault(below(at, 'reservations'), 'reserves more than the limits allow');
  }
  return found;
}

/** 0 is no limit (compose-spec, mem_limit). */
function memory(value: unknown, place: Place): number | undefined {
  const bytes = bytesAt(value, place);
  if (bytes !== 0 && bytes < leastMemory) throw fault(place, "must be at least 6m, the engine's least");
  return bytes === 0 ? undefined : bytes;
}

function placement(
  map: YamlMap,
  place: Place,
): Pick<DeployPart, 'constraints' | 'spreadOver' | 'maxReplicasPerNode'> {
  const constraints = map.has('constraints')
    ? textsAt(map.get('constraints'), below(place, 'constraints'))
    : [];
  for (const text of constraints)
    if (!constraint.test(text))
      throw fault(below(place, 'constraints'), 'must be like node.role==worker or node.labels.disk!=ssd');
  const preferences: unknown = map.get('preferences');
  const spreadOver = (Array.isArray(preferences) ? preferences : []).flatMap((item) =>
    entriesOf(item).map(([key, label]) => {
      if (key !== 'spread' || typeof label !== 'string')
        throw fault(below(place, 'preferences'), 'must be like "spread: node.labels.zone"');
      return label;
    }),
  );
  const most: unknown = map.get('max_replicas_per_node');
  return {
    constraints,
    spreadOver,
    maxReplicasPerNode: most === undefined ? undefined : wholeAt(most, below(place, 'max_replicas_per_node')),
  };
}

function updates(map: YamlMap, place: Place): Pick<DeployPart, 'updateOrder' | 'updatePace' | 'monitorMs'> {
  const [order, parallelism, delay, monitor] = [
    map.get('order'),
    map.get('parallelism'),
    map.get('delay'),
    map.get('monitor'),
  ];
  const hasPace = parallelism !== undefined || delay !== undefined;
  return {
    updateOrder:
      order === undefined ? undefined : wordAt(order, below(place, 'order'), ['start-first', 'stop-first']),
    updatePace: hasPace
      ? {
          parallelism:
            parallelism === undefined ? 1 : wholeAt(parallelism, below(place, 'parallelism'), { most: 1000 }),
          delayMs: delay === undefined ? 0 : durationAt(delay, below(place, 'delay')),
        }
      : undefined,
    monitorMs: monitor === undefined ? undefined : durationAt(monitor, below(place, 'monitor')),
  };
}

/** With the words of `restart`, which docker compose takes as well (compose, mapRestartPolicyCondition). */
const conditions = {
  none: 'no',
  no: 'no',
  'on-failure': 'on-failure',
  any: 'always',
  always: 'always',
  'unless-stopped': 'always',
} as const;
const conditionWords = ['none', 'no', 'on-failure', 'any', 'always', 'unless-stopped'] as const;

function restarts(
  map: YamlMap,
  place: Place,
  isJob: boolean,
): Pick<DeployPart, 'restartDelayMs' | 'restartPolicy'> {
  const [delay, condition, attempts] = [map.get('delay'), map.get('condition'), map.get('max_attempts')];
  return {
    restartDelayMs: delay === undefined ? undefined : durationAt(delay, below(place, 'delay')),
    restartPolicy: {
      isJob,
      condition: isJob
        ? 'no'
        : condition === undefined
          ? undefined
          : conditions[wordAt(condition, below(place, 'condition'), conditionWords)],
      attempts:
        attempts === undefined || attempts === null
          ? undefined
          : wholeAt(attempts, below(place, 'max_attempts'), { most: 9999 }),
    },
  };
}
