/**
 * Whether the commit of a pull request may become a preview by itself, and with variables; one that may not
 * waits until a person approves it.
 */
import { AppError, sentenceOf } from '../../../domain/errors.ts';
import type { PullRequestEvent } from '../../../domain/git/git-event.ts';
import type { GitProvider } from '../../../domain/git/git-host.ts';
import { isCommit } from '../../../domain/git/git-source.ts';
import { oneLine } from '../../../domain/text/words.ts';
import type { GitApi } from '../../../ports/git-api.ts';
import { previewedRef, type AnyPreview, type Previewed } from '../previewed.ts';
import type { HeldPullRequests } from '../approval/held.ts';

export interface AdmissionDeps {
  held: Pick<HeldPullRequests, 'approvalOf' | 'hold'>;
  /** The git host's interface for a service; undefined when it names no git provider. */
  apiOf(service: Previewed): Promise<GitApi | undefined>;
  /** Tells whoever runs Berth. */
  warn(sentence: string): void;
}

/** What is built of it, or why nothing is. */
type Admission = { commit: string; isTrusted: boolean; why?: undefined } | { why: string };

interface Asked {
  provider: GitProvider;
  event: PullRequestEvent;
  present: AnyPreview | undefined;
}

export async function admit(
  deps: AdmissionDeps,
  service: Previewed,
  { provider, event, present }: Asked,
): Promise<Admission> {
  const { held, warn } = deps;
  const api = await deps.apiOf(service);
  const why = (await whyNotAdmitted(deps, service, { api, event })) ?? whyNotInPlace(event, present);
  if (why === undefined) return { commit: await wholeCommit(api, event), isTrusted: !event.isFork };
  const ref = previewedRef(service);
  // A host that tells the first digits only has to be asked for the rest before anybody can approve them.
  const commit = api || isCommit(event.commit) ? await wholeCommit(api, event) : undefined;
  const approval = commit && (await held.approvalOf(ref, event.number, commit));
  if (commit !== undefined && approval) return { commit, isTrusted: approval.hasVariables };
  warn(`The pull request ${event.number} of ${event.repository} gets no preview: ${why}.`);
  if (commit === undefined) return { why };
  const title = oneLine(event.title, 200);
  await held.hold(service, { provider, event: { ...event, title }, commit, reason: why });
  return { why: `${why}; it waits for an approval of its commit (previewDeployment.approve)` };
}

/**
 * Whoever may push decides what runs. In the repository itself these are people who may write to it; in a
 * fork anybody whom its owner lets in, now or later, whoever opened the pull request.
 */
async function whyNotAdmitted(
  deps: AdmissionDeps,
  service: Previewed,
  { api, event }: { api: GitApi | undefined; event: PullRequestEvent },
): Promise<string | undefined> {
  if (!service.previewRequireCollaboratorPermissions) return undefined;
  const why = event.isFork
    ? 'it comes from a fork, to which others can push than to the repository'
    : 'its author may not write to the repository';
  const isAdmitted = !event.isFork && (await mayWrite(deps, api, event));
  return isAdmitted ? undefined : `${why} (previewRequireCollaboratorPermissions)`;
}

/**
 * A deployment of the preview that still waits would get the variables of this commit, and its volumes hold
 * what the earlier ones wrote.
 */
function whyNotInPlace({ isFork }: PullRequestEvent, present: AnyPreview | undefined): string | undefined {
  if (!present || present.isTrusted !== isFork) return undefined;
  return isFork
    ? 'its preview has the variables of previews, which this commit of a fork would not get'
    : 'its preview has no variables of previews, which this commit would get';
}

/** False when the host cannot be asked. */
async function mayWrite(
  { warn }: AdmissionDeps,
  api: GitApi | undefined,
  event: PullRequestEvent,
): Promise<boolean> {
  if (api === undefined) return false;
  return api.canWrite(event.repository, event.author).catch((error: unknown) => {
    warn(
      `Whether the author of the pull request ${event.number} of ${event.repository} may write to it ` +
        `could not be determined, so it is taken as no: ${sentenceOf(error)}`,
    );
    return false;
  });
}

/** Bitbucket tells the first digits only. */
async function wholeCommit(
  api: GitApi | undefined,
  { repository, commit }: PullRequestEvent,
): Promise<string> {
  if (isCommit(commit)) return commit;
  if (api === undefined)
    throw new AppError(
      'PRECONDITION_FAILED',
      'the git host sends only the first digits of commits, and the service names no git provider ' +
        '(githubId) to ask for the rest.',
    );
  return api.fullCommit(repository, commit);
}
