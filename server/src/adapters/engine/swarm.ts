import { systemClock } from '../../ports/clock.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Engine, EngineInfo } from '../../ports/engine/engine.ts';
import { isPlatformImage } from '../../domain/names/image-reference.ts';
import { infoAnswer } from './services/answers.ts';
import { changes } from './services/changes.ts';
import {
  containerEnd,
  failedCheck,
  listContainers,
  pauseContainer,
  pausedContainers,
  serviceContainers,
} from './containers.ts';
import { clientAt } from './client/engine-client.ts';
import type { EngineAddress, EngineClient } from './client/engine-client.ts';
import { diskUsage, removeEnded } from './view/disk-usage.ts';
import { exec } from './exec/exec.ts';
import { askRegistry, pullImage, pushImage } from './images/image-transfer.ts';
import { builtImages, checkRegistry, findImage, removeImage, tagImage } from './images/images.ts';
import { serviceLogs } from './logs/logs.ts';
import { interact } from './exec/interact.ts';
import { createNetworks, type Networks } from './networks/networks.ts';
import { programOutput, removeContainers } from './exec/program.ts';
import { runTask } from './exec/run-task.ts';
import { killContainer, leavingContainers, leavingTasks } from './services/leaving.ts';
import { removeService } from './services/service-removal.ts';
import { specDigest } from './services/service-spec.ts';
import { createServices } from './services/services.ts';
import { listTasks } from './services/tasks.ts';
import { engineMarks } from './services/marks.ts';
import { hasVolume, listVolumes, removeVolume } from './volumes.ts';

export type SwarmEngineOptions = EngineAddress & {
  clock?: Clock;
  /** Bytes of output that one reading of a service's log gives, the newest. */
  logAnswerBytes?: (() => Promise<number>) | undefined;
  /** Whether set-up alone makes an image of this name, so that none is pulled. */
  isOwnImage?: ((reference: string) => boolean) | undefined;
};

const defaultLogAnswerBytes = 8 * 1024 ** 2;

/**
 * The engine port over Docker in swarm mode (engine API 1.41, Docker 20.10, and later). Nothing is asked of
 * the engine until the first call.
 */
export function createSwarmEngine({
  clock = systemClock,
  logAnswerBytes = async () => defaultLogAnswerBytes,
  isOwnImage = isPlatformImage,
  ...address
}: SwarmEngineOptions): Engine {
  const client = clientAt(address);
  const networks = createNetworks(client);
  const services = createServices(client, networks, isOwnImage);
  return {
    info: () => engineInfo(client),
    ...networksOf(networks),
    ...leavingOf(client),
    applyService: services.apply,
    service: services.one,
    serviceWithTasks: services.withTasks,
    services: services.list,
    servicesWithTasks: services.listWithTasks,
    changes: (signal) => changes(client, signal),
    ...engineMarks(client),
    scaleService: services.scale,
    restartService: services.restart,
    rollbackService: services.rollback,
    specDigest,
    removeService: (name, options) => removeService(client, name, clock, options),
    tasks: (serviceName) => listTasks(client, serviceName),
    async *serviceLogs(serviceName, options) {
      yield* serviceLogs(client, serviceName, { ...options, maxBytes: await logAnswerBytes() });
    },
    async *taskLogs(taskId, options) {
      yield* serviceLogs(client, taskId, { ...options, maxBytes: await logAnswerBytes(), of: 'tasks' });
    },
    runTask: (spec, options) => runTask(client, spec, options, { clock, isOwnImage }),
    programOutput: (spec, streams) => programOutput(client, spec, streams),
    removeContainers: (label) => removeContainers(client, label),
    containers: (label) => listContainers(client, label),
    pausedContainers: () => pausedContainers(client),
    pauseContainer: (containerId) => pauseContainer(client, containerId, 'pause'),
    unpauseContainer: (containerId) => pauseContainer(client, containerId, 'unpause'),
    serviceContainers: (serviceId) => serviceContainers(client, serviceId),
    containerEnd: (containerId) => containerEnd(client, containerId),
    failedCheck: (containerId) => failedCheck(client, containerId),
    exec: (containerId, program) => exec(client, containerId, program),
    interact: (containerId, program) => interact(client, containerId, program),
    pullImage: (reference, options) => pullImage(client, reference, options, isOwnImage),
    pushImage: (reference, options) => pushImage(client, reference, options),
    askRegistry: (reference, options) => askRegistry(client, reference, options, isOwnImage),
    image: (reference) => findImage(client, reference),
    images: (label) => builtImages(client, label),
    tagImage: (source, target) => tagImage(client, source, target),
    removeImage: (reference) => removeImage(client, reference),
    checkRegistry: (auth) => checkRegistry(client, auth),
    volumes: (label) => listVolumes(client, label),
    hasVolume: (name) => hasVolume(client, name),
    removeVolume: (name) => removeVolume(client, name),
    diskUsage: () => diskUsage(client),
    removeEnded: (id) => removeEnded(client, id),
  };
}

const networksOf = (
  networks: Networks,
): Pick<Engine, 'ensureNetwork' | 'networks' | 'removeNetwork' | 'connectNetwork' | 'disconnectNetwork'> => ({
  ensureNetwork: networks.ensure,
  networks: networks.list,
  removeNetwork: networks.remove,
  connectNetwork: networks.connect,
  disconnectNetwork: networks.disconnect,
});

const leavingOf = (
  client: EngineClient,
): Pick<Engine, 'leavingContainers' | 'leavingTasks' | 'killContainer'> => ({
  leavingContainers: (tasks) => leavingContainers(client, tasks),
  leavingTasks: () => leavingTasks(client),
  killContainer: (containerId) => killContainer(client, containerId),
});

async function engineInfo(client: EngineClient): Promise<EngineInfo> {
  const answer = await client.call(
    { method: 'GET', path: '/info', doing: 'asking it what it is', limitMs: 5_000 },
    infoAnswer,
  );
  return {
    version: answer.ServerVersion,
    nodeId: answer.Swarm.NodeID,
    isManager: answer.Swarm.ControlAvailable,
    rootDirectory: answer.DockerRootDir,
    cgroupVersion: answer.CgroupVersion,
  };
}
