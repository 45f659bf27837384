/** Berth composed without the wall before the machine; only a test starts it. */
import { walls } from '../../../server/src/composition/hosts/walls.ts';
import { start } from '../../../server/src/start.ts';

await start({
  walls: {
    ...walls,
    guard: (ports) => walls.guard({ ...ports, standingOf: async () => 'installation' }),
    judge: () => async () => undefined,
    judgeFile: () => async () => undefined,
  },
});
