/** What changed in a service since its live release, which its next deployment would apply. */
import { readComposeSnapshot } from '../compose/compose-snapshot.ts';
import type { ComposeRecords } from '../compose/compose-context.ts';
import type { DatabaseRecords } from '../database/database-context.ts';
import type { DeployRecords } from '../context.ts';
import { previewRecords } from '../preview-deployer.ts';
import { readSnapshot } from '../snapshot.ts';
import { resolveEnv } from '../../domain/variables/env.ts';
import type {
  ApplicationRecord,
  ComposeRecord,
  DatabaseRecord,
  DeploymentRecord,
  TableRecord,
} from '../../db/tables.ts';
import { applicationInputs, applicationVariables, blocksOf, settingsOf } from './application-inputs.ts';
import { composeInputs, composeSettings } from './compose-inputs.ts';
import { composeVariables } from '../../domain/variables/compose-variables.ts';
import { databaseInputs, databaseSettings } from './database-inputs.ts';
import type { ReadAround } from '../../modules/application/application.ts';
import type { Deployments } from '../../modules/deployment/deployment.ts';
import { previewApplication } from '../../modules/preview-deployment/preview-deployment.ts';
import { changedBetween, pendingChanges, rememberReleases, type ReleasedInputs } from './inputs.ts';

export interface Pending {
  /**
   * How the inputs of a release differ from those of an earlier one; null where either was never released.
   */
  between(earlier: DeploymentRecord, later: DeploymentRecord): Promise<string[] | null>;
  /** `around`: what was read already; absent: nothing. */
  application(application: ApplicationRecord, around?: ReadAround): Promise<string[]>;
  preview(application: ApplicationRecord, preview: TableRecord<'preview_deployment'>): Promise<string[]>;
  database(database: DatabaseRecord): Promise<string[]>;
  compose(compose: ComposeRecord): Promise<string[]>;
}

/** Resolves with the former answer for the same records while nothing has been written since. */
type ReadOnce = (key: string, records: readonly object[], read: () => Promise<string[]>) => Promise<string[]>;

interface Live {
  liveDeploymentId: string | null;
}

export interface Released {
  ofService(service: Live): Promise<ReleasedInputs | undefined>;
  ofCompose(service: Live): Promise<ReleasedInputs | undefined>;
  /** The inputs of one release, live or not; undefined when the deployment never released anything. */
  ofOne(deployment: DeploymentRecord): Promise<ReleasedInputs | undefined>;
  /** To be called after a reload, which changes the inputs of the release. */
  forget(deploymentId: string): void;
}

/** The inputs of live releases, remembered. */
export function rememberReleased(deployments: Pick<Deployments, 'live'>): Released {
  const services = rememberReleases(async (service: Live) => readSnapshot(await deployments.live(service)));
  const composes = rememberReleases(async (service: Live) =>
    readComposeSnapshot(await deployments.live(service)),
  );
  return {
    ofService: services.released,
    ofCompose: composes.released,
    ofOne: async (deployment) =>
      deployment.composeId === null ? readSnapshot(deployment) : readComposeSnapshot(deployment),
    forget: services.forget,
  };
}

export interface PendingRecords {
  application: Pick<DeployRecords, 'envBlocks' | 'mounts' | 'ports' | 'registryFacts'>;
  database: Pick<DatabaseRecords, 'envBlocks' | 'mounts'>;
  compose: Pick<ComposeRecords, 'envBlocks' | 'mounts'>;
}

/**
 * Computes each answer again only after a write, since pages ask far more often than anything changes. That
 * of an application is kept with the rest of its page.
 */
export function createPending(released: Released, records: PendingRecords, once: ReadOnce): Pending {
  const pending = computePending(released, records);
  return {
    between: pending.between,
    application: pending.application,
    preview: (application, preview) =>
      once(preview.previewDeploymentId, [application, preview], () => pending.preview(application, preview)),
    database: (database) => once(database.databaseId, [database], () => pending.database(database)),
    compose: (compose) => once(compose.composeId, [compose], () => pending.compose(compose)),
  };
}

/** The records of an application without reading again what its page has read. */
function readBefore(
  records: PendingRecords['application'],
  { variables, mounts, ports }: ReadAround,
): PendingRecords['application'] {
  return {
    ...records,
    envBlocks: (consumer, own) => records.envBlocks(consumer, own, variables),
    mounts: async () => [...mounts],
    // Ports of one number keep the order in which they are read, which is the database's own.
    ports: async (applicationId) =>
      new Set(ports.map(({ publishedPort }) => publishedPort)).size === ports.length
        ? [...ports]
        : records.ports(applicationId),
  };
}

function computePending(released: Released, records: PendingRecords): Pending {
  async function ofSource(
    application: ApplicationRecord,
    { envBlocks, mounts, ports, registryFacts }: PendingRecords['application'],
  ): Promise<string[]> {
    return pendingChanges(await released.ofService(application), settingsOf(application), async () => {
      const { applicationId } = application;
      const around = await envBlocks(application, blocksOf(application));
      return applicationInputs(application, applicationVariables(application, around), {
        mounts: await mounts(applicationId),
        ports: await ports(applicationId),
        registry: await registryFacts(application),
      });
    });
  }
  return {
    async between(earlier, later) {
      const [former, present] = await Promise.all([released.ofOne(earlier), released.ofOne(later)]);
      return former && present ? changedBetween(former, present) : null;
    },
    application: (application, around) =>
      ofSource(application, around ? readBefore(records.application, around) : records.application),
    preview: (application, preview) =>
      ofSource(previewApplication(application, preview), {
        ...records.application,
        ...previewRecords(records.application, preview),
      }),
    database: async (database) =>
      pendingChanges(await released.ofService(database), databaseSettings(database), async () => {
        const blocks = await records.database.envBlocks(database, [database.env]);
        return databaseInputs(
          database,
          resolveEnv({ ...blocks, service: database.env }),
          await records.database.mounts(database.databaseId),
        );
      }),
    compose: async (compose) =>
      pendingChanges(await released.ofCompose(compose), composeSettings(compose), async () => {
        const { env: own, secretEnv, composeFile } = compose;
        const around = await records.compose.envBlocks(compose, [own, secretEnv, composeFile]);
        const { all: env, blocks } = composeVariables(compose, around);
        return composeInputs(
          compose,
          { env, blocks, text: compose.composeFile },
          await records.compose.mounts(compose.composeId),
        );
      }),
  };
}
