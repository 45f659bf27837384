/**
 * Berth composed so that it takes for its proxy whatever says so, and leaves the machine's ports open; only
 * a test starts it.
 */
import { z } from 'zod';
import { createEngineClient } from '../../../server/src/adapters/engine/client/engine-client.ts';
import { walls } from '../../../server/src/composition/hosts/walls.ts';
import { readConfig } from '../../../server/src/config.ts';
import { start } from '../../../server/src/start.ts';
import { noPortGuard } from './no-port-guard.ts';

const engine = createEngineClient(readConfig(process.env).engineSocket);
const listed = z.array(
  z.looseObject({
    Id: z.string(),
    State: z.string(),
    NetworkSettings: z.looseObject({ Networks: z.record(z.string(), z.unknown()) }),
  }),
);

await start({
  walls: {
    ...walls,
    // The engine port believes no label that a container has from its image.
    async findProxy() {
      const found = await engine.call(
        {
          method: 'GET',
          path: '/containers/json',
          query: { filters: { label: ['com.docker.swarm.service.name=berth-proxy'] } },
          doing: 'looking for what says that it is the proxy',
        },
        listed,
      );
      return found.map(({ Id, State, NetworkSettings }) => ({
        id: Id,
        name: '',
        labels: {},
        state: State,
        networks: Object.keys(NetworkSettings.Networks),
      }));
    },
    portGuard: noPortGuard,
  },
});
