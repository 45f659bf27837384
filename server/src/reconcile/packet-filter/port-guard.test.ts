import { expect, it } from 'vitest';
import { localServer } from '../../domain/names/server-key.ts';
import type { WalledPorts } from '../../domain/network/port-wall.ts';
import type { OutwardWall } from '../../domain/network/outward-wall.ts';
import { createPortGuard } from './port-guard.ts';

function guarded() {
  const wall = { never: [], named: [], closed: ['10.0.0.0/8'], webPorts: [80] };
  const state = { open: 'all' as OutwardWall['open'], put: [] as WalledPorts[] };
  const guard = createPortGuard(3000, async () => ({ ...wall, open: state.open }));
  const host = {
    key: localServer,
    engineView: { bridges: async () => [], swarmNodes: async () => [], containersBehind: async () => [] },
    portWall: {
      async ensure(wanted: WalledPorts) {
        const changed = JSON.stringify(wanted) !== JSON.stringify(state.put.at(-1));
        state.put.push(wanted);
        return { changed, problem: undefined };
      },
    },
  };
  /** Whatever was asked before has been done when this has. */
  const settled = () => guard.guard(host);
  return { state, guard, host, settled };
}

it('sets the rules again when a container has started that they are about, and then alone', async () => {
  const { state, guard, host, settled } = guarded();
  guard.follow(host);
  await settled();
  expect(state.put).toHaveLength(1);
  guard.follow(host);
  await settled();
  expect(state.put).toHaveLength(2);
  state.open = ['172.18.0.2'];
  guard.follow(host);
  guard.follow(host);
  expect(await settled()).toEqual([]);
  expect(state.put.slice(2).map(({ outward }) => outward?.open)).toEqual([['172.18.0.2'], ['172.18.0.2']]);
});

it('tells once what is closed from now on, and calls a change of containers no drift', async () => {
  const { state, guard, host } = guarded();
  expect(await guard.guard(host)).toEqual([expect.stringContaining('were missing; set again')]);
  state.open = [];
  expect(await guard.guard(host)).toEqual([expect.stringContaining('organization.setTrusted')]);
  state.open = ['172.18.0.2'];
  expect(await guard.guard(host)).toEqual([]);
});
