/** Berth composed so that everybody builds in the host's own engine; only a test and a bench start it. */
import type { BuildEnginesOptions } from '../../../server/src/adapters/build-engine/build-engines.ts';
import { walls } from '../../../server/src/composition/hosts/walls.ts';
import type { BuildEngines } from '../../../server/src/ports/engine/build-engine.ts';
import type { BuildLimiter } from '../../../server/src/ports/engine/builder.ts';
import { start } from '../../../server/src/start.ts';
import { noPortGuard } from './no-port-guard.ts';

/** Of a machine over SSH the engine has no group that Berth could find. */
const noLimits: BuildLimiter = {
  begin: async () => ({ ranOutOfMemory: async () => false, end: async () => undefined }),
};

const buildEngines = ({ engineSocket, limiterOf, folders }: BuildEnginesOptions): BuildEngines => ({
  lend: async () => ({
    socket: engineSocket,
    limiter: folders === undefined ? limiterOf(engineSocket) : noLimits,
    baseFor: async ({ official }) => official,
    bring: async () => undefined,
    prepareDelivery: () => undefined,
    deliver: async () => ({ layers: 0, sent: 0, bytes: 0 }),
    giveBack: async () => undefined,
  }),
  getReady: async () => undefined,
  tidy: async () => undefined,
  remove: async () => undefined,
});

// Without builders the machine's ports would be kept from build steps by its packet filter alone.
await start({ walls: { ...walls, buildEngines, portGuard: noPortGuard } });
