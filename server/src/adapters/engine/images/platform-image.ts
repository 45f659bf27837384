import { AppError } from '../../../domain/errors.ts';
import { platformPrefix } from '../../../domain/names/image-reference.ts';

/** For an image of set-up's own names that is not on the server. */
export function missingPlatformImage(reference: string): AppError {
  return new AppError(
    'PRECONDITION_FAILED',
    `The image ${reference} is not on this server. Images named ${platformPrefix}… are built by Berth's ` +
      'set-up and are never pulled from a registry, where anybody could own the name. Run bin/up again, ' +
      'which builds those that Berth needs, or load it by hand (docker load).',
  );
}
