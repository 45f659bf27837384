/** How applications are deployed: the records they are made of, and the plan. */
import { secretValuesOf } from '../domain/variables/secret-env.ts';
import { serverIdOf } from '../domain/names/server-key.ts';
import { applicationRef, type ServiceRef } from '../domain/names/service-ref.ts';
import type { ApplicationRecord } from '../db/tables.ts';
import type { Applications } from '../modules/application/application.ts';
import { applicationVariables, blocksOf } from './inputs/application-inputs.ts';
import {
  bind,
  type AttemptContext,
  type DeployContext,
  type Deployer,
  type DeployPorts,
  type Prepared,
} from './context.ts';
import { buildPlaceOf, hostOf, partsOf, type HostAccess } from './host-parts.ts';
import { secretFiles, secretValues } from './log-secrets.ts';
import { addressesOf } from './spec/addresses.ts';
import { moveStages } from './move/move-application.ts';
import { planOf } from './plans.ts';

/** What applications and previews are deployed with. */
export type SourcePorts = DeployPorts & HostAccess;

export function applicationDeployer(ports: SourcePorts, applications: Pick<Applications, 'find'>): Deployer {
  return {
    async prepare(context) {
      const application = await applications.find(context.deployment.applicationId ?? '');
      if (!application) return undefined;
      const owner = applicationRef(application.applicationId);
      const { moveFrom: from, moveTo } = context.deployment;
      if (from === null || moveTo === null) return prepareSource(ports, context, { application, owner });
      // There it is new: nothing is running yet that could be gone back to.
      const there = { ...application, serverId: serverIdOf(moveTo), liveDeploymentId: null };
      return prepareSource(ports, context, {
        application: there,
        owner,
        move: { from, former: application },
      });
    },
  };
}

/** What is built and released: an application, or one as the preview of a pull request sees it. */
export interface Subject {
  application: ApplicationRecord;
  owner: ServiceRef;
  pullRefs?: string | undefined;
  /** It comes from another server. */
  move?: { from: string; former: ApplicationRecord };
}

export async function prepareSource(
  { hosts, applyRoutes, ...ports }: SourcePorts,
  context: AttemptContext,
  { application, owner, pullRefs, move }: Subject,
): Promise<Prepared> {
  const { records } = ports;
  const { deployment } = context;
  const host = await hostOf({ hosts }, application, context);
  const placement = await records.placement(application.environmentId);
  const around = await records.envBlocks(application, blocksOf(application));
  const variables = applicationVariables(application, around);
  context.hide([
    ...secretValues(variables.env),
    ...secretValuesOf(application.secretEnv),
    ...(around.services?.given ?? []),
    ...secretFiles(await records.mounts(application.applicationId)),
    ...Object.values(variables.buildSecrets),
    application.password ?? '',
    application.customGitPassword ?? '',
  ]);
  const live = deployment.kind === 'redeploy' ? await records.live(application) : undefined;
  const pinnedCommit = deployment.commit ?? live?.commit ?? undefined;
  const whole: DeployContext = {
    ...context,
    ...ports,
    ...partsOf({ applyRoutes }, host),
    application,
    owner,
    placement,
    ...variables,
    buildPlace: () => buildPlaceOf({ ...ports, hosts }, application, host, context),
    pinnedCommit,
    pullRefs,
  };
  const stages = move
    ? bind(moveStages, {
        ...whole,
        former: move.former,
        applyFormerRoutes: () => applyRoutes(move.from),
        formerHost: () => hostOf({ hosts }, { serverId: serverIdOf(move.from) }, context),
        hostName: host.name,
        copyImage: host.copyImage,
      })
    : bind(planOf(deployment, application), whole);
  return {
    stages,
    buildServerKey: application.buildServerId ?? undefined,
    patch: () => ({ releasedAppName: application.appName }),
    addresses: async () => addressesOf(await records.domains(application.applicationId), host),
  };
}
