import { beforeEach, expect, it } from 'vitest';
import { anyHost } from '../../../../test/http/any-host.ts';
import { baseDomainClaims, newClaimScene } from '../../../../test/http/worlds/base-domain-claims.ts';
import { domainWorlds, withServer } from '../../../../test/http/worlds/domain-world.ts';
import { projectWorlds } from '../../../../test/http/worlds/project-world.ts';
import type { World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { systemClock } from '../../ports/clock.ts';
import { createDomains } from '../domain/domain.ts';
import { createBaseDomains } from './base-domain.ts';

const conflict = (field = 'baseDomain') => ({ code: 'CONFLICT', fields: [field] });
const bad = { code: 'BAD_REQUEST', fields: ['baseDomain'] };

eachDatabase('base domains of projects', (test) => {
  const scene = newClaimScene();
  beforeEach(() => void Object.assign(scene, newClaimScene()));
  const begin = projectWorlds(test, (stores) => ({ claims: baseDomainClaims(stores, scene) }));
  const setting = (
    { owner, stranger, place, foreign }: World,
    who: 'owner' | 'stranger' = 'owner',
  ): ((baseDomain: string | null) => Promise<unknown>) => {
    const [client, { projectId }] = who === 'owner' ? [owner, place] : [stranger, foreign];
    return (baseDomain) => client.mutate('project.update', { projectId, baseDomain });
  };

  it('are kept in one form, changed and taken away; what stays is not looked at again', async () => {
    const world = await begin();
    const set = setting(world);
    expect(await set('*.Shop.Example.com')).toMatchObject({ baseDomain: 'shop.example.com' });
    scene.leadTo = ['198.51.100.9'];
    expect(await set('shop.example.com')).toMatchObject({ baseDomain: 'shop.example.com' });
    expect(scene.changes).toBe(1);
    const { projectId } = world.place;
    expect(await world.owner.mutate('project.update', { projectId, name: 'Store' })).toMatchObject({
      baseDomain: 'shop.example.com',
    });
    expect(await world.owner.query('project.one', { projectId })).toMatchObject({
      baseDomain: 'shop.example.com',
    });
    const copy = await world.owner.mutate('project.duplicate', { projectId, name: 'Second' });
    expect(copy).toMatchObject({ baseDomain: 'shop.example.com' });
    expect(await set(null)).toMatchObject({ baseDomain: null });
    expect(scene.changes).toBe(2);
  });

  it("are never the installation's or another organization's, nor above or below one", async () => {
    const world = await begin();
    const [set, rival] = [setting(world), setting(world, 'stranger')];
    scene.settings.baseDomain = 'apps.example.com';
    for (const base of ['apps.example.com', 'a.apps.example.com', '*.example.com'])
      for (const change of [set, rival]) expect(await change(base), base).toMatchObject(conflict());
    expect(await rival('shop.example.net')).toMatchObject({ baseDomain: 'shop.example.net' });
    for (const base of ['shop.example.net', 'a.shop.example.net', 'example.net'])
      expect(await set(base), base).toMatchObject(conflict());
    expect(await set('other-shop.example.net')).toMatchObject({ baseDomain: 'other-shop.example.net' });
    const stores = createStores(world.database);
    await withServer(world, 'far', '198.51.100.4', world.people.stranger.organizationId);
    await stores.servers.update({ serverId: 'far' }, { baseDomain: 'edge.example.org' });
    expect(await set('x.edge.example.org')).toMatchObject(conflict());
    // What nobody holds any more is free.
    await rival(null);
    expect(await set('example.net')).toMatchObject({ baseDomain: 'example.net' });
    const claims = baseDomainClaims(stores, scene);
    for (const base of ['net.example.net', 'example.net'])
      await expect(claims.requireFreeForAll(base)).rejects.toThrow(
        'example.net, the base domain of a project',
      );
    await claims.requireFreeForAll('apps.example.com');
    await expect(claims.requireOutside('berth.example.net')).rejects.toMatchObject({
      issues: [{ path: 'host' }],
    });
    await claims.requireOutside('net');
  });

  it('may be shared by projects of one organization, and hold no host of another one', async () => {
    const world = await begin();
    const { owner, foreign, people, database } = world;
    const set = setting(world);
    const made = await owner.mutate('project.create', { name: 'Second' });
    const { project } = made as { project: { projectId: string } };
    expect(await set('shop.example.com')).toMatchObject({ baseDomain: 'shop.example.com' });
    for (const baseDomain of ['shop.example.com', 'eu.shop.example.com'])
      expect(
        await owner.mutate('project.update', { projectId: project.projectId, baseDomain }),
      ).toMatchObject({ baseDomain });
    const domains = createDomains(createStores(database).domains, systemClock, anyHost);
    await domains.create(
      people.stranger.organizationId,
      { applicationId: foreign.applicationId },
      { host: 'a.b.rival.example.com' },
    );
    for (const base of ['rival.example.com', 'a.b.rival.example.com', 'b.rival.example.com'])
      expect(await set(base), base).toMatchObject(conflict());
    expect(await set('c.rival.example.com')).toMatchObject({ baseDomain: 'c.rival.example.com' });
  });

  it('lead to a machine of their services, and hold no host of Berth', async () => {
    const world = await begin();
    const set = setting(world);
    scene.leadTo = [];
    const refused = await set('shop.example.com');
    expect(refused).toMatchObject(bad);
    expect(JSON.stringify(refused)).toContain('*.shop.example.com A 203.0.113.7');
    await withServer(world, 'far', '198.51.100.4');
    scene.leadTo = ['198.51.100.4'];
    // Its service stands on Berth's machine.
    expect(await set('shop.example.com')).toMatchObject(bad);
    const { applicationId } = world.place;
    await createStores(world.database).applications.update({ applicationId }, { serverId: 'far' });
    expect(await set('shop.example.com')).toMatchObject({ baseDomain: 'shop.example.com' });
    scene.settings.host = 'berth.example.com';
    expect(await set('example.com')).toMatchObject(bad);
    for (const base of ['co.uk', 'x.sslip.io', '203.0.113.7', 'one', '*.*.example.com'])
      expect(await set(base), base).toMatchObject(bad);
    expect(await set('shop.localhost')).toMatchObject({ baseDomain: 'shop.localhost' });
  });

  it('of other organizations certainly lead here, or a record shows whose they are', async () => {
    const world = await begin();
    const { people, database } = world;
    const { organizationId } = people.stranger;
    const [set, rival] = [setting(world), setting(world, 'stranger')];
    // Behind a CDN, a look-up without an answer, and a machine whose address nobody knows.
    for (const unknown of [
      { leadTo: ['104.16.0.1'] },
      { leadTo: [], fault: 'no answer in time' },
      { settings: { ...scene.settings, serverIp: null } },
    ]) {
      Object.assign(scene, newClaimScene(), unknown);
      const refused = await rival('victim.example.com');
      expect(refused).toMatchObject(bad);
      expect(JSON.stringify(refused)).toContain(`berth=${organizationId}`);
      expect(await set('shop.example.com')).toMatchObject({ baseDomain: 'shop.example.com' });
      await set(null);
      scene.texts = ['berth=another', `berth=${organizationId}`];
      expect(await rival('victim.example.com')).toMatchObject({ baseDomain: 'victim.example.com' });
      await rival(null);
    }
    // A server is a machine of theirs once it is set up: anybody can write down an address.
    Object.assign(scene, newClaimScene(), { leadTo: ['198.51.100.4'] });
    await withServer(world, 'far', '198.51.100.4', organizationId);
    const stores = createStores(database);
    const { applicationId } = world.foreign;
    await stores.applications.update({ applicationId }, { serverId: 'far' });
    await stores.servers.update({ serverId: 'far' }, { status: 'inactive' });
    expect(await rival('victim.example.com')).toMatchObject(bad);
    await stores.servers.update({ serverId: 'far' }, { status: 'active' });
    expect(await rival('victim.example.com')).toMatchObject({ baseDomain: 'victim.example.com' });
  });

  it('are for Owners and Admins', async () => {
    const world = await begin();
    const { member, admin, people, place } = world;
    const { projectId } = place;
    await people.grant({ accessedProjects: [projectId] });
    const change = { projectId, baseDomain: 'shop.example.com' };
    expect(await member.mutate('project.update', change)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await admin.mutate('project.update', change)).toMatchObject({ baseDomain: 'shop.example.com' });
    expect(await member.mutate('project.update', { ...change, name: 'Mine' })).toMatchObject({
      name: 'Mine',
    });
  });
});

eachDatabase('names below the nearest base domain', (test) => {
  const { begin, scene } = domainWorlds(test);

  async function beginBelow() {
    const world = await begin();
    const stores = createStores(world.database);
    const { applicationId, projectId } = world.place;
    const appName = 'web-x7k2p9';
    await stores.applications.update({ applicationId }, { name: 'Web', appName });
    await withServer(world, 'far', '198.51.100.4');
    const generate = (serverId?: string): Promise<unknown> =>
      world.owner.mutate('domain.generateDomain', { appName, ...(serverId && { serverId }) });
    const setProject = (baseDomain: string | null) => stores.projects.update({ projectId }, { baseDomain });
    return { ...world, stores, applicationId, generate, setProject };
  }

  it("are the project's, then the server's, then the installation's", async () => {
    const { generate, setProject, stores } = await beginBelow();
    expect(await generate('far')).toMatch(/sslip\.io$/);
    scene.settings.baseDomain = 'apps.example.com';
    expect([await generate(), await generate('far')]).toEqual([
      'web-shop.apps.example.com',
      expect.stringMatching(/sslip\.io$/),
    ]);
    await stores.servers.update({ serverId: 'far' }, { baseDomain: 'edge.example.com' });
    expect(await generate('far')).toBe('web-shop.edge.example.com');
    await setProject('shop.example.com');
    expect([await generate(), await generate('far')]).toEqual([
      'web-shop.shop.example.com',
      'web-shop.shop.example.com',
    ]);
  });

  it('answer over https, and are not for other organizations', async () => {
    const { owner, stranger, foreign, applicationId, setProject } = await beginBelow();
    await setProject('shop.example.com');
    expect(await owner.mutate('domain.create', { applicationId, host: 'a.shop.example.com' })).toMatchObject({
      https: true,
      certificateType: 'acme',
    });
    for (const host of [
      'shop.example.com',
      'b.shop.example.com',
      '*.shop.example.com',
      'a.b.shop.example.com',
    ])
      expect(
        await stranger.mutate('domain.create', { applicationId: foreign.applicationId, host }),
        host,
      ).toMatchObject(conflict('host'));
    const other = await stranger.mutate('domain.create', {
      applicationId: foreign.applicationId,
      host: 'myshop.example.com',
    });
    expect(other).toMatchObject({ host: 'myshop.example.com', https: false });
    const { domainId } = other as { domainId: string };
    expect(await stranger.mutate('domain.update', { domainId, host: 'b.shop.example.com' })).toMatchObject(
      conflict('host'),
    );
  });

  it('have a wildcard certificate for each server of their services', async () => {
    const { stores, people, setProject, applicationId } = await beginBelow();
    let cloud = false;
    const { placed } = createBaseDomains({
      store: stores.baseDomains,
      settings: async () => ({ baseDomain: null, cloud }),
    });
    expect(await placed()).toEqual([]);
    const { organizationId } = people.owner;
    await setProject('shop.example.com');
    const local = { domain: 'shop.example.com', organizationId, serverId: null };
    expect(await placed()).toEqual([local]);
    await stores.servers.update({ serverId: 'far' }, { baseDomain: 'edge.example.com' });
    const far = { domain: 'edge.example.com', organizationId, serverId: 'far' };
    expect(await placed()).toHaveLength(2);
    expect(await placed()).toEqual(expect.arrayContaining([local, far]));
    await stores.applications.update({ applicationId }, { serverId: 'far' });
    expect(await placed()).toEqual(expect.arrayContaining([{ ...local, serverId: 'far' }, far]));
    await stores.applications.remove({ applicationId });
    expect(await placed()).toEqual(expect.arrayContaining([local, far]));
    cloud = true;
    expect(await placed()).toEqual([far]);
  });
});
