/**
 * Berth composed so that it takes for its proxy whatever says so, and leaves the machine's ports open; only
 * a test starts it.
 */
import { walls } from '../../../server/src/composition/hosts/walls.ts';
import { start } from '../../../server/src/start.ts';
import { noPortGuard } from './no-port-guard.ts';

await start({
  walls: {
    ...walls,
    findProxy: (engine) => engine.containers('com.docker.swarm.service.name=berth-proxy'),
    portGuard: noPortGuard,
  },
});
