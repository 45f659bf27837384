/** After a release that holds: routes to it, and what it replaced goes. */
import { deploymentLabel } from '../../domain/names/labels.ts';
import { ownerLabels } from '../../domain/names/service-ref.ts';
import { join } from 'node:path';
import { sentenceOf } from '../../domain/errors.ts';
import type { Stage } from '../context.ts';
import type { ComposeContext } from './compose-context.ts';
import { keptServices, readComposeSnapshot, releasedNames } from './compose-snapshot.ts';

export const routeServices: Stage<ComposeContext> = {
  name: 'route',
  resume: 'release',
  holdsBuildSlot: false,
  sentence: () => 'Checking the routes',
  async run({ applyRoutes, compose, deployment, networks, records }) {
    // Services under new names take the routes over before those under former ones go.
    const snapshot = readComposeSnapshot(deployment);
    await records.nameReleased(compose.composeId, {
      releasedAppName: compose.appName,
      releasedSuffix: snapshot?.suffix ?? '',
      releasedServices: snapshot ? releasedNames(snapshot) : {},
    });
    // The first task of an environment has brought its network up on this node, so the proxy can be attached
    // now.
    await networks.ensureEnvironment(compose.environmentId);
    await applyRoutes();
  },
};

export const pruneServices: Stage<ComposeContext> = {
  name: 'prune',
  resume: 'release',
  holdsBuildSlot: false,
  sentence: () => 'Tidying up',
  async run(context) {
    try {
      await removeLeft(context);
      const kept = await keptDeployments(context);
      await pruneImages(context, kept);
      await pruneCopies(context, kept);
    } catch (error) {
      // The version runs; what could not be tidied now is tidied after the next deployment.
      context.log.line(`Cleaning up failed: ${sentenceOf(error)}`);
    }
  },
};

/** Services that the file has no longer, or under former names. Their volumes stay. */
async function removeLeft({ compose, deployment, engine, log }: ComposeContext): Promise<void> {
  const snapshot = readComposeSnapshot(deployment);
  const names = new Set((snapshot ? keptServices(snapshot) : []).map(({ spec }) => spec.name));
  const left = (await engine.services()).filter(
    ({ name, labels }) => labels[ownerLabels.compose] === compose.composeId && !names.has(name),
  );
  // Each may take its grace period, so all go at once.
  await Promise.all(
    left.map(async ({ name }) => {
      await engine.removeService(name);
      log.line(`Removed the service ${name}, which is no longer in the compose file. Its volumes stay.`);
    }),
  );
}

/** Built images of the newest releases stay. */
async function pruneImages(
  { compose, deployment, engine, log }: ComposeContext,
  kept: ReadonlySet<string>,
): Promise<void> {
  const running = new Set(readComposeSnapshot(deployment)?.services.map(({ spec }) => spec.image));
  for (const { tags, labels } of await engine.images(`${ownerLabels.compose}=${compose.composeId}`)) {
    if (kept.has(labels[deploymentLabel] ?? '') || tags.some((tag) => running.has(tag))) continue;
    for (const tag of tags) {
      await engine.removeImage(tag);
      log.line(`Removed the old image ${tag}.`);
    }
  }
}

/** Deployments that can be returned to. */
async function keptDeployments({
  compose,
  deployment,
  records,
  settings,
}: ComposeContext): Promise<ReadonlySet<string>> {
  const { keptImages } = await settings();
  const all = [deployment, ...(await records.succeeded(compose.composeId))];
  return new Set(all.slice(0, keptImages).map(({ deploymentId }) => deploymentId));
}

/** Copies of the repository's files that neither what runs nor what can be returned to mounts. */
async function pruneCopies(
  { compose, deployment, host, records }: ComposeContext,
  kept: ReadonlySet<string>,
): Promise<void> {
  const folder = join(host.folders.composes, compose.composeId);
  const names = await host.files.names(folder);
  if (names.length === 0) return;
  const releases = await Promise.all([...kept].map((deploymentId) => records.deployment(deploymentId)));
  const used = [deployment, ...releases].flatMap((one) =>
    (readComposeSnapshot(one)?.services ?? []).flatMap(({ spec }) => spec.mounts.map(({ source }) => source)),
  );
  for (const name of names)
    if (!used.some((source) => source.startsWith(`${join(folder, name)}/`)))
      await host.files.remove(join(folder, name));
}
