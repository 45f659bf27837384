/** How applications are deployed: the records they are made of, and the plan. */
import { resolveBlock, resolveEnv } from '../domain/env.ts';
import { applicationRef, type ServiceRef } from '../domain/service-ref.ts';
import type { ApplicationRecord } from '../db/tables.ts';
import type { Applications } from '../modules/application/application.ts';
import {
  bind,
  type DeployContext,
  type Deployer,
  type DeployPorts,
  type Prepared,
  type StageContext,
} from './context.ts';
import { secretValues } from './log-secrets.ts';
import { planOf } from './plans.ts';

export function applicationDeployer(ports: DeployPorts, applications: Pick<Applications, 'find'>): Deployer {
  return {
    async prepare(context) {
      const application = await applications.find(context.deployment.applicationId ?? '');
      return (
        application &&
        prepareSource(ports, context, { application, owner: applicationRef(application.applicationId) })
      );
    },
  };
}

/** What is built and released: an application, or one as the preview of a pull request sees it. */
export interface Subject {
  application: ApplicationRecord;
  owner: ServiceRef;
  pullRefs?: string | undefined;
}

export async function prepareSource(
  ports: DeployPorts,
  context: StageContext,
  { application, owner, pullRefs }: Subject,
): Promise<Prepared> {
  const { records } = ports;
  const { deployment } = context;
  const placement = await records.placement(application.environmentId);
  const blocks = { ...(await records.envBlocks(application.environmentId)), service: application.env };
  const env = resolveEnv(blocks);
  const buildArguments = application.buildArgs
    ? resolveBlock('buildArgs', application.buildArgs, blocks)
    : {};
  const buildSecrets = application.buildSecrets
    ? resolveBlock('buildSecrets', application.buildSecrets, blocks, 'files')
    : {};
  context.hide([
    ...secretValues(env),
    ...Object.values(buildSecrets),
    application.password ?? '',
    application.customGitPassword ?? '',
  ]);
  const live = deployment.kind === 'redeploy' ? await records.live(application) : undefined;
  const pinnedCommit = deployment.commit ?? live?.commit ?? undefined;
  // The stages share the one context of the attempt, whose deployment changes on the way.
  const whole: DeployContext = Object.assign(context, {
    ...ports,
    application,
    owner,
    placement,
    env,
    buildArguments,
    buildSecrets,
    pinnedCommit,
    pullRefs,
  });
  return {
    stages: bind(planOf(deployment, application), whole),
    patch: () => ({ releasedAppName: application.appName }),
  };
}
