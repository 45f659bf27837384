/** A deployment is a list of stages; each way of deploying is another list. */
import type { ApplicationRecord, DeploymentRecord } from '../db/tables.ts';
import type { Stage } from './context.ts';
import { awaitHealthy } from './stages/await-healthy.ts';
import { build } from './stages/build.ts';
import { checkout } from './stages/checkout.ts';
import { postRelease } from './stages/post-release.ts';
import { prune } from './stages/prune.ts';
import { publish } from './stages/publish.ts';
import { release, releaseAgain } from './stages/release.ts';
import { route } from './stages/route.ts';

const finishStages: readonly Stage[] = [awaitHealthy, route, prune];
const withCommand: readonly Stage[] = [awaitHealthy, route, postRelease, prune];

/** Source → image → service. */
const fromSource: readonly Stage[] = [checkout, build, publish, release, ...withCommand];
/** An image that somebody else built. */
const fromImage: readonly Stage[] = [checkout, release, ...withCommand];
/** An image of ours with the settings it had. */
const rollbackPlan: readonly Stage[] = [releaseAgain, ...finishStages];

export function planOf(deployment: DeploymentRecord, application: ApplicationRecord): readonly Stage[] {
  if (deployment.kind === 'rollback') return rollbackPlan;
  const plan = application.sourceType === 'container' ? fromImage : fromSource;
  const left: Stage[] = [];
  if (application.registryId === null) left.push(publish);
  if (application.postReleaseCommand === null) left.push(postRelease);
  return plan.filter((stage) => !left.includes(stage));
}
