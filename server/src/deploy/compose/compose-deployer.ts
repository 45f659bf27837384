/** Deploys compose services: reads their records and binds the stages of the plan. */
import { composeVariables } from '../../domain/variables/compose-variables.ts';
import { addressesOf } from '../spec/addresses.ts';
import type { ComposeRecord } from '../../db/tables.ts';
import { gitHosts, isGitProvider } from '../../domain/git/git-host.ts';
import { serverIdOf } from '../../domain/names/server-key.ts';
import { moveComposeStages } from '../move/move-compose.ts';
import { bind, type AttemptContext, type Deployer, type Stage } from '../context.ts';
import { hostOf, partsOf } from '../host-parts.ts';
import { secretFiles, secretValues } from '../log-secrets.ts';
import type { ComposeContext, ComposePorts } from './compose-context.ts';
import { prepareImages } from './prepare-images.ts';
import { readFile } from './read-file.ts';
import { releaseServicesAgain } from './release-again.ts';
import { awaitServices, releaseServices } from './release-services.ts';
import { pruneServices, routeServices } from './settle.ts';

/** First the compose file, then the images, then the services. */
const plan: readonly Stage<ComposeContext>[] = [
  readFile,
  prepareImages,
  releaseServices,
  awaitServices,
  routeServices,
  pruneServices,
];

/** Restores an earlier release as it was. */
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
      const former = await records.find(deployment.composeId ?? '');
      if (!former) return undefined;
      const { kind, moveFrom: from, moveTo } = deployment;
      const isMove = from !== null && moveTo !== null;
      // On the new server nothing runs yet that a failure could restore.
      const compose = isMove ? { ...former, serverId: serverIdOf(moveTo), liveDeploymentId: null } : former;
      const host = await hostOf({ hosts }, compose, context);
      const live = kind === 'redeploy' || isMove ? await records.live(former) : undefined;
      const whole: ComposeContext = {
        ...(await variablesOf(ports, context, compose)),
        ...context,
        ...ports,
        ...partsOf({ applyRoutes }, host),
        host,
        compose,
        // A redeploy and a move take the commit of the running version.
        pinnedCommit: deployment.commit ?? live?.commit ?? undefined,
        pinnedText: live?.snapshot.text,
        pullRefs: pullRefsOf(compose),
      };
      const stages = isMove
        ? bind(moveComposeStages, {
            ...whole,
            formerHost: () => hostOf({ hosts }, { serverId: serverIdOf(from) }, context),
            applyFormerRoutes: () => applyRoutes(from),
            hostName: host.name,
          })
        : bind(kind === 'rollback' ? rollbackPlan : plan, whole);
      return {
        stages,
        patch: () => ({ releasedAppName: compose.appName }),
        addresses: async () => addressesOf(await records.domains(compose.composeId), host),
      };
    },
  };
}

/** Commits of a fork are offered under refs of the pull request only. */
function pullRefsOf({ previewOf }: ComposeRecord): string | undefined {
  return previewOf && previewOf.number !== null && isGitProvider(previewOf.provider)
    ? (gitHosts[previewOf.provider].pullRefs(previewOf.number) ?? undefined)
    : undefined;
}

async function variablesOf(
  { records }: Pick<ComposePorts, 'records'>,
  context: AttemptContext,
  compose: ComposeRecord,
): Promise<Pick<ComposeContext, 'placement' | 'blocks' | 'ownVariables' | 'plainVariables' | 'variables'>> {
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
  return { placement, blocks, ownVariables: variables, plainVariables: plain, variables };
}
