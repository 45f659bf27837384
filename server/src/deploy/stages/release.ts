/**
 * Hands the new version to the engine. What the engine got is stored with the deployment, so that exactly it
 * can be made again.
 */
import { AppError } from '../../domain/errors.ts';
import type { ServiceSpec } from '../../ports/engine/engine.ts';
import type { RegistryAuth } from '../../ports/engine/registry-auth.ts';
import { applyRelease } from '../release/apply-release.ts';
import type { DeployContext, Stage } from '../context.ts';
import { bringImage } from '../images/bring-image.ts';
import { composeSpec, joinedNetworks } from '../spec/compose-spec.ts';
import { builtPrefix } from '../../domain/names/image-reference.ts';
import { onPresentVolumes } from '../../domain/names/restored-volumes.ts';
import { readSnapshot } from '../snapshot.ts';
import { imageAuth } from './checkout.ts';
import { runReleaseCommand } from './release-command.ts';

export const release: Stage = {
  name: 'release',
  resume: 'release',
  holdsBuildSlot: false,
  sentence: ({ deployment }) => `Releasing ${deployment.image ?? 'the image'}`,
  run: async (context) => {
    const { spec, notes, inputs } = await composeSpec(context);
    for (const note of notes) context.log.line(note);
    const { registryId } = context.application;
    const withAuth = { ...spec, registryAuth: await registryAuth(context, registryId) };
    await applyRelease(context, {
      spec: withAuth,
      owner: context.owner,
      hasFormer: context.application.liveDeploymentId !== null,
      snapshot: { ...inputs, registryId },
      ...(context.application.preReleaseCommand ? { before: () => runPreRelease(context, withAuth) } : {}),
    });
  },
};

/**
 * Makes an earlier release again: its image with settings, mounts and variables as it had them, on the
 * volumes of now: a restore of since stands. A pre-release command is the newest version's: in an old image
 * it would do who knows what, so none runs.
 */
export const releaseAgain: Stage = {
  name: 'release',
  resume: 'release',
  holdsBuildSlot: false,
  sentence: () => 'Releasing the earlier version again',
  run: async (context) => {
    const source = await context.records.deployment(context.deployment.sourceDeploymentId ?? '');
    const snapshot = readSnapshot(source);
    if (!source || !snapshot?.settings)
      throw new AppError(
        'PRECONDITION_FAILED',
        'The deployment to return to was cleared meanwhile. Choose another one, or deploy.',
      );
    await requireImage(context, snapshot.spec.image, snapshot.registryId);
    await context.save({ image: source.image, commit: source.commit });
    const network = await context.networks.ensureEnvironment(context.application.environmentId);
    // The application may have moved since; what it joined then may be another project's now.
    const joined = await joinedNetworks({
      ...context,
      application: { ...context.application, networks: networksIn(snapshot.settings) },
    });
    const spec = {
      ...snapshot.spec,
      name: context.application.appName,
      networks: [network, ...joined],
      mounts: onPresentVolumes(snapshot.spec.mounts, context.owner, context.application.restoredVolumes),
      release: context.deployment.deploymentId,
    };
    const { settings, variables, parts, registryId } = snapshot;
    await applyRelease(context, {
      spec: { ...spec, registryAuth: await registryAuth(context, registryId) },
      owner: context.owner,
      hasFormer: context.application.liveDeploymentId !== null,
      snapshot: { settings, variables, parts, registryId },
    });
  },
};

/** Stored by `settingsOf` alone. */
function networksIn(settings: Readonly<Record<string, unknown>>): string[] {
  const { networks } = settings;
  return Array.isArray(networks) ? networks.map(String) : [];
}

/** What Berth built and pushed nowhere exists on this server alone; all else a registry has. */
async function requireImage(context: DeployContext, image: string, registryId: string | null): Promise<void> {
  const { application, engine, owner: service, settings } = context;
  if (!image.startsWith(builtPrefix)) {
    const auth = await registryAuth(context, registryId);
    const { organizationId } = application;
    return bringImage(context, { reference: image, organizationId, service, auth, how: 'again' });
  }
  if (await engine.image(image)) return;
  throw new AppError(
    'PRECONDITION_FAILED',
    `The image of that deployment has since been removed: only the newest ${(await settings()).keptImages} ` +
      'of an application are kept (setting keptImages). Choose a newer deployment, or deploy that commit ' +
      'again.',
  );
}

export async function registryAuth(
  context: DeployContext,
  registryId: string | null,
): Promise<RegistryAuth | undefined> {
  const { application, records } = context;
  return registryId === null
    ? imageAuth(context)
    : (await records.registry(registryId, application.organizationId)).auth;
}

/** Runs with the new image and settings before anything is replaced; its failure stops the release. */
async function runPreRelease(context: DeployContext, spec: ServiceSpec): Promise<void> {
  const words = await runReleaseCommand(context, { which: 'pre-release', spec });
  if (words === undefined) return;
  throw new AppError(
    'PRECONDITION_FAILED',
    `${words}; the release was stopped and the running version stays.`,
  );
}
