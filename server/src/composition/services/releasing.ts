/** What runs by the records, and what deployments and operations by hand are made of. */
import { instanceLabel } from '../../domain/names/labels.ts';
import { keepUntilWritten } from '../../db/reading/until-written.ts';
import { createLiveReleases, type LiveReleases } from '../../deploy/release/live-releases.ts';
import { releaseNow } from '../../deploy/release-now.ts';
import { createApplicationRuntime, type ApplicationRuntime } from '../../modules/application/runtime.ts';
import { randomId } from '../../ports/clock.ts';
import { createRunningComposes, type RunningComposes } from './composes.ts';
import { createRunningDatabases, type RunningDatabases } from './databases.ts';
import { createDeployPorts, type DeployingParts, type SharedPorts } from './deploying.ts';
import type { Ground } from '../ground.ts';
import { imageAccessOf } from './image-access.ts';
import type { Machines } from '../hosts/machines.ts';
import { createPreviewRuntime, type PreviewRuntime } from '../../modules/preview-deployment/runtime.ts';
import { createPending, rememberReleased, type Pending } from '../../deploy/inputs/pending.ts';
import type { Product } from '../product.ts';
import { fileWithinQuota, quotasOf, sumOf } from '../../deploy/quotas.ts';
import type { Walls } from '../hosts/walls.ts';

export interface Releasing {
  ports: SharedPorts;
  live: LiveReleases;
  running: RunningDatabases;
  runningComposes: RunningComposes;
  runtime: ApplicationRuntime;
  previewRuntime: PreviewRuntime;
  /** Of the run of Berth that waits for one-off tasks. */
  instance: string;
  pending: Pending;
}

/** Of services whose pending changes are kept until the next write. */
const keptPending = 2000;

export function createReleasing(
  ground: Ground,
  product: Product,
  machines: Machines,
  walls: Walls,
): Releasing {
  const { turns, databases, composes } = product;
  const { deployments, hostReach } = machines;
  const releases = rememberReleased(deployments);
  const instance = randomId();
  const parts: DeployingParts = {
    ...ground,
    ...product,
    ...machines,
    images: imageAccessOf(ground, walls),
    taskLabels: { [instanceLabel]: instance },
  };
  const ports = createDeployPorts(parts);
  const live = createLiveReleases({
    ...parts,
    records: ports.records,
    forget: releases.forget,
  });
  const running = createRunningDatabases(parts, { databases, turns, forget: releases.forget });
  const runningComposes = createRunningComposes(parts, ports, {
    composes,
    turns,
    judgeFile: fileWithinQuota(
      walls.judgeFile({ hostReach, composes, clock: ground.clock }),
      quotasOf(ground.stores),
    ),
  });
  return {
    ports,
    live,
    instance,
    running,
    runningComposes,
    pending: createPending(
      releases,
      {
        application: ports.records,
        database: running.ports.records,
        compose: runningComposes.ports.records,
      },
      keepUntilWritten(ground.database, keptPending),
    ),
    runtime: createRuntime(parts, product, live),
    previewRuntime: createPreviewRuntime({
      hosts: machines.hosts,
      turns,
      services: machines.deployedPreviews,
      liveSpec: live.previewSpec,
    }),
  };
}

function createRuntime(
  { hosts, clock, stores, taskLabels }: DeployingParts,
  { applications, settings, turns }: Product,
  { liveSpec, rescaled, currentSpec }: LiveReleases,
): ApplicationRuntime {
  return createApplicationRuntime({
    hosts,
    applications,
    liveSpec,
    rescaled,
    currentSpec,
    releaseNow: ({ engine }, spec) => releaseNow({ engine, clock }, spec),
    turns,
    taskLabels,
    beginOneOff: ({ organizationId, name }, task) =>
      quotasOf(stores).beginOneOff(organizationId, {
        serviceId: task.name,
        name: `A command of ${name}`,
        ...sumOf([task]),
      }),
    runOutputBytes: async () => (await settings.get()).runOutputLimit,
    taskName: ({ appName }) => `${appName.slice(0, 50)}-run-${randomId(8).toLowerCase()}`,
  });
}
