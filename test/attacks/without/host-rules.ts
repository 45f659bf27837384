/** Berth composed without what keeps its hosts and cookies from services; only a test starts it. */
import { walls } from '../../../server/src/composition/hosts/walls.ts';
import { start } from '../../../server/src/start.ts';

await start({
  walls: {
    ...walls,
    hosts: () => ({ check: async () => undefined, allowed: async () => () => true }),
    keptCookies: [],
  },
});
