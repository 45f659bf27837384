/**
 * Restores an earlier release of a compose service: its images, settings, mounts and variables, on the
 * present volumes. Its services that run once do not run again, just as a pre-release command does not.
 */
import { join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { builtPrefix } from '../../domain/names/image-reference.ts';
import { composeServiceName } from '../../domain/names/names.ts';
import { composeRef } from '../../domain/names/service-ref.ts';
import { onPresentVolumes } from '../../domain/names/restored-volumes.ts';
import { serverNetwork, type ServiceSpec } from '../../ports/engine/engine.ts';
import { bringImage } from '../images/bring-image.ts';
import type { Stage } from '../context.ts';
import type { ComposeContext } from './compose-context.ts';
import {
  keptServices,
  readComposeSnapshot,
  writeComposeSnapshot,
  type CarriedFiles,
  type ComposeRelease,
  type ComposeSnapshot,
} from './compose-snapshot.ts';
import { internalNetwork } from '../spec/networks.ts';
import { releaseServices } from './release-services.ts';

export const releaseServicesAgain: Stage<ComposeContext> = {
  ...releaseServices,
  sentence: () => 'Releasing the earlier version again',
  async run(context) {
    // An attempt after a crash continues with the release that it has stored.
    if (readComposeSnapshot(context.deployment) === undefined) await prepare(context);
    await releaseServices.run(context);
  },
};

async function prepare(context: ComposeContext): Promise<void> {
  const { compose, deployment, records } = context;
  const source = await records.deployment(deployment.sourceDeploymentId ?? '');
  const snapshot = readComposeSnapshot(source);
  if (!source || !snapshot)
    throw new AppError(
      'PRECONDITION_FAILED',
      'The deployment to return to was cleared meanwhile. Choose another one, or deploy.',
    );
  requireSuffix(context, snapshot);
  await records.reserve(
    compose.composeId,
    snapshot.services.map(({ service }) => service),
  );
  for (const { spec } of keptServices(snapshot)) await requireImage(context, spec.image);
  await requireCopies(context, snapshot);
  const live = await records.live(compose);
  const former = new Map((live?.snapshot.services ?? []).map((release) => [release.service, release]));
  const mtu = snapshot.services.find(({ spec }) => spec.networkMtu !== undefined)?.spec.networkMtu;
  // The compose service may have moved to another environment since that release.
  const networks = [
    await context.networks.ensureCompose(compose.composeId, mtu),
    await context.networks.ensureEnvironment(compose.environmentId),
  ];
  const internal = internalNetwork(compose.composeId);
  const isInside = ({ spec }: ComposeRelease): boolean => spec.networks.includes(internal);
  if (snapshot.services.some(isInside)) await context.networks.ensureInternal(compose.composeId, mtu);
  const services = snapshot.services.map((release) => {
    if (release.spec.networks.includes(serverNetwork)) return again(context, release, former);
    const outer = isInside(release) && release.spec.networks.length === 1 ? [] : networks;
    const joined = [...outer, ...(isInside(release) ? [internal] : [])];
    return again(context, { ...release, spec: { ...release.spec, networks: joined } }, former);
  });
  await context.save({
    commit: source.commit,
    image: source.image,
    settings: writeComposeSnapshot({
      ...snapshot,
      services,
      ended: services.filter(({ isOneShot }) => isOneShot).map(({ service }) => service),
      previous: null,
    }),
  });
}

/** The service under its present name; where nothing differs from what runs, it is not restarted. */
function again(
  { compose, deployment, engine }: ComposeContext,
  release: ComposeRelease,
  former: ReadonlyMap<string, ComposeRelease>,
): ComposeRelease {
  const suffix = compose.randomize ? compose.suffix : '';
  const spec = {
    ...release.spec,
    name: composeServiceName(compose.appName, release.service, suffix),
    mounts: onPresentVolumes(release.spec.mounts, composeRef(compose.composeId), compose.restoredVolumes),
    release: deployment.deploymentId,
  };
  const running = former.get(release.service);
  const carried = carriedAgain(release, running);
  if (carried) spec.mounts = onVolumesOf(running, spec.mounts, carried);
  const same = { ...spec, release: running?.spec.release };
  const isSame =
    running !== undefined &&
    !release.isOneShot &&
    running.imageId === release.imageId &&
    running.spec.name === same.name &&
    JSON.stringify(running.carried) === JSON.stringify(carried) &&
    engine.specDigest(same) === engine.specDigest(running.spec) &&
    JSON.stringify(same.ports) === JSON.stringify(running.spec.ports);
  return { ...release, spec: isSame ? same : spec, ...(carried && { carried }) };
}

/** A release of before 0.2 has folders of its deployment where the running one has volumes. */
function carriedAgain(
  { carried, spec }: ComposeRelease,
  running: ComposeRelease | undefined,
): CarriedFiles[] | undefined {
  if (carried !== undefined || running?.carried === undefined) return carried;
  const folders = running.carried.flatMap(({ target }) => {
    const former = spec.mounts.find((mount) => mount.target === target && mount.type === 'bind');
    return former ? [{ target, copy: former.source, commit: null }] : [];
  });
  return folders.length === 0 ? undefined : folders;
}

const onVolumesOf = (
  running: ComposeRelease | undefined,
  mounts: ServiceSpec['mounts'],
  carried: readonly CarriedFiles[],
): ServiceSpec['mounts'] =>
  mounts.map((mount) =>
    carried.some(({ target }) => target === mount.target)
      ? (running?.spec.mounts.find(({ target }) => target === mount.target) ?? mount)
      : mount,
  );

/** Refuses a release with another suffix, since its volumes have other names. */
function requireSuffix({ compose }: ComposeContext, { suffix }: ComposeSnapshot): void {
  const present = compose.randomize ? compose.suffix : '';
  if (present === suffix) return;
  const then = suffix === '' ? 'no suffix' : `the suffix ${suffix}`;
  throw new AppError(
    'PRECONDITION_FAILED',
    `That version ran with ${then} and ${compose.name} has ${present === '' ? 'none' : present} now, which ` +
      'means other volumes. Set randomize and suffix as they were with compose.update.',
  );
}

/** Refuses when an image that Berth built is gone: unlike any other, no registry has it. */
async function requireImage(context: ComposeContext, reference: string): Promise<void> {
  const { compose, engine, records, settings } = context;
  const { composeId, organizationId } = compose;
  if (!reference.startsWith(builtPrefix)) {
    const auth = await records.registryAuth(reference, organizationId);
    const service = composeRef(composeId);
    return bringImage(context, { reference, organizationId, service, auth, how: 'again' });
  }
  if (await engine.image(reference)) return;
  throw new AppError(
    'PRECONDITION_FAILED',
    'An image of that deployment has since been removed: only those of the newest ' +
      `${(await settings()).keptImages} deployments of a compose service are kept (setting keptImages). ` +
      'Choose a newer deployment, or deploy that commit again.',
  );
}

/** Refuses when files of the repository that it mounts are gone; they are kept as long as its images. */
async function requireCopies({ compose, host }: ComposeContext, snapshot: ComposeSnapshot): Promise<void> {
  const folder = join(host.folders.composes, compose.composeId);
  const names = new Set(await host.files.names(folder));
  for (const { spec, service, carried = [] } of keptServices(snapshot))
    for (const source of [...spec.mounts.map((mount) => mount.source), ...carried.map(({ copy }) => copy)]) {
      const [name] = source.startsWith(`${folder}/`) ? source.slice(folder.length + 1).split('/') : [];
      if (name !== undefined && !names.has(name))
        throw new AppError(
          'PRECONDITION_FAILED',
          `Files of the repository that ${service} mounts have since been removed, because that ` +
            'deployment is no longer among those that are kept (setting keptImages). Choose a newer one, ' +
            'or deploy again.',
        );
    }
}
