/** The live release of an application, and that release with the present settings. */
import type { ApplicationRecord } from '../../db/tables.ts';
import { applicationRef } from '../../domain/names/service-ref.ts';
import type { Deployments } from '../../modules/deployment/deployment.ts';
import type { Registries } from '../../modules/registry/registry.ts';
import type { ServiceSpec } from '../../ports/engine/engine.ts';
import type { RegistryAuth } from '../../ports/engine/registry-auth.ts';
import type { Host } from '../../ports/host/host.ts';
import type { DeployRecords } from '../context.ts';
import { applicationVariables, blocksOf } from '../inputs/application-inputs.ts';
import { readSnapshot, writeSnapshot } from '../snapshot.ts';
import { composeSpec } from '../spec/compose-spec.ts';
import { imageAuth } from '../stages/checkout.ts';
import { notDeployedYet } from '../../domain/not-deployed.ts';

export interface LiveReleases {
  /** The specification of its live release; undefined before the first one. */
  liveSpec(application: ApplicationRecord): Promise<ServiceSpec | undefined>;
  /** The same with the number of replicas of the record, which is stored with the live release. */
  rescaled(application: ApplicationRecord): Promise<ServiceSpec | undefined>;
  /** The same for a preview. */
  previewSpec(preview: Pick<ApplicationRecord, 'liveDeploymentId'>): Promise<ServiceSpec | undefined>;
  /** The live image with the present settings; `keep` stores them with the live release. */
  currentSpec(
    application: ApplicationRecord,
    host: Host,
  ): Promise<{ spec: ServiceSpec; keep(): Promise<void> }>;
}

export interface LiveReleaseParts {
  deployments: Deployments;
  registries: Pick<Registries, 'access'>;
  records: DeployRecords;
  /** To be called when the stored release of this deployment has changed. */
  forget(deploymentId: string): void;
}

export function createLiveReleases({
  deployments,
  registries,
  records,
  forget,
}: LiveReleaseParts): LiveReleases {
  const auth = async (application: ApplicationRecord): Promise<RegistryAuth | undefined> =>
    application.registryId === null
      ? imageAuth({ application })
      : (await registries.access(application.registryId, application.organizationId)).auth;
  return {
    async liveSpec(application) {
      const snapshot = readSnapshot(await deployments.live(application));
      return snapshot && { ...snapshot.spec, registryAuth: await auth(application) };
    },
    async rescaled(application) {
      const spec = await rescaled(deployments, application, forget);
      return spec && { ...spec, registryAuth: await auth(application) };
    },
    previewSpec: async (preview) => readSnapshot(await deployments.live(preview))?.spec,
    async currentSpec(application, { engine, networks, probePath }) {
      const deployment = await deployments.live(application);
      const former = readSnapshot(deployment);
      if (!deployment || !former) throw notDeployedYet(application.name);
      const placement = await records.placement(application.environmentId);
      const variables = applicationVariables(
        application,
        await records.envBlocks(application, blocksOf(application)),
      );
      const { spec, inputs } = await composeSpec({
        engine,
        networks,
        probePath,
        records,
        application,
        owner: applicationRef(application.applicationId),
        placement,
        deployment,
        ...variables,
      });
      // The name changes only at the next deployment, so that no service is left under the former name.
      const kept = { ...spec, name: former.spec.name, release: former.spec.release };
      const settings = { ...inputs.settings, appName: former.spec.name };
      return {
        spec: { ...kept, registryAuth: await auth(application) },
        async keep() {
          await deployments.record(deployment.deploymentId, {
            settings: writeSnapshot({
              ...inputs,
              settings,
              spec: kept,
              registryId: application.registryId,
            }),
          });
          forget(deployment.deploymentId);
        },
      };
    },
  };
}

async function rescaled(
  deployments: Deployments,
  application: ApplicationRecord,
  forget: (deploymentId: string) => void,
): Promise<ServiceSpec | undefined> {
  const deployment = await deployments.live(application);
  const former = readSnapshot(deployment);
  if (!deployment || !former) return undefined;
  const { replicas } = application;
  const spec = { ...former.spec, replicas };
  if (replicas === former.spec.replicas) return spec;
  const settings = former.settings && { ...former.settings, replicas };
  await deployments.record(deployment.deploymentId, {
    settings: writeSnapshot({ ...former, spec, settings }),
  });
  forget(deployment.deploymentId);
  return spec;
}
