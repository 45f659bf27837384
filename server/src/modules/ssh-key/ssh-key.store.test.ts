import { expect, it } from 'vitest';
import { textOf, type InterfaceClient } from '../../../../test/http/interface-client.ts';
import { worlds, type World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { sshKeyPairs } from '../../adapters/ssh/key-pairs.ts';
import { createStores } from '../../composition/stores.ts';
import { systemClock } from '../../ports/clock.ts';
import { router } from '../../procedure/registry.ts';
import { sshKeyContract } from './contract.ts';
import { sshKeyHandlers } from './handlers.ts';
import { createSshKeys } from './ssh-key.ts';
import { createSshKeyStore } from './store.ts';

eachDatabase('SSH keys', (test) => {
  const createWorld = worlds(test);
  const begin = (): Promise<World> =>
    createWorld((database) => [
      router(
        'sshKey',
        sshKeyContract,
        sshKeyHandlers(createSshKeys(createSshKeyStore(database), systemClock), sshKeyPairs),
      ),
    ]);
  const shown = {
    sshKeyId: expect.any(String),
    name: 'Deploy',
    description: '',
    publicKey: expect.stringMatching(/^ssh-ed25519 /),
    fingerprint: expect.stringMatching(/^SHA256:/),
    createdAt: expect.any(String),
  };

  it('are generated or stored, read, listed and removed, their private part never shown', async () => {
    const { owner, database, people } = await begin();
    const generated = await owner.mutate('sshKey.generate', { name: 'Deploy' });
    expect(generated).toEqual(shown);
    // A pair that is only made is stored nowhere, and fits together.
    const made = await owner.mutate('sshKey.makePair', {});
    const { publicKey } = await sshKeyPairs.parse(textOf(made, 'privateKey'));
    expect(textOf(made, 'publicKey')).toBe(publicKey);
    expect(await owner.query('sshKey.all')).toHaveLength(1);
    const pair = await sshKeyPairs.generate('ed25519', 'mine');
    const stored = await owner.mutate('sshKey.create', {
      name: 'Mine',
      description: 'from home',
      privateKey: pair.privateKey.reveal(),
    });
    expect(stored).toEqual({
      ...shown,
      name: 'Mine',
      description: 'from home',
      publicKey: pair.publicKey,
      fingerprint: pair.fingerprint,
    });
    const sshKeyId = textOf(stored, 'sshKeyId');
    expect(await owner.query('sshKey.one', { sshKeyId })).toEqual(stored);
    expect(await owner.query('sshKey.all')).toEqual([stored, generated]);
    const sshKeys = createSshKeys(createSshKeyStore(database), systemClock);
    expect((await sshKeys.privateKey(sshKeyId, people.owner.organizationId)).reveal()).toBe(
      pair.privateKey.reveal(),
    );
    await expect(sshKeys.privateKey(sshKeyId, people.stranger.organizationId)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const renamed = await owner.mutate('sshKey.update', { sshKeyId, name: 'Renamed', description: null });
    expect(renamed).toMatchObject({ sshKeyId, name: 'Renamed', description: '' });
    expect(await owner.mutate('sshKey.update', { sshKeyId })).toEqual(renamed);
    expect(await owner.mutate('sshKey.update', { sshKeyId, name: '' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['name'],
    });
    expect(await owner.mutate('sshKey.remove', { sshKeyId })).toEqual(renamed);
    expect(await owner.query('sshKey.one', { sshKeyId })).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('stay while an application uses them, and the refusal tells how many', async () => {
    const {
      owner,
      database,
      place: { applicationId },
    } = await begin();
    const sshKeyId = textOf(await owner.mutate('sshKey.generate', { name: 'Deploy' }), 'sshKeyId');
    const { applications } = createStores(database);
    await applications.update({ applicationId }, { customGitSSHKeyId: sshKeyId });
    expect(await owner.mutate('sshKey.remove', { sshKeyId })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('1 application'),
    });
    await applications.update({ applicationId }, { customGitSSHKeyId: null });
    expect(await owner.mutate('sshKey.remove', { sshKeyId })).toMatchObject({ sshKeyId });
  });

  it('are changed by Owner and Admin, read by members who may; bad input is named', async () => {
    const { owner, admin, member, stranger, nobody, people } = await begin();
    const sshKeyId = textOf(await admin.mutate('sshKey.generate', { name: 'Deploy' }), 'sshKeyId');
    const reads = (client: InterfaceClient, id = sshKeyId): Promise<unknown>[] => [
      client.query('sshKey.one', { sshKeyId: id }),
    ];
    const changes = (client: InterfaceClient, id = sshKeyId): Promise<unknown>[] => [
      client.mutate('sshKey.update', { sshKeyId: id, name: 'x' }),
      client.mutate('sshKey.remove', { sshKeyId: id }),
    ];
    const creations = (client: InterfaceClient): Promise<unknown>[] => [
      client.mutate('sshKey.generate', { name: 'x' }),
      client.mutate('sshKey.create', { name: 'x', privateKey: 'x' }),
    ];
    for (const answer of await Promise.all([
      ...reads(nobody),
      ...changes(nobody),
      ...creations(nobody),
      nobody.query('sshKey.all'),
    ]))
      expect(answer).toMatchObject({ code: 'UNAUTHORIZED' });
    for (const answer of await Promise.all([
      ...reads(member),
      ...changes(member),
      ...creations(member),
      member.query('sshKey.all'),
    ]))
      expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all([...reads(stranger), ...changes(stranger)]))
      expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all([...reads(owner, 'nowhere'), ...changes(owner, 'nowhere')]))
      expect(answer).toMatchObject({ code: 'NOT_FOUND' });
    expect(await stranger.query('sshKey.all')).toEqual([]);
    await people.grant({ canAccessToSSHKeys: true });
    expect(await member.query('sshKey.all')).toEqual([shown]);
    for (const answer of await Promise.all([...changes(member), ...creations(member)]))
      expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    expect(await owner.mutate('sshKey.create', { name: 'x', privateKey: 'no key' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['privateKey'],
    });
    expect(await owner.mutate('sshKey.create', { name: '', privateKey: 'x' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['name'],
    });
    expect(await owner.mutate('sshKey.generate', { type: 'dsa' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['type'],
    });
  });
});
