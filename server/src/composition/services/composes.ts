/**
 * Compose services as they run: what their deployments work with, what the engine should have of them now,
 * and what is done to them by hand.
 */
import { composeRef } from '../../domain/names/service-ref.ts';
import { join } from 'node:path';
import type { ComposePorts } from '../../deploy/compose/compose-context.ts';
import { keptServices, readComposeSnapshot } from '../../deploy/compose/compose-snapshot.ts';
import { composeNetwork, internalNetwork } from '../../deploy/spec/networks.ts';
import { createFreePort } from '../../deploy/compose/free-port.ts';
import { createRepositoryFile } from '../../deploy/compose/repository-file.ts';
import type { SurroundingBlocks } from '../../domain/variables/env.ts';
import type { ComposeRecord } from '../../db/tables.ts';
import type { CheckParts } from '../../modules/compose/judgement/checking.ts';
import { placeCompose } from '../../modules/compose/moving.ts';
import type { Composes, RepositoryFile } from '../../modules/compose/compose.ts';
import {
  createComposeRuntime,
  type ComposeRuntime,
  type LiveService,
} from '../../modules/compose/runtime.ts';
import { createPublishedPorts } from '../../modules/port/port.ts';
import type { Turns } from '../../modules/service/turns.ts';
import type { ServiceSpec } from '../../ports/engine/engine.ts';
import { createDeployRecords, registryAuthBy, type DeployingParts, type SharedPorts } from './deploying.ts';
import { proxyPorts } from '../../domain/names/names.ts';

export interface RunningComposes {
  ports: Omit<ComposePorts, 'applyRoutes'>;
  /** What the engine should run of it; none before the first release. */
  liveSpecs(compose: ComposeRecord): Promise<ServiceSpec[]>;
  /** The same, each with its name in the file. */
  liveServices(compose: ComposeRecord): Promise<LiveService[]>;
  runtime: ComposeRuntime;
  checking: CheckParts;
  envBlocks(compose: ComposeRecord): Promise<SurroundingBlocks>;
  repositoryFile(compose: ComposeRecord, signal: AbortSignal): Promise<RepositoryFile>;
}

interface ComposesAround extends Pick<ComposePorts, 'judgeFile'> {
  composes: Composes;
  turns: Turns;
}

export function createRunningComposes(
  parts: DeployingParts,
  shared: SharedPorts,
  { composes, turns, judgeFile }: ComposesAround,
): RunningComposes {
  const { adapters, config, stores } = parts;
  const records = createComposeRecords(parts, composes);
  const liveServices = async (compose: ComposeRecord): Promise<LiveService[]> => {
    const live = await records.live(compose);
    const found = live ? keptServices(live.snapshot) : [];
    return Promise.all(
      found.map(async ({ service, spec }) => ({
        service,
        spec: { ...spec, registryAuth: await records.registryAuth(spec.image, compose.organizationId) },
      })),
    );
  };
  const webPorts = [...proxyPorts, config.port, config.httpPort, config.httpsPort];
  const published = createPublishedPorts(stores.ports, [config.port, config.httpPort, config.httpsPort]);
  return {
    ports: { ...shared, records, judgeFile, webPorts, requireFreePort: createFreePort(published) },
    checking: { webPorts, requireFreePort: published.requireFree },
    liveServices,
    liveSpecs: async (compose) => (await liveServices(compose)).map(({ spec }) => spec),
    envBlocks: (compose) => records.envBlocks(compose, [compose.env, compose.secretEnv, compose.composeFile]),
    runtime: createComposeRuntime({
      hosts: parts.hosts,
      composes,
      turns,
      liveServices,
      networksOf: (composeId) => [composeNetwork(composeId), internalNetwork(composeId)],
      logAnswerBytes: async () => (await parts.settings.get()).logAnswerLimit,
      removeCopies: ({ files, folders }, composeId) => files.remove(join(folders.composes, composeId)),
    }),
    repositoryFile: createRepositoryFile({
      files: adapters.files,
      git: adapters.git,
      workRoot: adapters.folders.work,
      localRepositoryPaths: shared.localRepositoryPaths,
      records,
    }),
  };
}

function createComposeRecords(parts: DeployingParts, composes: Composes): ComposePorts['records'] {
  const { stores, deployments, registries } = parts;
  const { placement, envBlocks, sshPrivateKey, gitLink } = createDeployRecords(parts);
  return {
    placement,
    envBlocks,
    sshPrivateKey,
    gitLink,
    find: composes.find,
    domains: (composeId) => stores.domains.list({ composeId }, { by: ['domainId'], direction: 'asc' }),
    mounts: (composeId) => stores.mounts.list({ composeId }, { by: ['mountId'], direction: 'asc' }),
    registryAuth: registryAuthBy(registries),
    async live(compose) {
      const deployment = await deployments.live(compose);
      const snapshot = readComposeSnapshot(deployment);
      return deployment && snapshot && { commit: deployment.commit, snapshot };
    },
    succeeded: (composeId) => deployments.succeeded(composeRef(composeId)),
    deployment: deployments.find,
    nameReleased: (composeId, released) => composes.patch(composeId, released),
    place: placeCompose({ composes: stores.composes, domains: parts.domains }),
    reserve: composes.reserve,
  };
}
