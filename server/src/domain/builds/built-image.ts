/** Which images of an engine Berth built: anybody's image may carry the labels of Berth. */
import { builtPrefix } from '../names/image-reference.ts';
import { builtLabel } from '../names/labels.ts';

export interface ListedImage {
  tags: readonly string[];
  labels: Readonly<Record<string, string>>;
  /** ISO 8601. */
  createdAt: string;
  /** It was exchanged with a registry. */
  isOfRegistry?: boolean;
}

/**
 * True for images under the names that builds give. An image without a name counts when it was made at the
 * time that its label says: one that somebody made from it inherits the label and has a time of its own.
 */
export function isBuiltHere({ tags, labels, createdAt, isOfRegistry = false }: ListedImage): boolean {
  if (isOfRegistry) return false;
  if (tags.length > 0) return tags.every((tag) => tag.startsWith(builtPrefix));
  const builtAt = labels[builtLabel];
  return builtAt !== undefined && builtAt === wholeSecond(createdAt);
}

/** The time as the label has it; undefined for what is not a time. Engines list images by the second. */
export function wholeSecond(time: string): string | undefined {
  const at = Date.parse(time);
  return Number.isNaN(at) ? undefined : new Date(Math.floor(at / 1000) * 1000).toISOString();
}
