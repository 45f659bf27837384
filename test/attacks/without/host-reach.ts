/** Berth composed without the wall before the machine; only a test starts it. */
import { walls } from '../../../server/src/composition/hosts/walls.ts';
import { start } from '../../../server/src/start.ts';

await start({
  walls: { ...walls, judge: () => async () => undefined, judgeFile: () => async () => undefined },
});
