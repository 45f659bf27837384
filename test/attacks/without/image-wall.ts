/** Berth composed without the wall between organizations' images; only a test starts it. */
import { walls } from '../../../server/src/composition/hosts/walls.ts';
import { start } from '../../../server/src/start.ts';

await start({
  walls: {
    ...walls,
    images: (parts) => ({
      ...walls.images(parts),
      requireReference: () => undefined,
      mayBuildFrom: async () => true,
      mayRun: async () => true,
      mayKeep: async () => true,
    }),
  },
});
