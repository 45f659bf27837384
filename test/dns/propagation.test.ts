/** Waiting for name servers that do not get a record: Debian's bind9, which the provider does not change. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createNameResolver } from '../../server/src/adapters/dns/name-resolver.ts';
import { createPropagation } from '../../server/src/modules/dns-provider/propagation.ts';
import { installHostPackages } from '../bed/host/host-packages.ts';
import { localOutgoing } from './certifying-world.ts';
import { startBind } from './programs.ts';

it('says which name server has not taken a record in time, and that the zone may be delegated', async () => {
  await installHostPackages(console.error, AbortSignal.timeout(300_000), ['bind9']);
  const folder = await mkdtemp(join(tmpdir(), 'berth-dns-'));
  await using bind = await startBind(join(folder, 'bind'), { 'apps.test': 'ns1 A 127.0.0.1' });
  const seen = createPropagation({
    names: createNameResolver(),
    outgoing: localOutgoing(),
    resolver: async () => `127.0.0.1:${bind.port}`,
    nameServerAddress: (address) => `${address}:${bind.port}`,
  });
  const text = { name: '_acme-challenge.apps.test', text: 'a text', zone: 'apps.test' };
  await expect(seen([text], { organizationId: 'ours' }, AbortSignal.timeout(60_000), 1500)).rejects.toThrow(
    'The TXT record at _acme-challenge.apps.test was set, but ns1.apps.test did not have it after 2 ' +
      'seconds. Either the provider is slow, or the zone is delegated to other name servers than its own ' +
      '(NS records).',
  );
  await rm(folder, { recursive: true, force: true });
});
