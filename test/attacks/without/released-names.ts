/** Berth composed without names of one holder, and with routes to what records say; only a test starts it. */
import { walls } from '../../../server/src/composition/hosts/walls.ts';
import { composeServiceName } from '../../../server/src/domain/names/names.ts';
import { start } from '../../../server/src/start.ts';

await start({
  walls: {
    ...walls,
    names: () => ({ keep: async () => undefined }),
    leadsTo: ({ appName, composeName, serviceName }) =>
      composeName === null ? appName : composeServiceName(composeName, serviceName ?? ''),
  },
});
