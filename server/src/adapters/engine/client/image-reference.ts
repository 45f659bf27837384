import { segment } from './engine-client.ts';

/**
 * An image reference cut where the engine's API wants it cut (distribution reference grammar:
 * [host[:port]/]path[:tag][@digest]).
 */
export interface ImageReference {
  /** Everything before tag and digest. */
  repository: string;
  /** Tag or digest; `latest` when the reference names neither, since an empty one would mean every tag. */
  tag: string;
}

export function parseImageReference(reference: string): ImageReference {
  const digest = reference.indexOf('@');
  if (digest >= 0)
    return { repository: withoutTag(reference.slice(0, digest)), tag: reference.slice(digest + 1) };
  const repository = withoutTag(reference);
  return { repository, tag: reference.slice(repository.length + 1) || 'latest' };
}

/** Path of an image in the engine's API; the slashes of its name stay. */
export function imagePath(reference: string): string {
  return `/images/${reference.split('/').map(segment).join('/')}`;
}

function withoutTag(reference: string): string {
  const colon = reference.lastIndexOf(':');
  return colon > reference.lastIndexOf('/') ? reference.slice(0, colon) : reference;
}
