import { expect, it } from 'vitest';
import { organizationLabel } from '../../domain/names/labels.ts';
import { localServer } from '../../domain/names/server-key.ts';
import type { BridgedContainer } from '../../ports/engine/engine-view.ts';
import { createOutwardPolicy } from './outward-policy.ts';

const behind: BridgedContainer[] = [
  { addresses: ['172.18.0.9'], labels: { [organizationLabel]: 'first' } },
  { addresses: ['172.18.0.3'], labels: { [organizationLabel]: 'tenant' } },
  { addresses: ['172.18.0.2', '2001:db8::2'], labels: {} },
];
const engineView = { containersBehind: async () => behind };
const policy = (tenants: string[]) =>
  createOutwardPolicy({
    tenants: async () => tenants,
    allowed: async () => ['10.1.0.0/16'],
    webPorts: [80, 443],
  });

it('opens private networks to containers of no tenant, and to what is not of Berth', async () => {
  const wall = await policy(['tenant', 'other'])({ key: localServer, engineView });
  expect(wall).toMatchObject({ open: ['172.18.0.2', '172.18.0.9', '2001:db8::2'], named: ['10.1.0.0/16'] });
  expect(wall.closed).toContain('192.168.0.0/16');
  expect(wall.never).toContain('169.254.169.254/32');
});

it('opens them to all where there is no tenant, and on a server, but never metadata', async () => {
  for (const wall of [
    await policy([])({ key: localServer, engineView }),
    await policy(['tenant'])({ key: 'server-1', engineView }),
  ]) {
    expect(wall.open).toBe('all');
    expect(wall.never).toContain('169.254.0.0/16');
  }
});
