/** Berth composed so that it believes what an unsigned webhook says; only a test starts it. */
import { walls } from '../../../server/src/composition/hosts/walls.ts';
import { start } from '../../../server/src/start.ts';

await start({
  walls: {
    ...walls,
    pullRequests(neighbours) {
      const real = walls.pullRequests(neighbours);
      return {
        ...real,
        receive: (application, provider, event, from) =>
          real.receive(application, provider, event, { ...from, source: 'signed' }),
      };
    },
  },
});
