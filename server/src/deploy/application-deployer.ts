/** How applications are deployed: the records they are made of, and the plan. */
import { resolveBlock, resolveEnv } from '../domain/env.ts';
import type { Applications } from '../modules/application/application.ts';
import { bind, type DeployContext, type Deployer, type DeployPorts } from './context.ts';
import { secretValues } from './log-secrets.ts';
import { planOf } from './plans.ts';

export function applicationDeployer(ports: DeployPorts, applications: Pick<Applications, 'find'>): Deployer {
  const { records } = ports;
  return {
    async prepare(context) {
      const { deployment } = context;
      const application = await applications.find(deployment.applicationId ?? '');
      if (!application) return undefined;
      const placement = await records.placement(application.environmentId);
      const blocks = { ...(await records.envBlocks(application.environmentId)), service: application.env };
      const env = resolveEnv(blocks);
      const buildArguments = application.buildArgs ? resolveBlock('buildArgs', application.buildArgs, blocks) : {};
      const buildSecrets = application.buildSecrets ? resolveBlock('buildSecrets', application.buildSecrets, blocks, 'files') : {};
      context.hide([...secretValues(env), ...Object.values(buildSecrets), application.password ?? '', application.customGitPassword ?? '']);
      const live = deployment.kind === 'redeploy' ? await records.live(application) : undefined;
      // The stages share the one context of the attempt, whose deployment changes on the way.
      const whole: DeployContext = Object.assign(context, { ...ports, application, placement, env, buildArguments, buildSecrets, pinnedCommit: deployment.commit ?? live?.commit ?? undefined });
      return { stages: bind(planOf(deployment, application), whole), patch: () => ({ releasedAppName: application.appName }) };
    },
  };
}
