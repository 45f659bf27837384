import { parseImageReference } from '../../server/src/adapters/engine/client/image-reference.ts';
import { familiarName } from '../../server/src/domain/names/image-reference.ts';

/** Of an image's digests the one of the reference's repository. */
export function digestOf(reference: string, digests: readonly string[]): string | undefined {
  const repository = (name: string): string => familiarName(parseImageReference(name).repository);
  return digests.find((digest) => repository(digest) === repository(reference));
}
