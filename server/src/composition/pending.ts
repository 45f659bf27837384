/** What changed of each kind of service since its live release: what its next deployment would take. */
import { readComposeSnapshot } from '../deploy/compose/compose-snapshot.ts';
import type { ComposeRecords } from '../deploy/compose/compose-context.ts';
import type { DatabaseRecords } from '../deploy/database/database-context.ts';
import type { DeployRecords, ReleaseSnapshot } from '../deploy/context.ts';
import { previewRecords } from '../deploy/preview-deployer.ts';
import { readSnapshot } from '../deploy/snapshot.ts';
import { resolveBlock, resolveEnv } from '../domain/env.ts';
import type { ApplicationRecord, ComposeRecord, DatabaseRecord } from '../db/tables.ts';
import {
  applicationInputs,
  applicationVariables,
  settingsOf,
  type ApplicationParts,
} from '../modules/application/release-inputs.ts';
import { composeInputs, composeSettings } from '../modules/compose/release-inputs.ts';
import { databaseInputs, databaseSettings } from '../modules/database/release-inputs.ts';
import type { Deployments } from '../modules/deployment/deployment.ts';
import { previewApplication } from '../modules/preview-deployment/preview-deployment.ts';
import type { PreviewDeploymentRecord } from '../modules/preview-deployment/store.ts';
import { pendingChanges, rememberReleases, type ReleasedInputs } from '../modules/service/release-inputs.ts';

type Mounts = ApplicationParts['mounts'];

export interface Pending {
  application(
    application: ApplicationRecord,
    parts: Pick<ApplicationParts, 'mounts' | 'ports'>,
  ): Promise<string[]>;
  preview(application: ApplicationRecord, preview: PreviewDeploymentRecord): Promise<string[]>;
  database(database: DatabaseRecord, mounts: Mounts): Promise<string[]>;
  compose(compose: ComposeRecord, mounts: Mounts): Promise<string[]>;
}

interface Live {
  liveDeploymentId: string | null;
}

export interface Released {
  ofService(service: Live): Promise<ReleasedInputs | undefined>;
  ofCompose(service: Live): Promise<ReleasedInputs | undefined>;
  /** A reload has given the release other inputs. */
  forget(deploymentId: string): void;
}

/** What live releases were made of. */
export function rememberReleased(deployments: Pick<Deployments, 'live'>): Released {
  const services = rememberReleases(async (service: Live) =>
    inputsOf(readSnapshot(await deployments.live(service))),
  );
  const composes = rememberReleases(async (service: Live) =>
    readComposeSnapshot(await deployments.live(service)),
  );
  return { ofService: services.released, ofCompose: composes.released, forget: services.forget };
}

/** The application releases of Berth 0.1 and before kept their variables in the specification alone. */
function inputsOf(snapshot: ReleaseSnapshot | undefined): ReleasedInputs | undefined {
  if (!snapshot?.settings || snapshot.variables) return snapshot;
  const entries = snapshot.spec.env.map((entry): [string, string] => {
    const at = entry.indexOf('=');
    return [entry.slice(0, at), entry.slice(at + 1)];
  });
  // Berth itself sets PORT where nobody has.
  const isOwn = /^\s*(export\s+)?PORT\s*=/m.test(String(snapshot.settings['env']));
  const env = Object.fromEntries(entries.filter(([name]) => name !== 'PORT' || isOwn));
  return { ...snapshot, variables: { env } };
}

export interface PendingRecords {
  application: Pick<DeployRecords, 'envBlocks' | 'mounts' | 'ports' | 'registryFacts'>;
  database: Pick<DatabaseRecords, 'envBlocks'>;
  compose: Pick<ComposeRecords, 'envBlocks'>;
}

export function createPending(released: Released, records: PendingRecords): Pending {
  async function ofSource(
    application: ApplicationRecord,
    { envBlocks, registryFacts }: Pick<DeployRecords, 'envBlocks' | 'registryFacts'>,
    parts: () => Promise<Pick<ApplicationParts, 'mounts' | 'ports'>>,
  ): Promise<string[]> {
    return pendingChanges(await released.ofService(application), settingsOf(application), async () => {
      const blocks = { ...(await envBlocks(application.environmentId)), service: application.env };
      const variables = applicationVariables(application, blocks);
      const registry = await registryFacts(application);
      return applicationInputs(application, variables, { ...(await parts()), registry });
    });
  }
  return {
    application: (application, parts) => ofSource(application, records.application, async () => parts),
    preview(application, preview) {
      const own = previewRecords(records.application, preview);
      const { applicationId } = application;
      return ofSource(
        previewApplication(application, preview),
        { ...records.application, ...own },
        async () => ({
          mounts: await own.mounts(applicationId),
          ports: await own.ports(applicationId),
        }),
      );
    },
    database: async (database, mounts) =>
      pendingChanges(await released.ofService(database), databaseSettings(database), async () => {
        const blocks = await records.database.envBlocks(database.environmentId);
        return databaseInputs(database, resolveEnv({ ...blocks, service: database.env }), mounts);
      }),
    compose: async (compose, mounts) =>
      pendingChanges(await released.ofCompose(compose), composeSettings(compose), async () => {
        const around = await records.compose.envBlocks(compose.environmentId);
        const blocks = { ...around, service: compose.env };
        const env = resolveBlock('env', compose.env, { ...blocks, service: '' });
        return composeInputs(compose, { env, blocks, text: compose.composeFile }, mounts);
      }),
  };
}
