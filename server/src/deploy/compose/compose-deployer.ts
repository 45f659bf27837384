/** How compose services are deployed: the records they are made of, and the plan. */
import { composeVariables } from '../../domain/variables/compose-variables.ts';
import { addressesOf } from '../spec/addresses.ts';
import { bind, type Deployer, type Stage } from '../context.ts';
import { hostOf, partsOf } from '../host-parts.ts';
import { secretFiles, secretValues } from '../log-secrets.ts';
import type { ComposeContext, ComposePorts } from './compose-context.ts';
import { prepareImages } from './prepare-images.ts';
import { readFile } from './read-file.ts';
import { releaseServicesAgain } from './release-again.ts';
import { awaitServices, releaseServices } from './release-services.ts';
import { pruneServices, routeServices } from './settle.ts';

/** File → images → services. */
const plan: readonly Stage<ComposeContext>[] = [
  readFile,
  prepareImages,
  releaseServices,
  awaitServices,
  routeServices,
  pruneServices,
];

/** What ran before, as it ran. */
const rollbackPlan: readonly Stage<ComposeContext>[] = [
  releaseServicesAgain,
  awaitServices,
  routeServices,
  pruneServices,
];

export function composeDeployer({ hosts, applyRoutes, ...ports }: ComposePorts): Deployer {
  const { records } = ports;
  return {
    async prepare(context) {
      const { deployment } = context;
      const compose = await records.find(deployment.composeId ?? '');
      if (!compose) return undefined;
      const host = await hostOf({ hosts }, compose, context);
      const [placement, around] = await Promise.all([
        records.placement(compose.environmentId),
        records.envBlocks(compose, [compose.env, compose.secretEnv, compose.composeFile]),
      ]);
      const { all: variables, blocks, plain, secret } = composeVariables(compose, around);
      context.hide([
        ...secretValues(variables),
        ...Object.values(secret),
        ...secretFiles(await records.mounts(compose.composeId)),
        compose.customGitPassword ?? '',
      ]);
      const live = deployment.kind === 'redeploy' ? await records.live(compose) : undefined;
      const whole: ComposeContext = {
        ...context,
        ...ports,
        ...partsOf({ applyRoutes }, host),
        host,
        compose,
        placement,
        blocks,
        ownVariables: variables,
        plainVariables: plain,
        variables,
        pinnedCommit: deployment.commit ?? live?.commit ?? undefined,
      };
      return {
        stages: bind(deployment.kind === 'rollback' ? rollbackPlan : plan, whole),
        patch: () => ({ releasedAppName: compose.appName }),
        addresses: async () => addressesOf(await records.domains(compose.composeId), host),
      };
    },
  };
}
