/** Berth composed so that the first cookie of its name is the session; only a test starts it. */
import { walls } from '../../../server/src/composition/hosts/walls.ts';
import { start } from '../../../server/src/start.ts';

await start({
  walls: {
    ...walls,
    cookies(isHttps) {
      const real = walls.cookies(isHttps);
      return { ...real, sessionTokens: (request) => real.sessionTokens(request).slice(0, 1) };
    },
  },
});
