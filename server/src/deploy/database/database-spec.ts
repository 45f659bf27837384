/** From the record of a database to the service the engine is asked for. Pure. */
import { newestDefaults } from '../../ports/engine/spec-defaults.ts';
import { portLabel } from '../../domain/names/labels.ts';
import { databaseRef } from '../../domain/names/service-ref.ts';
import { splitWords } from '../../domain/text/words.ts';
import type { DatabaseRecord } from '../../db/tables.ts';
import { socketMount } from '../../domain/database-socket.ts';
import { databaseKind } from '../../modules/database/kinds.ts';
import { requireDataInVolume } from '../../domain/data-place.ts';
import type { PublishedPort, ServiceSpec } from '../../ports/engine/engine.ts';
import type { Placement } from '../context.ts';
import { probeTarget, watchingProbe } from '../release/health-check.ts';
import type { MountRecord } from '../release/release-inputs.ts';
import {
  filesOf,
  limitsOf,
  reservationsOf,
  serviceLabels,
  serviceMount,
  volumeLabels,
} from '../spec/spec-parts.ts';

export interface DatabaseSpecInputs {
  database: DatabaseRecord;
  placement: Placement;
  deploymentId: string;
  image: string;
  /** Major version of the image; undefined when it does not tell. */
  major: number | undefined;
  env: Record<string, string>;
  network: string;
  mounts: MountRecord[];
  /** Whether the service that receives its log sees the folder of its socket. */
  sharesSocket?: boolean;
  /** Node of this server, on which the data is. */
  nodeId: string;
  probePath: string;
}

/**
 * A server that recovers from a crash, or makes its first data on a slow disk, takes its time; failures
 * within it count for nothing.
 */
const startPeriodMs = 10 * 60_000;
/** A busy server answers late. It must be deaf for half a minute before it is given up. */
const health = { intervalMs: 1000, timeoutMs: 10_000, retries: 15, startPeriodMs };
const monitorMs = 2000;
/** For the last writes to the disk. */
export const stopGracePeriodMs = 45_000;

export function databaseSpecOf(inputs: DatabaseSpecInputs): ServiceSpec {
  const { database, mounts } = inputs;
  const { server } = databaseKind(database.kind);
  const owner = { ...databaseRef(database.databaseId), organizationId: database.organizationId };
  const data = {
    type: 'volume',
    source: database.dataVolume,
    target: server.dataPath(inputs.major),
    labels: volumeLabels(owner),
  } as const;
  const bound = mounts.filter(({ type }) => type !== 'file').map((mount) => serviceMount(mount, owner));
  requireDataInVolume({
    kind: database.kind,
    env: inputs.env,
    args: database.args,
    folders: [data.target, ...bound.map(({ target }) => target)],
  });
  const spec: ServiceSpec = {
    name: database.appName,
    image: inputs.image,
    labels: serviceLabels(owner, inputs.placement),
    release: inputs.deploymentId,
    defaults: newestDefaults,
    // The record's own names and passwords come last: a variable that says otherwise would make the record
    // lie.
    env: Object.entries({ ...inputs.env, ...server.env(database) }).map(
      ([name, value]) => `${name}=${value}`,
    ),
    ...commandOf(database),
    networks: [inputs.network],
    replicas: 1,
    limits: limitsOf(database),
    reservations: reservationsOf(database),
    mounts: [
      data,
      ...bound,
      ...(inputs.sharesSocket === true ? [socketMount(database)] : []),
      { type: 'bind', source: inputs.probePath, target: probeTarget, readOnly: true },
    ],
    files: filesOf(mounts),
    ports: [],
    healthCheck: watchingProbe(server.probe, health),
    // Two servers on the same data would destroy it.
    updateOrder: 'stop-first',
    monitorMs,
    stopGracePeriodMs,
    constraints: [`node.id==${inputs.nodeId}`],
  };
  return withPort(spec, database);
}

/** The same service on the port that the record names now. */
export function withPort(
  spec: ServiceSpec,
  { kind, externalPort }: Pick<DatabaseRecord, 'kind' | 'externalPort'>,
): ServiceSpec {
  const { [portLabel]: _former, ...labels } = spec.labels;
  if (externalPort === null) return { ...spec, labels, ports: [] };
  const port: PublishedPort = {
    published: externalPort,
    target: databaseKind(kind).port,
    protocol: 'tcp',
    mode: 'host',
  };
  return { ...spec, labels: { ...labels, [portLabel]: String(externalPort) }, ports: [port] };
}

/** A command of one's own replaces the image's entrypoint, and with it what the kind would start. */
function commandOf({
  kind,
  command,
  args,
  replicaSets,
}: DatabaseRecord): Pick<ServiceSpec, 'command' | 'args'> {
  if (command) return { command: splitWords(command, 'command'), args: args.length > 0 ? args : undefined };
  return { command: undefined, args: databaseKind(kind).server.args({ args, replicaSets }) };
}
