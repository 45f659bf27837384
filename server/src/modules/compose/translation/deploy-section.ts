/**
 * `deploy` of a service, and the older keys for the same: replicas, resources, placement, the way of updates
 * (compose-spec, Compose Deploy). Pure.
 */
import { entriesOf, type YamlMap } from '../compose-file.ts';
import type { PlannedService } from './plan.ts';
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
> & { labels: [string, string | null][]; restartCondition: 'none' | 'on-failure' | 'any' | undefined };

const known: ReadonlySet<string> = new Set([
  'replicas',
  'mode',
  'resources',
  'update_config',
  'placement',
  'restart_policy',
  'labels',
  'endpoint_mode',
  'rollback_config',
]);
const constraint = /^(node|engine)\.[a-zA-Z0-9._-]+ *(==|!=) *[a-zA-Z0-9:*()?._/ -]+$/;
const empty: YamlMap = new Map<unknown, unknown>();
/** The engine's least. */
const leastMemory = 6 * 1024 * 1024;

export function deployPart(service: YamlMap, place: Place, notes: string[]): DeployPart {
  const at = below(place, 'deploy');
  const deploy = section(service.get('deploy'), at);
  for (const [key] of entriesOf(deploy))
    if (!known.has(key) && !key.startsWith('x-'))
      throw fault(below(at, key), 'is not a key that Berth supports');
  if (deploy.has('mode'))
    wordAt(
      deploy.get('mode'),
      { ...at, where: `${at.where}.mode (a service on each node, or one that runs once, is not supported)` },
      ['replicated'],
    );
  for (const key of ['endpoint_mode', 'rollback_config'])
    if (deploy.has(key)) notes.push(`${at.where}.${key} has no effect: Berth decides it.`);
  const replicas = deploy.get('replicas') ?? service.get('scale');
  const labels = deploy.get('labels');
  return {
    replicas:
      replicas === undefined || replicas === null
        ? 1
        : wholeAt(replicas, below(at, 'replicas'), { most: 1000 }),
    labels: labels === undefined || labels === null ? [] : pairsAt(labels, below(at, 'labels')),
    ...resources(service, deploy, place),
    ...placement(section(deploy.get('placement'), below(at, 'placement')), below(at, 'placement')),
    ...updates(
      section(deploy.get('update_config'), below(at, 'update_config')),
      below(at, 'update_config'),
      notes,
    ),
    ...restarts(
      section(deploy.get('restart_policy'), below(at, 'restart_policy')),
      below(at, 'restart_policy'),
      notes,
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
  for (const key of ['devices', 'generic_resources'])
    if (reservations.has(key)) throw fault(below(at, `reservations.${key}`), 'is not possible here');
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

function updates(
  map: YamlMap,
  place: Place,
  notes: string[],
): Pick<DeployPart, 'updateOrder' | 'updatePace' | 'monitorMs'> {
  for (const key of ['failure_action', 'max_failure_ratio'])
    if (map.has(key))
      notes.push(`${place.where}.${key} has no effect: a version that fails is always rolled back.`);
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
  none: 'none',
  no: 'none',
  'on-failure': 'on-failure',
  any: 'any',
  always: 'any',
  'unless-stopped': 'any',
} as const;
const conditionWords = ['none', 'no', 'on-failure', 'any', 'always', 'unless-stopped'] as const;

function restarts(
  map: YamlMap,
  place: Place,
  notes: string[],
): Pick<DeployPart, 'restartDelayMs' | 'restartCondition'> {
  for (const key of ['max_attempts', 'window'])
    if (map.has(key))
      notes.push(`${place.where}.${key} has no effect: a service that ended is always restarted.`);
  const [delay, condition] = [map.get('delay'), map.get('condition')];
  return {
    restartDelayMs: delay === undefined ? undefined : durationAt(delay, below(place, 'delay')),
    restartCondition:
      condition === undefined
        ? undefined
        : conditions[wordAt(condition, below(place, 'condition'), conditionWords)],
  };
}
