/**
 * Previews that somebody asks for by a name, without a pull request: of a branch, a commit or an image. Asked
 * for again, the same preview is deployed anew.
 */
import type { ComposeRecord } from '../../../db/tables.ts';
import { AppError, badField } from '../../../domain/errors.ts';
import { gitSourceOf, isGitProvider } from '../../../domain/git/git-host.ts';
import { isCommit } from '../../../domain/git/git-source.ts';
import type { CallContext } from '../../../procedure/context.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Queue } from '../../../ports/queue.ts';
import { startedBy, type Accepting, type Deployments } from '../../deployment/deployment.ts';
import type { PreviewFacts } from '../preview-deployment.ts';
import {
  previewedRef,
  type AnyPreview,
  type Made,
  type Previewed,
  type PreviewKind,
  type PreviewKinds,
} from '../previewed.ts';

export interface AskedPreview {
  name: string;
  branch?: string | null | undefined;
  commit?: string | null | undefined;
  image?: string | null | undefined;
  expiresInHours?: number | null | undefined;
  title: string;
  description: string;
}

export interface ByHandDeps {
  kinds: PreviewKinds;
  deployments: Pick<Deployments, 'all'>;
  queue: Pick<Queue, 'wake'>;
  clock: Clock;
}

/** Resolves with the preview as it is once its deployment was accepted. */
export type PreviewByHand = (
  context: CallContext,
  service: Previewed,
  asked: AskedPreview,
) => Promise<AnyPreview>;

export function createPreviewByHand({ kinds, deployments, queue, clock }: ByHandDeps): PreviewByHand {
  return async (context, service, asked) => {
    const { kind, serviceId } = previewedRef(service);
    const previews = kinds[kind];
    const facts = factsOf(service, asked, clock);
    const accepting = acceptingOf(context, asked, facts);
    const present = await previews.ofName(serviceId, asked.name);
    if (present) await renew(context, previews, service, { present, facts, accepting });
    else
      await previews.create(service, facts, accepting, {
        write: context.write,
        isSuperseded: async () => {
          await requireFree(previews, service, asked.name);
          return false;
        },
      });
    const made = await previews.ofName(serviceId, asked.name);
    if (!made) throw new AppError('NOT_FOUND', `The preview ${asked.name} was removed meanwhile.`);
    queue.wake();
    const [newest] = await deployments.all(previews.ref(made));
    if (newest) context.announce(newest.deploymentId);
    return made;
  };
}

/** As it is within the transaction: it may have been removed a moment ago. */
async function renew(
  { write }: CallContext,
  previews: PreviewKind,
  service: Previewed,
  { present, facts, accepting }: { present: AnyPreview; facts: PreviewFacts; accepting: Accepting },
): Promise<void> {
  const { serviceId } = previewedRef(service);
  const again = async (): Promise<Made> => {
    const found = await previews.ofName(serviceId, facts.name ?? '');
    if (found?.previewDeploymentId !== present.previewDeploymentId)
      throw new AppError(
        'CONFLICT',
        `The preview ${facts.name} of ${service.name} was removed at this moment. Call again to make it.`,
      );
    requireSameTrust(service, found, facts);
    await previews.renew(service, found, facts, accepting);
    return { previewDeploymentId: found.previewDeploymentId };
  };
  await write(again, { isPresent: true });
}

/**
 * A deployment of a commit that still waits would get the variables of the branch, and its volumes hold what
 * the other one wrote.
 */
function requireSameTrust({ name }: Previewed, present: AnyPreview, { isTrusted }: PreviewFacts): void {
  if (present.isTrusted === isTrusted) return;
  const [are, wanted] = isTrusted
    ? ['a commit, without variables', 'a branch or an image, with them']
    : ['a branch or an image, with variables', 'a commit, without them'];
  throw new AppError(
    'CONFLICT',
    `The preview ${present.name} of ${name} is one of ${are}, so it cannot become one of ${wanted}. Give ` +
      'another name, or delete it first (previewDeployment.delete).',
  );
}

/** Inside the transaction that makes it. */
async function requireFree(previews: PreviewKind, service: Previewed, name: string): Promise<void> {
  const { serviceId } = previewedRef(service);
  if (await previews.ofName(serviceId, name))
    throw new AppError(
      'CONFLICT',
      `Another call made the preview ${name} of ${service.name} at this moment. Call again to deploy it.`,
    );
  const count = await previews.countOf(serviceId);
  if (count >= service.previewLimit)
    throw new AppError(
      'CONFLICT',
      `${service.name} has ${count} previews, and previewLimit is ${service.previewLimit}. Delete one ` +
        '(previewDeployment.delete), or raise previewLimit.',
    );
}

function factsOf(service: Previewed, asked: AskedPreview, clock: Clock): PreviewFacts {
  const { name, branch, commit, image, expiresInHours } = asked;
  if ('composeId' in service) requireFromRepository(service, image);
  if (image == null && gitSourceOf(service) === undefined)
    throw badField(
      branch == null ? 'commit' : 'branch',
      `needs a service that is built from a git repository, which ${service.name} is not; give an image`,
    );
  return {
    number: null,
    name,
    headBranch: branch == null ? '' : branchName(branch),
    commit: commit ?? null,
    image: image ?? null,
    expiresAt:
      expiresInHours == null ? null : new Date(clock.now() + expiresInHours * 3_600_000).toISOString(),
    repository:
      image == null && isGitProvider(service.sourceType) ? `${service.owner}/${service.repository}` : '',
    provider: 'none',
    // Hosts serve the commits of forks by their ids too, so that one alone proves nothing.
    isTrusted: commit == null,
  };
}

function requireFromRepository(compose: ComposeRecord, image: string | null | undefined): void {
  if (compose.previewOf !== null)
    throw badField('composeId', 'names a preview; give the compose service that it is a preview of');
  if (image != null)
    throw badField('image', 'is for applications; a compose file names the images of its services itself');
}

/**
 * Refs of pull requests lead to the commits of forks, and a name that is a commit may, so neither is a branch
 * of the repository.
 */
function branchName(text: string): string {
  const name = text.replace(/^refs\/heads\/(?=.)/, '');
  if (name.startsWith('refs/') || isCommit(name))
    throw badField('branch', 'must be a branch of the repository; give a commit as commit');
  return name;
}

function acceptingOf(
  { actor }: CallContext,
  { title, description }: AskedPreview,
  { commit }: PreviewFacts,
): Accepting {
  return { kind: 'deploy', title, description, commit: commit ?? undefined, startedBy: startedBy(actor) };
}
