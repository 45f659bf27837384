/** Comments about previews on their pull requests: each is written once and then edited in place. */
import type { ApplicationRecord } from '../../db/tables.ts';
import { sentenceOf } from '../../domain/errors.ts';
import type { GitApi } from '../../ports/git-api.ts';
import { commentMark, commentOf, digestOf, limitComment } from './comment.ts';
import type { PreviewDeployments } from './preview-deployment.ts';
import type { PreviewDeploymentRecord } from './store.ts';

export interface PreviewComments {
  /**
   * Brings the comment up to date with the preview; when the git host cannot be reached, a timer tries again.
   */
  sync(application: ApplicationRecord, preview: PreviewDeploymentRecord): Promise<void>;
  /** Whether the comment is up to date. */
  isCurrent(application: ApplicationRecord, preview: PreviewDeploymentRecord): boolean;
  /** Comments that the preview was removed. */
  tellRemoved(application: ApplicationRecord, preview: PreviewDeploymentRecord): Promise<void>;
  /** Comments that the limit of previews is reached. */
  tellLimit(
    application: ApplicationRecord,
    pullRequest: { repository: string; number: number },
  ): Promise<void>;
}

export interface CommentNeighbours {
  previews: Pick<PreviewDeployments, 'patch'>;
  apiOf(application: ApplicationRecord): Promise<GitApi | undefined>;
  warn(sentence: string): void;
}

export function createPreviewComments({ previews, apiOf, warn }: CommentNeighbours): PreviewComments {
  /** Edits the comment of this application, or writes one; resolves with its id. */
  async function write(
    application: ApplicationRecord,
    at: { repository: string; number: number; commentId: string | null },
    text: string,
  ): Promise<string | undefined> {
    try {
      const api = await apiOf(application);
      if (api === undefined) return undefined;
      const { repository, number } = at;
      if (at.commentId !== null && (await api.editComment(repository, number, at.commentId, text)))
        return at.commentId;
      // Berth may have been killed after it wrote the comment and before it stored the id.
      const found = await api.findComment(repository, number, commentMark(application));
      if (
        found !== undefined &&
        found !== at.commentId &&
        (await api.editComment(repository, number, found, text))
      )
        return found;
      return await api.addComment(repository, number, text);
    } catch (error) {
      warn(
        `The comment on the pull request ${at.number} of ${at.repository} could not be written: ` +
          `${sentenceOf(error)}`,
      );
      return undefined;
    }
  }
  const placeOf = ({ repository, pullRequestNumber, commentId }: PreviewDeploymentRecord) => ({
    repository,
    number: pullRequestNumber ?? 0,
    commentId,
  });

  return {
    async sync(application, preview) {
      const text = commentOf(application, preview);
      const commentDigest = digestOf(text);
      if (commentDigest === preview.commentDigest) return;
      const commentId = await write(application, placeOf(preview), text);
      if (commentId !== undefined)
        await previews.patch(preview.previewDeploymentId, { commentId, commentDigest });
    },
    isCurrent: (application, preview) => digestOf(commentOf(application, preview)) === preview.commentDigest,
    tellRemoved: async (application, preview) =>
      void (await write(
        application,
        placeOf(preview),
        commentOf(application, { ...preview, status: 'removed' }),
      )),
    tellLimit: async (application, { repository, number }) =>
      void (await write(application, { repository, number, commentId: null }, limitComment(application))),
  };
}
