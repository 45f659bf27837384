import { BlockList } from 'node:net';
import { expect, test, vi } from 'vitest';

test('makes its lists of networks when the first address is judged, not in each start', async () => {
  const added = vi.spyOn(BlockList.prototype, 'addSubnet');
  const { judgeAddress } = await import('./outgoing.ts');
  const { cdnOf } = await import('./cdn.ts');
  expect(added).not.toHaveBeenCalled();
  judgeAddress('10.0.0.1', { reachesPrivate: false, allowed: [], platform: [] });
  cdnOf('104.16.0.1');
  const once = added.mock.calls.length;
  expect(once).toBeGreaterThan(50);
  judgeAddress('10.0.0.2', { reachesPrivate: false, allowed: [], platform: [] });
  cdnOf('104.16.0.2');
  expect(added).toHaveBeenCalledTimes(once);
});
