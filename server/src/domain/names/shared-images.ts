/** The setting `sharedImages`: which images of a server every organization may run without a registry. */
import { badField } from '../errors.ts';
import { builtPrefix, familiarName, imageName, listedName, parseImageReference } from './image-reference.ts';

/**
 * A reference (with a tag: that tag; without: every tag), or the beginning of names, which ends in a slash.
 * Throws BAD_REQUEST naming `field` for anything else, and for what Berth builds, which nobody shares.
 */
export function parseSharedImage(text: string, field = 'sharedImages'): string {
  if (!text.endsWith('/')) {
    parseImageReference(text, field);
    return text;
  }
  // What would stand below it tells whether it is the beginning of names.
  parseImageReference(`${text}any`, field);
  if (familiarName(text) === '' || text.startsWith(builtPrefix))
    throw badField(field, 'would share all images; name a repository, or a part of names such as team/');
  return text;
}

/** Whether one of the entries names the image. */
export function isSharedBy(shared: readonly string[], reference: string): boolean {
  const name = familiarName(imageName(reference));
  return shared.some((entry) => {
    if (entry.endsWith('/')) return name.startsWith(familiarName(entry));
    const isWholeName = entry === imageName(entry);
    return isWholeName ? name === familiarName(entry) : listedName(reference) === listedName(entry);
  });
}
