/**
 * Berth composed so that a key may what its user may, and whoever names an address learns what is behind it;
 * only a test starts it.
 */
import { walls } from '../../../server/src/composition/hosts/walls.ts';
import { start } from '../../../server/src/start.ts';

await start({
  walls: {
    ...walls,
    guard(ports) {
      const real = walls.guard(ports);
      return {
        ...real,
        call: (target, caller, rawInput, file) =>
          real.call(
            target,
            {
              ...caller,
              signal: caller.signal,
              authenticate: async () => ({ ...(await caller.authenticate()), permissions: undefined }),
            },
            rawInput,
            file,
          ),
      };
    },
    adapters: (config, parts) =>
      walls.adapters(config, {
        ...parts,
        policyOf: async () => ({ reachesPrivate: true, allowed: [], platform: [] }),
      }),
  },
});
