import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { InterfaceClient } from '../../../../test/http/interface-client.ts';
import { worlds, type World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { probePrograms } from '../../adapters/builder/programs.ts';
import { router } from '../../procedure/registry.ts';
import { settingsContract } from './contract.ts';
import { settingsHandlers } from './handlers.ts';
import { settingFields } from './record-fields.ts';
import { createSettings, type SettingsService } from './settings.ts';
import { createSettingsStore } from './store.ts';

const initial = Object.fromEntries(
  Object.entries(settingFields).map(([name, field]) => [name, field.initial]),
);

eachDatabase('settings', (test) => {
  const createWorld = worlds(test);
  let checked: string[] = [];
  async function begin(): Promise<World & { settings: SettingsService }> {
    checked = [];
    let service: SettingsService | undefined;
    const world = await createWorld((database) => {
      service = createSettings(createSettingsStore(database));
      return [
        router(
          'settings',
          settingsContract,
          settingsHandlers(service, {
            changed: () => undefined,
            builders: (signal) =>
              probePrograms(join(tmpdir(), `berth-settings-${process.pid}`), signal, '/nowhere'),
            urlHost: 'panel.example.net',
            checkBaseDomain: async (base) => void checked.push(base),
            prepareHost: async () => undefined,
            portWall: () => undefined,
          }),
        ),
      ];
    });
    if (!service) throw new Error('The world has no settings.');
    return { ...world, settings: service };
  }

  it('have their initial values until somebody sets them, and keep what was set', async () => {
    const { owner, database, settings } = await begin();
    expect(await owner.query('settings.get')).toEqual(initial);
    const changed = {
      serverIp: '203.0.113.7',
      buildMemory: '1.5g',
      localRepositoryPaths: ['/srv/git', '/home/git/a b'],
      networkPool: '172.20.0.0/16',
      cloud: true,
      keptImages: 3,
    };
    expect(await owner.mutate('settings.update', changed)).toEqual({ ...initial, ...changed });
    expect(await settings.get()).toEqual({ ...initial, ...changed });
    expect(await createSettings(createSettingsStore(database)).get()).toEqual({ ...initial, ...changed });
    expect(await owner.mutate('settings.update', { serverIp: null, keptImages: 4 })).toEqual({
      ...initial,
      ...changed,
      serverIp: null,
      keptImages: 4,
    });
    expect(await owner.mutate('settings.update', {})).toMatchObject({ keptImages: 4 });
  });

  it('keep a base domain that Berth itself is outside of', async () => {
    const { owner, settings } = await begin();
    const set = (patch: object): Promise<unknown> => owner.mutate('settings.update', patch);
    const refused = (field: string): object => ({ code: 'BAD_REQUEST', fields: [field] });
    expect(await set({ host: 'Berth.example.com' })).toMatchObject({ host: 'berth.example.com' });
    for (const baseDomain of ['example.com', '*.berth.example.com', 'panel.example.net', 'example.net'])
      expect(await set({ baseDomain }), baseDomain).toMatchObject(refused('baseDomain'));
    expect(checked).toEqual([]);
    expect(await set({ baseDomain: '*.Apps.Example.com' })).toMatchObject({ baseDomain: 'apps.example.com' });
    expect(checked).toEqual(['apps.example.com']);
    expect(await set({ host: 'Berth.Apps.example.com' })).toMatchObject(refused('host'));
    const both = { host: 'berth.example.org', baseDomain: 'example.org' };
    expect(await set(both)).toMatchObject(refused('baseDomain'));
    expect(await set({ keptImages: 3, baseDomain: 'apps.example.com' })).toMatchObject({ keptImages: 3 });
    expect(checked).toHaveLength(1);
    expect(await set({ baseDomain: null })).toMatchObject({ baseDomain: null });
    expect((await settings.get()).host).toBe('berth.example.com');
  });

  it('are read from memory, and anew after a change', async () => {
    const { owner, database, settings } = await begin();
    await settings.get();
    const before = database.statements.count;
    await settings.get();
    expect(database.statements.count).toBe(before);
    await owner.mutate('settings.update', { keptImages: 9 });
    expect((await settings.get()).keptImages).toBe(9);
  });

  it('of this installation stand in for those that nobody set', async () => {
    const { database } = await begin();
    const settings = createSettings(createSettingsStore(database), { serverIp: '198.51.100.1' });
    expect((await settings.get()).serverIp).toBe('198.51.100.1');
    await settings.update({ serverIp: '198.51.100.2' }, { role: 'owner' });
    settings.refresh();
    expect((await settings.get()).serverIp).toBe('198.51.100.2');
  });

  it('that a stored value no longer fits fall back', async () => {
    const { database } = await begin();
    await createSettingsStore(database).put('localRepositoryPaths', ['/']);
    await createSettingsStore(database).put('forgotten', 1);
    expect(await createSettings(createSettingsStore(database)).get()).toEqual(initial);
  });

  it("that reach into the server are the Owner's; an Admin's request changes nothing", async () => {
    const { admin, settings } = await begin();
    expect(
      await admin.mutate('settings.update', { acmeEmail: 'ops@example.com', uploadLimit: 1024 * 1024 }),
    ).toMatchObject({ acmeEmail: 'ops@example.com', uploadLimit: 1024 * 1024 });
    const refused: string[] = [];
    for (const [name, { initial: value }] of Object.entries(settingFields)) {
      const answer = await admin.mutate('settings.update', { dnsResolver: '9.9.9.9', [name]: value });
      if (typeof answer === 'object' && answer !== null && 'code' in answer && answer.code === 'FORBIDDEN')
        refused.push(name);
    }
    expect(refused).toEqual([
      'host',
      'cloud',
      'tenantsMayCreateOrganizations',
      'buildMemory',
      'buildCpu',
      'buildsConcurrency',
      'localRepositoryPaths',
      'networkPool',
      'allowedPrivateNetworks',
      'trustedProxies',
      'sharedImages',
      'builderReleases',
      'minFreeDisk',
      'keptImages',
      'keptDeployments',
      'cleanupSchedule',
      'formerVolumeDays',
    ]);
    expect(
      await admin.mutate('settings.update', { acmeEmail: 'x@example.com', localRepositoryPaths: ['/etc'] }),
    ).toMatchObject({ code: 'FORBIDDEN' });
    expect(await settings.get()).toMatchObject({ localRepositoryPaths: [], acmeEmail: null });
  });

  it('are closed to nobody, members and other organizations; bad input is named', async () => {
    const { owner, member, stranger, nobody } = await begin();
    const calls = (client: InterfaceClient): Promise<unknown>[] => [
      client.query('settings.get'),
      client.mutate('settings.update', { keptImages: 2 }),
    ];
    for (const answer of await Promise.all(calls(nobody)))
      expect(answer).toMatchObject({ code: 'UNAUTHORIZED' });
    for (const answer of await Promise.all(calls(member)))
      expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all(calls(stranger)))
      expect(answer).toMatchObject({
        code: 'FORBIDDEN',
        message: expect.stringContaining("installation's organization"),
      });
    for (const [field, value] of Object.entries({
      serverIp: 'example.com',
      acmeEmail: 'me',
      acmeDirectory: 'http://acme.example.com',
      dnsResolver: 'dns',
      buildMemory: '1t',
      buildCpu: '0',
      buildsConcurrency: 0,
      uploadLimit: 1,
      networkPool: '10.0.0.0/24',
      keptImages: 0,
      minFreeDisk: -1,
      cloud: 'yes',
    }))
      expect(await owner.mutate('settings.update', { [field]: value })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
    for (const path of ['/', '', 'relative', '/a/../b', '/a/', '/a//b', '/a\nb', '/.', '/..'])
      expect(await owner.mutate('settings.update', { localRepositoryPaths: ['/ok', path] })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: ['localRepositoryPaths.1'],
      });
    expect(await owner.query('settings.get')).toEqual(initial);
  });

  it('tell which programs that build are here, to those who run the installation', async () => {
    const { owner, member, stranger } = await begin();
    expect(await owner.query('settings.builders')).toMatchObject([
      { name: 'nixpacks', version: null, problem: 'not installed', install: expect.any(String) },
      { name: 'railpack', buildTypes: ['railpack'] },
      { name: 'pack', buildTypes: ['heroku_buildpacks', 'paketo_buildpacks'] },
    ]);
    for (const client of [member, stranger])
      expect(await client.query('settings.builders')).toMatchObject({ code: 'FORBIDDEN' });
  });
});
