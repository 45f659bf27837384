import { expect, it } from 'vitest';
import { domainWorlds, withServer } from '../../../../test/http/worlds/domain-world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';

eachDatabase('names of domains', (test) => {
  const { begin, scene } = domainWorlds(test);

  it('are found out in the DNS: one address must be the expected one', async () => {
    const { owner } = await begin();
    const verdict = (domain: string, serverIp?: string): Promise<unknown> =>
      owner.mutate('domain.validateDomain', { domain, serverIp });
    expect(await verdict('Shop.test')).toEqual({
      isValid: true,
      resolvedIps: ['203.0.113.7', '2001:db8::7'],
      expectedIp: '203.0.113.7',
    });
    expect(scene.asked).toEqual([['shop.test', '9.9.9.9']]);
    expect(await verdict('shop.test', '2001:db8:0::7')).toMatchObject({ isValid: true });
    expect(await verdict('shop.test', '203.0.113.9')).toEqual({
      isValid: false,
      resolvedIps: ['203.0.113.7', '2001:db8::7'],
      expectedIp: '203.0.113.9',
      error: expect.stringContaining('leads to 203.0.113.7, 2001:db8::7 instead of 203.0.113.9'),
    });
    expect(await verdict('*.wild.test')).toMatchObject({ isValid: true });
    expect(await verdict('behind.test')).toEqual({
      isValid: true,
      resolvedIps: ['104.16.0.1'],
      expectedIp: '203.0.113.7',
      cdnProvider: 'Cloudflare',
    });
    expect(await verdict('nowhere.test')).toEqual({
      isValid: false,
      resolvedIps: [],
      expectedIp: '203.0.113.7',
      error: expect.stringContaining('no address yet'),
    });
    expect(await verdict('slow.test')).toMatchObject({
      isValid: false,
      error: expect.stringContaining('no answer in time'),
    });
    scene.asked = [];
    expect(await verdict('203.0.113.7')).toMatchObject({ isValid: true });
    for (const [domain, field] of [
      ['a b', 'domain'],
      ['http://a.test', 'domain'],
      ['', 'domain'],
    ] as const)
      expect(await verdict(domain)).toMatchObject({ code: 'BAD_REQUEST', fields: [field] });
    expect(await verdict('shop.test', 'example.com')).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['serverIp'],
    });
    expect(scene.asked).toEqual([]);
    scene.settings.serverIp = null;
    expect(await verdict('shop.test')).toMatchObject({ code: 'BAD_REQUEST', fields: ['serverIp'] });
  });

  it('can be generated for this server and for another', async () => {
    const world = await begin();
    const { owner } = world;
    const generate = (change: object = {}): Promise<unknown> =>
      owner.mutate('domain.generateDomain', { appName: 'My_Shop', ...change });
    expect(await generate()).toMatch(/^my-shop-[0-9a-f]{6}-203-0-113-7\.sslip\.io$/);
    await withServer(world, 'by-ip', '198.51.100.4');
    await withServer(world, 'by-name', 'shop.test');
    await withServer(world, 'lost', 'nowhere.test');
    await withServer(world, 'foreign', '198.51.100.5', world.people.stranger.organizationId);
    expect(await generate({ serverId: 'by-ip' })).toMatch(/-198-51-100-4\.sslip\.io$/);
    expect(await generate({ serverId: 'by-name' })).toMatch(/-203-0-113-7\.sslip\.io$/);
    expect(await generate({ serverId: 'lost' })).toMatchObject({ code: 'PRECONDITION_FAILED' });
    expect(await generate({ serverId: 'foreign' })).toMatchObject({ code: 'FORBIDDEN' });
    expect(await generate({ serverId: 'unknown' })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await generate({ appName: 'a.b' })).toMatchObject({ code: 'BAD_REQUEST', fields: ['appName'] });
  });
});
