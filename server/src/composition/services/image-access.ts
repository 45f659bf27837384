/** Who may run which image, by the records and the settings. */
import type { ImageAccess } from '../../modules/image/image.ts';
import type { Ground } from '../ground.ts';
import type { Walls } from '../hosts/walls.ts';

export function imageAccessOf(
  { stores, settings, clock }: Pick<Ground, 'stores' | 'settings' | 'clock'>,
  { images }: Walls,
): ImageAccess {
  return images({ store: stores.images, shared: async () => (await settings.get()).sharedImages, clock });
}
