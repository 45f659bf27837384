/** Berth composed so that everybody stores backups wherever they like; only a test starts it. */
import { walls } from '../../../server/src/composition/hosts/walls.ts';
import { start } from '../../../server/src/start.ts';

await start({
  walls: {
    ...walls,
    guard: (ports) => walls.guard({ ...ports, standingOf: async () => 'installation' }),
    destinations: (store, effects) =>
      walls.destinations(store, {
        ...effects,
        reachesHost: async () => true,
        realPath: async (path) => path,
      }),
  },
});
