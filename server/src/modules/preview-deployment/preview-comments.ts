/**
 * Comments about previews on their pull requests: each is written once and then edited in place. A preview
 * that was made by hand has none.
 */
import { sentenceOf } from '../../domain/errors.ts';
import type { GitApi } from '../../ports/git-api.ts';
import { commentMark, commentOf, digestOf, limitComment } from './comment.ts';
import type { AnyPreview, Previewed } from './previewed.ts';
import type { ComposePreviewStore, PreviewDeploymentStore } from './store.ts';

export interface PreviewComments {
  /**
   * Brings the comment up to date with the preview; when the git host cannot be reached, a timer tries again.
   */
  sync(service: Previewed, preview: AnyPreview): Promise<void>;
  /** Whether the comment is up to date. */
  isCurrent(service: Previewed, preview: AnyPreview): boolean;
  /** Comments that the preview was removed. */
  tellRemoved(service: Previewed, preview: AnyPreview): Promise<void>;
  /** Comments that the limit of previews is reached. */
  tellLimit(service: Previewed, pullRequest: { repository: string; number: number }): Promise<void>;
}

export interface CommentNeighbours {
  /** Stores the id of the comment, and the digest of its text. */
  noteComment(preview: AnyPreview, comment: { commentId: string; commentDigest: string }): Promise<void>;
  apiOf(service: Previewed): Promise<GitApi | undefined>;
  warn(sentence: string): void;
}

export function noteCommentIn({
  previewDeployments,
  composePreviews,
}: {
  previewDeployments: Pick<PreviewDeploymentStore, 'update'>;
  composePreviews: Pick<ComposePreviewStore, 'update'>;
}): CommentNeighbours['noteComment'] {
  return async (preview, comment) => {
    const { previewDeploymentId } = preview;
    if ('composeId' in preview) await composePreviews.update(previewDeploymentId, comment);
    else await previewDeployments.update({ previewDeploymentId }, comment);
  };
}

export function createPreviewComments({ noteComment, apiOf, warn }: CommentNeighbours): PreviewComments {
  /** Edits the comment of this service, or writes one; resolves with its id. */
  async function write(
    service: Previewed,
    at: { repository: string; number: number; commentId: string | null },
    text: string,
  ): Promise<string | undefined> {
    try {
      const api = await apiOf(service);
      if (api === undefined) return undefined;
      const { repository, number } = at;
      if (at.commentId !== null && (await api.editComment(repository, number, at.commentId, text)))
        return at.commentId;
      // Berth may have been killed after it wrote the comment and before it stored the id.
      const found = await api.findComment(repository, number, commentMark(service));
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
  const placeOf = ({ repository, pullRequestNumber, commentId }: AnyPreview) => ({
    repository,
    number: pullRequestNumber ?? 0,
    commentId,
  });

  return {
    async sync(service, preview) {
      if (preview.pullRequestNumber === null) return;
      const text = commentOf(service, preview);
      const commentDigest = digestOf(text);
      if (commentDigest === preview.commentDigest) return;
      const commentId = await write(service, placeOf(preview), text);
      if (commentId !== undefined) await noteComment(preview, { commentId, commentDigest });
    },
    isCurrent: (service, preview) =>
      preview.pullRequestNumber === null || digestOf(commentOf(service, preview)) === preview.commentDigest,
    async tellRemoved(service, preview) {
      if (preview.pullRequestNumber !== null)
        await write(service, placeOf(preview), commentOf(service, { ...preview, status: 'removed' }));
    },
    tellLimit: async (service, { repository, number }) =>
      void (await write(service, { repository, number, commentId: null }, limitComment(service))),
  };
}
