/**
 * Previews that somebody asks for by a name, without a pull request: of a branch, a commit or an image. Asked
 * for again, the same preview is deployed anew.
 */
import type { ComposeRecord } from '../../../db/tables.ts';
import { badField } from '../../../domain/errors.ts';
import { gitSourceOf, isGitProvider } from '../../../domain/git/git-host.ts';
import { isCommit } from '../../../domain/git/git-source.ts';
import type { CallContext } from '../../../procedure/context.ts';
import type { Clock } from '../../../ports/clock.ts';
import { startedBy, type Accepting } from '../../deployment/deployment.ts';
import type { PreviewFacts } from '../preview-deployment.ts';
import type { AnyPreview, Previewed } from '../previewed.ts';
import { makeOrRenew, type MakeOrRenewDeps } from './make-or-renew.ts';

export interface AskedPreview {
  name: string;
  branch?: string | null | undefined;
  commit?: string | null | undefined;
  image?: string | null | undefined;
  expiresInHours?: number | null | undefined;
  title: string;
  description: string;
}

export interface ByHandDeps extends MakeOrRenewDeps {
  clock: Clock;
}

/** Resolves with the preview as it is once its deployment was accepted. */
export type PreviewByHand = (
  context: CallContext,
  service: Previewed,
  asked: AskedPreview,
) => Promise<AnyPreview>;

export function createPreviewByHand({ clock, ...deps }: ByHandDeps): PreviewByHand {
  return (context, service, asked) => {
    const facts = factsOf(service, asked, clock);
    return makeOrRenew(deps, context, service, { facts, accepting: acceptingOf(context, asked, facts) });
  };
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
    // Nobody knows of a commit that was given alone.
    isFork: commit != null,
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
