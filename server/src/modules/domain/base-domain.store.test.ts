import { expect, it } from 'vitest';
import { domainWorlds, withCompose, withServer } from '../../../../test/http/worlds/domain-world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { createDnsCheck } from './dns-check.ts';

const base = 'apps.example.com';

eachDatabase('hosts below the base domain', (test) => {
  const { begin, scene } = domainWorlds(test);

  async function beginBelow(name = 'Web Shop', appName = 'web-shop-x7k2p9') {
    const world = await begin();
    const { applicationId } = world.place;
    await createStores(world.database).applications.update({ applicationId }, { name, appName });
    scene.settings.baseDomain = base;
    const generate = (change: object = {}): Promise<unknown> =>
      world.owner.mutate('domain.generateDomain', { appName, ...change });
    return { ...world, applicationId, generate };
  }

  it('have the names of the service and of its project, and another while that one is taken', async () => {
    const { owner, applicationId, generate } = await beginBelow();
    expect(await generate()).toBe('web-shop-shop.apps.example.com');
    await owner.mutate('domain.create', { host: 'web-shop-shop.apps.example.com', applicationId });
    const second = await generate();
    expect(second).toMatch(/^web-shop-shop-[0-9a-f]{6}\.apps\.example\.com$/);
    expect(await generate()).toBe(second);
    await owner.mutate('domain.create', { host: second, applicationId });
    const third = await generate();
    expect(third).toMatch(/^web-shop-shop-[0-9a-f]{6}\.apps\.example\.com$/);
    expect(third).not.toBe(second);
  });

  it('have one label of at most 63 characters, the same each time', async () => {
    const { generate } = await beginBelow('Bücher und Zeitschriften '.repeat(4).trim());
    const host = await generate();
    expect(host).toMatch(/^b-cher-und-zeitschriften-[a-z0-9-]+-[0-9a-f]{6}\.apps\.example\.com$/);
    expect(String(host).indexOf('.')).toBeLessThanOrEqual(63);
    expect(await generate()).toBe(host);
  });

  it("show nothing of another organization's service, and stand on Berth's own machine alone", async () => {
    const world = await beginBelow();
    const { database, stranger, generate } = world;
    const appName = 'web-shop-x7k2p9';
    expect(await stranger.mutate('domain.generateDomain', { appName })).toBe(`${appName}.${base}`);
    await withServer(world, 'far', '198.51.100.4');
    expect(await generate({ serverId: 'far' })).toMatch(/-198-51-100-4\.sslip\.io$/);
    await withCompose(world, 'stack');
    await createStores(database).composes.update({ composeId: 'stack' }, { name: 'Stack' });
    expect(await generate({ appName: 'stack' })).toBe('stack-shop.apps.example.com');
    scene.settings.baseDomain = null;
    expect(await generate()).toMatch(/^web-shop-x7k2p9-[0-9a-f]{6}-203-0-113-7\.sslip\.io$/);
  });

  it('answer over https at once, with the certificate that was uploaded if there is one', async () => {
    const { owner, applicationId } = await beginBelow();
    const create = (input: object): Promise<unknown> =>
      owner.mutate('domain.create', { applicationId, ...input });
    expect(await create({ host: `A.${base}` })).toMatchObject({ https: true, certificateType: 'acme' });
    scene.certified = [`b.${base}`];
    expect(await create({ host: `b.${base}` })).toMatchObject({ https: true, certificateType: 'none' });
    const plain = { https: false, certificateType: 'none' };
    expect(await create({ host: `c.${base}`, https: false })).toMatchObject(plain);
    for (const host of [`d.e.${base}`, `*.e.${base}`, 'shop.example.com'])
      expect(await create({ host }), host).toMatchObject(plain);
    scene.settings.baseDomain = 'apps.localhost';
    expect(await create({ host: 'a.apps.localhost' })).toMatchObject(plain);
  });

  it('leave wildcard hosts with acme to orders by DNS, where a provider serves their zone', async () => {
    const { owner, applicationId } = await beginBelow();
    const create = (input: object): Promise<unknown> =>
      owner.mutate('domain.create', { applicationId, https: true, certificateType: 'acme', ...input });
    const refused = { code: 'BAD_REQUEST', fields: ['certificateType'] };
    expect(await create({ host: '*.team.test' })).toMatchObject(refused);
    scene.provable = ['*.team.test'];
    expect(await create({ host: '*.Team.test' })).toMatchObject({ certificateType: 'acme' });
    expect(scene.ordered).toEqual(['*.team.test']);
    expect(await create({ host: '*.other.test', certificateType: 'custom' })).toMatchObject({
      code: 'BAD_REQUEST',
    });
    expect(await create({ host: '*.com' })).toMatchObject({ code: 'BAD_REQUEST', fields: ['host'] });
  });

  it('are not taken by a wildcard of one organization', async () => {
    const { owner, applicationId } = await beginBelow();
    expect(await owner.mutate('domain.create', { host: `*.${base}`, applicationId })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['host'],
    });
    expect(await owner.mutate('domain.create', { host: `*.x.${base}`, applicationId })).toMatchObject({
      host: `*.x.${base}`,
    });
  });
});

it('a base domain is refused below a public suffix, and while its record leads elsewhere', async () => {
  const asked: string[] = [];
  const found: Record<string, { addresses: string[]; fault: string | undefined }> = {
    'berth-check.here.example.com': { addresses: ['203.0.113.7'], fault: undefined },
    'berth-check.there.example.com': { addresses: ['203.0.113.9'], fault: undefined },
    'berth-check.slow.example.com': { addresses: [], fault: 'no answer in time' },
  };
  let serverIp: string | null = '203.0.113.7';
  const { checkBase } = createDnsCheck({
    settings: async () => ({ serverIp, dnsResolver: null }),
    names: {
      async lookUp(host) {
        asked.push(host);
        return found[host] ?? { addresses: [], fault: undefined };
      },
      records: async () => ({ found: [], fault: undefined }),
    },
  });
  for (const suffix of ['co.uk', 'github.io', 'sslip.io', '203-0-113-7.sslip.io'])
    await expect(checkBase(suffix), suffix).rejects.toMatchObject({ issues: [{ path: 'baseDomain' }] });
  expect(asked).toEqual([]);
  for (const fine of ['here.example.com', 'slow.example.com', 'apps.localhost']) await checkBase(fine);
  await expect(checkBase('there.example.com')).rejects.toThrow(
    'The record is "*.there.example.com A 203.0.113.7"',
  );
  await expect(checkBase('nowhere.example.com')).rejects.toThrow('has no address yet');
  serverIp = '2001:db8::7';
  await expect(checkBase('there.example.com')).rejects.toThrow('AAAA 2001:db8::7');
  serverIp = null;
  await checkBase('there.example.com');
});
