import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hostReachOn, placesHere } from '../../../../test/http/host-reach.ts';
import { textOf, type InterfaceClient } from '../../../../test/http/interface-client.ts';
import { worlds, type World } from '../../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { homeOutgoing } from '../../../../test/integration/git/outgoing-fixture.ts';
import { createObjectStores } from '../../adapters/object-store/stores.ts';
import { systemClock } from '../../ports/clock.ts';
import { router } from '../../procedure/registry.ts';
import { destinationContract } from './contract.ts';
import { createDestinations } from './destination.ts';
import { destinationHandlers } from './handlers.ts';
import { createDestinationStore } from './store.ts';

const localRoot = join(tmpdir(), `berth-local-${process.pid}`);
const keys = { accessKey: 'hidden-access', secretAccessKey: 'hidden-secret' };
const settings = {
  name: 'Offsite',
  provider: 's3',
  bucket: 'backups',
  region: 'eu-central-1',
  endpoint: 'https://s3.example.com',
  path: 'berth',
};
const shown = {
  destinationId: expect.any(String),
  ...settings,
  hostKey: '',
  recipients: [],
  heldKeys: [],
  createdAt: expect.any(String),
};

eachDatabase('destinations', (test) => {
  const createWorld = worlds(test);
  const begin = (): Promise<World> =>
    createWorld((database) => {
      const hostReach = hostReachOn(database, ['/var/lib/berth']);
      const destinations = createDestinations(createDestinationStore(database), {
        clock: systemClock,
        localRoot,
        reachesHost: hostReach.reachesHost,
        realPath: (path) => placesHere(['/var/lib/berth']).real(path, 'path', 'would mix backups with'),
        openStore: createObjectStores({
          rclonePath: '/usr/bin/rclone',
          scratch: '/tmp',
          outgoing: homeOutgoing,
        }),
      });
      return [router('destination', destinationContract, destinationHandlers(destinations))];
    });

  it('are created, read, listed, changed and removed, their keys never shown', async () => {
    const { owner, stranger, database } = await begin();
    const created = await owner.mutate('destination.create', { ...settings, ...keys });
    expect(created).toEqual(shown);
    const destinationId = textOf(created, 'destinationId');
    expect(await owner.query('destination.one', { destinationId })).toEqual(created);
    const changes = { name: 'Elsewhere', endpoint: 'http://127.0.0.1:9000', path: null };
    expect(await owner.mutate('destination.update', { destinationId, ...changes, ...keys })).toEqual({
      ...shown,
      ...changes,
      path: '',
    });
    expect(await createDestinationStore(database).find({ destinationId })).toMatchObject(keys);
    const folder = await owner.mutate('destination.create', {
      name: 'Here',
      provider: 'local',
      path: '/srv/backups/',
    });
    expect(folder).toEqual({
      ...shown,
      name: 'Here',
      provider: 'local',
      bucket: '',
      region: '',
      endpoint: '',
      path: '/srv/backups',
    });
    expect(await owner.query('destination.all')).toMatchObject([{ name: 'Here' }, { name: 'Elsewhere' }]);
    expect(await owner.query('destination.all', { limit: 1 })).toMatchObject({
      items: [{ name: 'Here' }],
      nextCursor: textOf(folder, 'destinationId'),
    });
    expect(await stranger.query('destination.all')).toEqual([]);
    expect(
      await owner.mutate('destination.update', { destinationId, provider: 'local', path: '/srv/more' }),
    ).toMatchObject({ provider: 'local', bucket: '', endpoint: '', path: '/srv/more' });
    expect(await createDestinationStore(database).find({ destinationId })).toMatchObject({
      accessKey: '',
      secretAccessKey: '',
    });
    expect(await owner.mutate('destination.remove', { destinationId })).toMatchObject({
      destinationId,
      name: 'Elsewhere',
    });
    expect(await owner.query('destination.one', { destinationId })).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('may be SFTP servers, of which the host key is shown and the sign-in is not', async () => {
    const { owner, database } = await begin();
    const input = {
      name: 'Box',
      provider: 'sftp',
      endpoint: 'sftp://backup@box.example.com:2222/backups',
      secretAccessKey: 'two words',
      hostKey: '[box.example.com]:2222 ssh-ed25519 AAAAC3Nz\n',
    };
    const created = await owner.mutate('destination.create', input);
    expect(created).toEqual({
      ...shown,
      name: 'Box',
      provider: 'sftp',
      endpoint: input.endpoint,
      hostKey: 'ssh-ed25519 AAAAC3Nz',
      bucket: '',
      region: '',
      path: '',
    });
    const destinationId = textOf(created, 'destinationId');
    const sameServer = { destinationId, endpoint: 'sftp://backup@box.example.com:2222/other' };
    expect(await owner.mutate('destination.update', sameServer)).toMatchObject({
      endpoint: sameServer.endpoint,
    });
    expect(await createDestinationStore(database).find({ destinationId })).toMatchObject({
      secretAccessKey: 'two words',
    });
    for (const change of [
      { endpoint: 'sftp://backup@evil.example.com:2222' },
      { provider: 'b2', accessKey: 'a', bucket: 'abc' },
    ])
      expect(await owner.mutate('destination.update', { destinationId, ...change })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: ['secretAccessKey'],
      });
  });

  it('ask for their keys again with another endpoint', async () => {
    const { owner } = await begin();
    const destinationId = textOf(
      await owner.mutate('destination.create', { ...settings, ...keys }),
      'destinationId',
    );
    const endpoint = 'https://s3.evil.example';
    const refused = {
      code: 'BAD_REQUEST',
      fields: ['secretAccessKey'],
      message: expect.stringMatching(/was given for \S+, not for https:\/\/s3\.evil\.example/),
    };
    expect(await owner.mutate('destination.update', { destinationId, endpoint })).toMatchObject(refused);
    expect(await owner.mutate('destination.testConnection', { destinationId, endpoint })).toMatchObject(
      refused,
    );
    expect(await owner.mutate('destination.update', { destinationId, endpoint, ...keys })).toMatchObject({
      endpoint,
    });
    expect(await owner.mutate('destination.update', { destinationId, bucket: 'another' })).toMatchObject({
      bucket: 'another',
    });
  });

  it('are tested by an object that is written, read and removed again, after every refusal', async () => {
    const { owner } = await begin();
    const destinationId = textOf(
      await owner.mutate('destination.create', { ...settings, ...keys }),
      'destinationId',
    );
    const test = (input: object): Promise<unknown> => owner.mutate('destination.testConnection', input);
    const folder = await mkdtemp(join(tmpdir(), 'berth-destination-'));
    expect(await test({ provider: 'local', path: join(folder, 'new/one') })).toEqual({ success: true });
    expect(await readdir(join(folder, 'new/one'))).toEqual([]);
    await writeFile(join(folder, 'file'), '');
    expect(await test({ destinationId, provider: 'local', path: join(folder, 'file/below') })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('not a folder'),
    });
    await rm(folder, { recursive: true });
    // Nobody listens there.
    expect(await test({ ...settings, ...keys, endpoint: 'http://127.0.0.1:1' })).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('cannot be reached'),
    });
    expect(await test({ destinationId, bucket: null })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['bucket'],
    });
    expect(await test(settings)).toMatchObject({ code: 'BAD_REQUEST', fields: ['accessKey'] });
    expect(await test({})).toMatchObject({ code: 'BAD_REQUEST', fields: ['accessKey'] });
    expect(await owner.query('destination.one', { destinationId })).toEqual(shown);
  });

  it('are for Owner and Admin of their organization; bad input is named', async () => {
    const { owner, admin, member, stranger, nobody } = await begin();
    const destinationId = textOf(
      await admin.mutate('destination.create', { ...settings, ...keys }),
      'destinationId',
    );
    const calls = (client: InterfaceClient, id = destinationId): Promise<unknown>[] => [
      client.query('destination.one', { destinationId: id }),
      ...['update', 'remove', 'testConnection'].map((name) =>
        client.mutate(`destination.${name}`, { destinationId: id }),
      ),
    ];
    const general = (client: InterfaceClient): Promise<unknown>[] => [
      client.query('destination.all'),
      client.mutate('destination.create', { ...settings, ...keys }),
    ];
    for (const answer of await Promise.all([...calls(nobody), ...general(nobody)]))
      expect(answer).toMatchObject({ code: 'UNAUTHORIZED' });
    for (const answer of await Promise.all([...calls(member), ...general(member)]))
      expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all(calls(stranger)))
      expect(answer).toMatchObject({ code: 'FORBIDDEN' });
    for (const answer of await Promise.all(calls(owner, 'nowhere')))
      expect(answer).toMatchObject({ code: 'NOT_FOUND' });
    for (const [field, value] of [
      ['name', ''],
      ['name', 3],
      ['provider', 'ftp'],
      ['bucket', '../x'],
      ['region', 'a b'],
      ['endpoint', 's3.example.com'],
      ['path', '../x'],
      ['accessKey', 'a b'],
      ['secretAccessKey', 'a\nb'],
    ] as const) {
      expect(
        await owner.mutate('destination.create', { ...settings, ...keys, [field]: value }),
      ).toMatchObject({ code: 'BAD_REQUEST', fields: [field] });
      expect(await owner.mutate('destination.update', { destinationId, [field]: value })).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
    }
    for (const field of ['name', 'provider', 'bucket', 'endpoint'])
      expect(
        await owner.mutate('destination.create', { ...settings, ...keys, [field]: undefined }),
      ).toMatchObject({ code: 'BAD_REQUEST', fields: [field] });
    expect(
      await owner.mutate('destination.update', {
        destinationId,
        provider: 'local',
        path: '/var/lib/berth/x',
      }),
    ).toMatchObject({ code: 'FORBIDDEN', message: expect.stringContaining('path: ') });
    expect(await owner.query('destination.one', { destinationId })).toEqual(shown);
  });
});
