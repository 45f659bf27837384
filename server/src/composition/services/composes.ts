/**
 * Compose services as they run: what their deployments work with, what the engine should have of them now,
 * and what is done to them by hand.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ComposePorts } from '../../deploy/compose/compose-context.ts';
import { keptServices, readComposeSnapshot } from '../../deploy/compose/compose-snapshot.ts';
import { composeNetwork } from '../../deploy/spec/networks.ts';
import { linkOf, repositoryAccess, requireRepository } from '../../deploy/stages/fetch-repository.ts';
import type { SurroundingBlocks } from '../../domain/variables/env.ts';
import { AppError } from '../../domain/errors.ts';
import type { ComposeRecord } from '../../db/tables.ts';
import type { Composes } from '../../modules/compose/compose.ts';
import {
  createComposeRuntime,
  type ComposeRuntime,
  type LiveService,
} from '../../modules/compose/runtime.ts';
import { createPublishedPorts } from '../../modules/port/port.ts';
import type { Turns } from '../../modules/service/turns.ts';
import { randomId } from '../../ports/clock.ts';
import type { ServiceSpec } from '../../ports/engine/engine.ts';
import { createDeployRecords, registryAuthBy, type DeployingParts, type SharedPorts } from './deploying.ts';

export interface RunningComposes {
  ports: Omit<ComposePorts, 'applyRoutes'>;
  /** What the engine should run of it; none before the first release. */
  liveSpecs(compose: ComposeRecord): Promise<ServiceSpec[]>;
  /** The same, each with its name in the file. */
  liveServices(compose: ComposeRecord): Promise<LiveService[]>;
  runtime: ComposeRuntime;
  envBlocks(compose: ComposeRecord): Promise<SurroundingBlocks>;
  repositoryFile(compose: ComposeRecord, signal: AbortSignal): Promise<string>;
}

interface ComposesAround extends Pick<ComposePorts, 'judgeFile'> {
  composes: Composes;
  turns: Turns;
}

const fileLimitBytes = 65_536;
/** A person waits for it. */
const fetchLimitMs = 30_000;

export function createRunningComposes(
  parts: DeployingParts,
  shared: SharedPorts,
  { composes, turns, judgeFile }: ComposesAround,
): RunningComposes {
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
  return {
    ports: {
      ...shared,
      records,
      judgeFile,
      requireFreePort: requireFreePort(parts),
    },
    liveServices,
    liveSpecs: async (compose) => (await liveServices(compose)).map(({ spec }) => spec),
    envBlocks: (compose) => records.envBlocks(compose, [compose.env, compose.secretEnv, compose.composeFile]),
    runtime: createComposeRuntime({
      hosts: parts.hosts,
      composes,
      turns,
      liveServices,
      networkOf: composeNetwork,
      logAnswerBytes: async () => (await parts.settings.get()).logAnswerLimit,
      removeCopies: ({ files, folders }, composeId) => files.remove(join(folders.composes, composeId)),
    }),
    repositoryFile: readRepositoryFile(parts, shared, records),
  };
}

/** The file as the repository has it now. */
function readRepositoryFile(
  { adapters }: DeployingParts,
  { localRepositoryPaths }: Pick<SharedPorts, 'localRepositoryPaths'>,
  records: ComposePorts['records'],
): RunningComposes['repositoryFile'] {
  const { files, folders, git } = adapters;
  return async (compose, signal) => {
    const link = await linkOf(compose, records);
    const source = requireRepository(compose, await localRepositoryPaths(compose.organizationId), link);
    const folder = join(folders.work, `read-${randomId()}`);
    try {
      await files.fresh(folder);
      const checkout = join(folder, 'source');
      await git.checkout(
        {
          ...source,
          ...(await repositoryAccess(compose, records, link)),
          organizationId: compose.organizationId,
          submodules: false,
        },
        checkout,
        { signal, limitMs: fetchLimitMs, onLine: () => undefined, onChild: async () => undefined },
      );
      const text = await files.readInside(checkout, compose.composePath, {
        field: 'composePath',
        maxBytes: fileLimitBytes,
      });
      if (text === undefined)
        throw new AppError(
          'PRECONDITION_FAILED',
          `There is no file ${compose.composePath} in the repository. Set composePath with compose.update.`,
        );
      return text;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
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
    succeeded: async (composeId) =>
      (
        await stores.deployments.list({ composeId, status: 'done' }, { by: ['sequence'], direction: 'desc' })
      ).map(({ deploymentId }) => deploymentId),
    deployment: deployments.find,
    nameReleased: (composeId, released) => composes.patch(composeId, released),
    reserve: composes.reserve,
  };
}

/** By the records of applications and databases, and by what the engine has of other compose services. */
function requireFreePort({ config, stores }: DeployingParts): ComposePorts['requireFreePort'] {
  const published = createPublishedPorts(stores.ports, [config.port, config.httpPort, config.httpsPort]);
  return async ({ engineView }, { port, protocol, field, compose }) => {
    const { composeId, organizationId, serverId } = compose;
    await published.requireFree({
      port,
      protocol,
      field,
      organizationId,
      serverId,
      holderId: composeId,
    });
    const others = (await engineView.swarmServices()).filter(
      ({ labels, ports }) =>
        labels['berth.compose'] !== composeId &&
        ports.some((other) => other.published === port && other.protocol === protocol),
    );
    const [other] = others;
    if (!other) return;
    const who =
      other.labels['berth.organization'] === organizationId
        ? `the service ${other.name}`
        : 'another service on this server';
    throw new AppError(
      'CONFLICT',
      `${field}: port ${port}/${protocol} is already published by ${who}. Choose another one.`,
      { issues: [{ path: field, message: `is taken by ${who}` }] },
    );
  };
}
