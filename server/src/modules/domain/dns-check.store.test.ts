import { expect, it } from 'vitest';
import { domainWorlds, withServer } from '../../../../test/http/worlds/domain-world.ts';
import { createStores } from '../../composition/stores.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';

eachDatabase('names of domains', (test) => {
  const { begin, scene } = domainWorlds(test);

  const here = (isLed: boolean) => [{ serverId: null, address: '203.0.113.7', isLed }];

  it('are found out in the DNS: one address must be the expected one', async () => {
    const { owner } = await begin();
    const verdict = (domain: string, serverIp?: string): Promise<unknown> =>
      owner.mutate('domain.validateDomain', { domain, serverIp });
    expect(await verdict('Shop.test')).toEqual({
      isValid: true,
      resolvedIps: ['203.0.113.7', '2001:db8::7'],
      expectedIp: '203.0.113.7',
      hint:
        'shop.test leads to 203.0.113.7, which is right, and besides to 2001:db8::7, which Berth does not ' +
        'know as an address of the same machine. If it is none, visitors and certificate authorities that ' +
        'take it find something else: remove the record shop.test AAAA 2001:db8::7 at your DNS provider.',
      machines: here(true),
    });
    expect(scene.asked).toEqual([['shop.test', '9.9.9.9']]);
    expect(await verdict('shop.test', '2001:db8:0::7')).toMatchObject({ isValid: true });
    expect(await verdict('shop.test', '203.0.113.9')).toEqual({
      isValid: false,
      resolvedIps: ['203.0.113.7', '2001:db8::7'],
      expectedIp: '203.0.113.9',
      error: expect.stringContaining('leads to 203.0.113.7, 2001:db8::7 instead of 203.0.113.9'),
      machines: [{ serverId: null, address: '203.0.113.9', isLed: false }],
    });
    expect(await verdict('*.wild.test')).toMatchObject({ isValid: true });
    expect(await verdict('behind.test')).toEqual({
      isValid: true,
      resolvedIps: ['104.16.0.1'],
      expectedIp: '203.0.113.7',
      cdnProvider: 'Cloudflare',
      machines: here(false),
    });
    expect(await verdict('nowhere.test')).toEqual({
      isValid: false,
      resolvedIps: [],
      expectedIp: '203.0.113.7',
      error: expect.stringContaining('no address yet'),
      machines: here(false),
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

  it('are held against the server of their service or base domain, or the one named', async () => {
    const world = await begin();
    const { owner, place, database } = world;
    const verdict = (domain: string, of: object = {}): Promise<unknown> =>
      owner.mutate('domain.validateDomain', { domain, ...of });
    await withServer(world, 'edge', '198.51.100.4');
    await withServer(world, 'by-name', 'shop.test');
    const edge = { serverId: 'edge', address: '198.51.100.4' };
    expect(await verdict('edge.test')).toMatchObject({ isValid: false, expectedIp: '203.0.113.7' });
    expect(await verdict('edge.test', { serverId: 'edge' })).toEqual({
      isValid: true,
      resolvedIps: ['198.51.100.4'],
      expectedIp: '198.51.100.4',
      machines: [{ ...edge, isLed: true }],
    });
    // Of a server that is known by its name all addresses are right.
    expect(await verdict('shop.test', { serverId: 'by-name' })).toEqual({
      isValid: true,
      resolvedIps: ['203.0.113.7', '2001:db8::7'],
      expectedIp: '203.0.113.7',
      machines: [{ serverId: 'by-name', address: '203.0.113.7', isLed: true }],
    });
    const { applications, projects } = createStores(database);
    const { projectId, applicationId } = place;
    await applications.update({ applicationId }, { serverId: 'edge' });
    expect(await verdict('edge.test', { projectId })).toMatchObject({ isValid: true });
    await projects.update({ projectId }, { baseDomain: 'edge.test' });
    expect(await verdict('*.edge.test')).toMatchObject({
      isValid: true,
      machines: [{ ...edge, isLed: true }],
    });
    await projects.update({ projectId }, { baseDomain: null });
    const domain = { applicationId, host: 'edge.test' };
    expect(await owner.mutate('domain.create', domain)).toMatchObject({ host: 'edge.test' });
    expect(await verdict('edge.test')).toMatchObject({ isValid: true, machines: [{ ...edge, isLed: true }] });
    // A project without services may get them on any machine.
    await applications.remove({ applicationId });
    expect(await verdict('edge.test', { projectId })).toMatchObject({
      isValid: true,
      machines: [
        { serverId: null, address: '203.0.113.7', isLed: false },
        { ...edge, isLed: true },
        { serverId: 'by-name', address: '203.0.113.7', isLed: false },
      ],
    });
    expect(await verdict('nowhere.test', { projectId })).toMatchObject({
      error: expect.stringContaining('leads to 203.0.113.7 or 198.51.100.4'),
    });
    scene.settings.trustedProxies = ['192.0.2.0/24', 'private'];
    expect(await verdict('proxied.test')).toMatchObject({
      isValid: true,
      cdnProvider: 'a proxy of the setting trustedProxies',
    });
    expect(await verdict('edge.test', { serverId: 'unknown' })).toMatchObject({ code: 'NOT_FOUND' });
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
