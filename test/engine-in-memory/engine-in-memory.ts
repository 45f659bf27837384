/**
 * An engine without a machine: Docker 20.10 in swarm mode with one node, as Berth's adapter sees it. It
 * stands behind the adapter, in the place of Docker's socket, so that everything Berth does with an engine is
 * the same code; images hold programs that are functions (program.ts), and its time is whatever time the
 * process has (virtual-time.ts). It is no mock: what passes here and fails on a real engine is a fault of it.
 */
import { createEngineView } from '../../server/src/adapters/engine/view/engine-view.ts';
import { ownedBy, type EngineClient } from '../../server/src/adapters/engine/client/engine-client.ts';
import type { EngineRequest } from '../../server/src/adapters/engine/client/engine-request.ts';
import { createSwarmEngine } from '../../server/src/adapters/engine/swarm.ts';
import type { Engine } from '../../server/src/ports/engine/engine.ts';
import type { EngineView } from '../../server/src/ports/engine/engine-view.ts';
import { testInstallation } from '../installation.ts';
import { createClient, EngineAway } from './client.ts';
import { ownedCreations } from './owned-creations.ts';
import { addImage } from './images.ts';
import type { ImageContent } from './programs/program.ts';
import { swarmId, type State } from './state.ts';

export interface EngineInMemory {
  engine: Engine;
  view: EngineView;
  /** The bare API, for what Berth would not do. */
  api: EngineClient;
  /** What is on the engine, to look at. */
  state: State;
  /** Another way to the same engine, whose every call passes `before`, perhaps of another installation. */
  connect(before: (request: EngineRequest) => Promise<void> | void, installation?: string): EngineInMemory;
  addImage(tag: string, content: ImageContent): void;
  addRegistry(host: string, account?: { username: string; password: string }): void;
  /** Nobody answers at the socket until it is called again with false. */
  setAway(isAway: boolean): void;
  /** The next call that this is true of fails with the engine's words, or hangs until its limit. */
  disturbNext(isMeant: (request: EngineRequest) => boolean, how: Error | 'hang'): void;
}

export interface EngineOptions {
  /** Programs that are found in every container, such as one that is mounted into all of them. */
  mountedPrograms?: ImageContent['programs'];
}

export function createEngineInMemory({ mountedPrograms = {} }: EngineOptions = {}): EngineInMemory {
  const state: State = {
    nodeId: swarmId(),
    hostname: 'memory',
    images: new Map(),
    registries: new Map(),
    networks: new Map(),
    volumes: new Map(),
    configs: new Map(),
    secrets: new Map(),
    containers: new Map(),
    services: new Map(),
    tasks: new Map(),
    mountedPrograms,
    clockOffMs: 0,
    counter: 10,
    nanoseconds: 0n,
    watchers: new Set(),
  };
  return connectTo(state, { isAway: false, next: [] }, () => undefined);
}

interface Disturbances {
  isAway: boolean;
  next: { isMeant(request: EngineRequest): boolean; how: Error | 'hang' }[];
}

function connectTo(
  state: State,
  disturbances: Disturbances,
  before: (request: EngineRequest) => Promise<void> | void,
  installation = testInstallation,
): EngineInMemory {
  const bare = createClient(state, {
    async before(request) {
      await before(request);
      if (disturbances.isAway) throw new EngineAway();
      const at = disturbances.next.findIndex(({ isMeant }) => isMeant(request));
      const [found] = at < 0 ? [] : disturbances.next.splice(at, 1);
      if (found?.how === 'hang') await new Promise(() => undefined);
      else if (found !== undefined) throw found.how;
    },
  });
  const api = ownedBy(bare, installation);
  return {
    api,
    engine: createSwarmEngine({ client: ownedCreations(api) }),
    view: createEngineView({ client: api }),
    state,
    connect: (also, of = installation) =>
      connectTo(
        state,
        disturbances,
        async (request) => {
          await before(request);
          await also(request);
        },
        of,
      ),
    addImage: (tag, content) => void addImage(state, tag, content),
    addRegistry: (host, account) => void state.registries.set(host, { account, images: new Map() }),
    setAway(isAway) {
      disturbances.isAway = isAway;
    },
    disturbNext: (isMeant, how) => void disturbances.next.push({ isMeant, how }),
  };
}
