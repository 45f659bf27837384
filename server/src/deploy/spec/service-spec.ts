/** Turns records into the specification for the engine (architecture, Running a service). Pure. */
import { newestDefaults } from '../../ports/engine/spec-defaults.ts';
import type { ServiceRef } from '../../domain/names/service-ref.ts';
import { onPresentVolumes } from '../../domain/names/restored-volumes.ts';
import { hasInit } from '../../domain/init-choice.ts';
import { splitWords } from '../../domain/text/words.ts';
import type { ApplicationRecord } from '../../db/tables.ts';
import type { Placement } from '../context.ts';
import type { ServiceSpec } from '../../ports/engine/engine.ts';
import {
  healthCheckOf,
  monitorMsOf,
  portsThatListen,
  probeTarget,
  type HealthInputs,
} from '../release/health-check.ts';
import type { DomainRecord, MountRecord, PortRecord } from '../release/release-inputs.ts';
import { filesOf, limitsOf, reservationsOf, serviceLabels, serviceMount } from './spec-parts.ts';

export interface SpecInputs {
  application: ApplicationRecord;
  /** The application, database, compose service or preview that it belongs to. */
  owner: ServiceRef;
  placement: Placement;
  deploymentId: string;
  image: string;
  imageHasHealthCheck: boolean;
  calmerHealthCheck?: HealthInputs['calmerHealthCheck'];
  imageEntrypoint: readonly string[];
  /** Variables that the image itself sets. */
  imageEnv: Readonly<Record<string, string>>;
  env: Record<string, string>;
  networks: string[];
  domains: DomainRecord[];
  ports: PortRecord[];
  mounts: MountRecord[];
  /** Node of this server, for services that must stay on it (`mayStay`). */
  nodeId: string;
  probePath: string;
}

export interface DescribedSpec {
  spec: ServiceSpec;
  /** Sentences for people about how it will run. */
  notes: string[];
}

const defaultGraceSeconds = 10;

const isOfHost = ({ publishMode }: PortRecord): boolean => publishMode === 'host';

/** Whether it can be that the service must stay on its node, which has to be known then. */
export const mayStay = ({ mounts, ports }: Pick<SpecInputs, 'mounts' | 'ports'>): boolean =>
  mounts.length > 0 || ports.some(isOfHost);

export function serviceSpecOf(inputs: SpecInputs): DescribedSpec {
  const { application, owner, ports, mounts, domains } = inputs;
  const { organizationId, restoredVolumes } = application;
  const first = mounts
    .filter(({ type }) => type !== 'file')
    .map((mount) => serviceMount(mount, { ...owner, organizationId }));
  const bound = onPresentVolumes(first, owner, restoredVolumes);
  const holdsData = bound.length > 0;
  const holdsPort = ports.some(isOfHost);
  const stays = holdsData || holdsPort;
  const notes = stays
    ? [
        'The old version stops before the new one starts, and the service stays on this server: it has ' +
          `${holdsData ? 'a volume or folder' : 'a port of the server'} that two versions cannot use at ` +
          'the same time.',
      ]
    : [];
  const targetPorts = portsThatListen(
    domains,
    ports.map(({ targetPort, protocol }) => ({ target: targetPort, protocol })),
  );
  const health = {
    own: application.healthCheck,
    imageHasHealthCheck: inputs.imageHasHealthCheck,
    calmerHealthCheck: inputs.calmerHealthCheck,
    targetPorts,
  };
  return {
    notes,
    spec: {
      name: application.appName,
      image: inputs.image,
      labels: { ...application.labels, ...serviceLabels(owner, inputs.placement) },
      release: inputs.deploymentId,
      defaults: newestDefaults,
      env: Object.entries(withPort(inputs)).map(([name, value]) => `${name}=${value}`),
      command: application.command ? splitWords(application.command, 'command') : undefined,
      args: application.args.length > 0 ? application.args : undefined,
      container: { init: initOf(inputs) },
      networks: inputs.networks,
      replicas: application.replicas,
      limits: limitsOf(application),
      reservations: reservationsOf(application),
      mounts: [...bound, { type: 'bind', source: inputs.probePath, target: probeTarget, readOnly: true }],
      files: filesOf(mounts),
      ports: ports.map(({ publishedPort, targetPort, protocol, publishMode }) => ({
        published: publishedPort,
        target: targetPort,
        protocol,
        mode: publishMode,
      })),
      healthCheck: healthCheckOf(health),
      updateOrder: stays || application.updateOrder === 'stop-first' ? 'stop-first' : 'start-first',
      monitorMs: monitorMsOf(health),
      stopGracePeriodMs: (application.stopGracePeriod ?? defaultGraceSeconds) * 1000,
      constraints: stays ? [...application.placement, `node.id==${inputs.nodeId}`] : application.placement,
    },
  };
}

function initOf({ application, imageEntrypoint }: SpecInputs): boolean {
  const [program] = application.command ? splitWords(application.command, 'command') : imageEntrypoint;
  return hasInit(application.init, program);
}

/** Most programs listen where PORT says; it names the first domain's port when nobody set it. */
function withPort({ env, imageEnv, domains }: SpecInputs): Record<string, string> {
  const [first] = domains.toSorted((left, right) =>
    left.createdAt === right.createdAt
      ? left.domainId.localeCompare(right.domainId)
      : left.createdAt.localeCompare(right.createdAt),
  );
  const isSet = 'PORT' in env || 'PORT' in imageEnv;
  return first === undefined || isSet ? env : { ...env, PORT: String(first.port) };
}
