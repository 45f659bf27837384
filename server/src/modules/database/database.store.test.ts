import { plainBackup, plainDestination } from '../../../../test/world/plain-destination.ts';
import { expect, it } from 'vitest';
import { afterChange } from '../../../../test/http/after-change.ts';
import { databaseWorlds, documented, inputOf } from '../../../../test/http/worlds/database-world.ts';
import { textOf, type InterfaceClient } from '../../../../test/http/interface-client.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { createStores } from '../../composition/stores.ts';
import { tableStore } from '../../db/table-store.ts';
import { databaseIds, databaseKindNames, type DatabaseKindName } from '../../domain/database-kind.ts';
import { databaseKind, databaseKinds } from './kinds.ts';

const generated: unknown = expect.stringMatching(/^[a-zA-Z0-9]{32}$/);
const patternRefuses = ['a b', 'a"b', "a'b", 'a/b', 'a\\b', 'a!b', 'a$b', 'a`b', 'é', 'a\nb'];
const patternTakes = 'aZ9@#%^&*()_+-=[]{}|;:,.<>?~';

eachDatabase('databases', (test) => {
  const begin = databaseWorlds(test);

  it.each(databaseKindNames)('%s: is created, read, changed, moved and removed as a record', async (kind) => {
    const world = await begin();
    const { owner, place, foreign } = world;
    const { image, own } = documented[kind];
    const { id } = databaseKinds[kind];
    const { databaseRootPassword: root, ...shownOwn } = { databaseRootPassword: undefined, ...own };
    const created = await owner.mutate(`${kind}.create`, inputOf(kind, world));
    const answer = {
      [id]: expect.any(String),
      name: 'Main',
      appName: `main-${kind}`,
      ...shownOwn,
      containerImage: image,
      ...(kind === 'mongo' ? { replicaSets: false } : {}),
      applicationStatus: 'idle',
      createdAt: expect.any(String),
    };
    expect(created).toEqual(answer);
    const subject = { [id]: textOf(created, id) };
    const record = {
      ...answer,
      ...(root === undefined ? {} : { databaseRootPassword: root }),
      description: '',
      databasePassword: 'Secret1',
      environmentId: place.environmentId,
      serverId: null,
      revision: expect.any(Number),
      env: '',
      command: null,
      args: [],
      externalPort: null,
      memoryLimit: null,
      memoryReservation: null,
      cpuLimit: null,
      cpuReservation: null,
      pidsLimit: null,
      dataVersion: null,
      formerVolumes: [],
    };
    const environment = {
      environmentId: place.environmentId,
      name: 'production',
      projectId: place.projectId,
      project: {
        projectId: place.projectId,
        name: 'Shop',
        organizationId: world.people.owner.organizationId,
      },
    };
    expect(await owner.query(`${kind}.one`, subject)).toEqual({
      ...record,
      environment,
      mounts: [],
      backups: [],
      deployments: [],
      live: null,
      pendingChanges: [],
      connection: { internal: expect.stringContaining(`main-${kind}:`), external: null },
    });

    const patch = {
      name: 'Other',
      appName: `Other-${kind}`,
      description: 'text',
      containerImage: 'example/db:2',
      memoryReservation: '256m',
      memoryLimit: '1g',
      cpuReservation: '0.5',
      cpuLimit: '1.5',
      command: 'run "a b"',
      args: ['-x'],
    };
    expect(await owner.mutate(`${kind}.update`, { ...subject, ...patch })).toEqual(
      afterChange({ ...record, ...patch }),
    );
    const cleared = {
      description: null,
      memoryReservation: null,
      memoryLimit: null,
      cpuReservation: null,
      cpuLimit: null,
      command: null,
      args: null,
    };
    const now = { ...record, ...patch, ...cleared, description: '', args: [] };
    const shown = afterChange(now);
    expect(await owner.mutate(`${kind}.update`, { ...subject, ...cleared })).toEqual(shown);
    expect(await owner.mutate(`${kind}.update`, { ...subject })).toEqual(shown);
    // Passwords and variables are read with `one`.
    expect(await owner.query(`${kind}.one`, subject)).toMatchObject(now);
    // Only mongo has it; elsewhere it is an unknown field, and ignored.
    const hasReplicaSets = 'replicaSets' in record;
    for (const replicaSets of [true, false])
      expect(await owner.mutate(`${kind}.update`, { ...subject, replicaSets })).toEqual({
        ...shown,
        ...(hasReplicaSets ? { replicaSets } : {}),
      });
    expect(await owner.mutate(`${kind}.saveEnvironment`, { ...subject, env: 'A=1\nB="two words"' })).toEqual({
      ...shown,
      env: 'A=••••\nB=••••',
    });
    expect(await owner.mutate(`${kind}.saveEnvironment`, subject)).toMatchObject({ env: 'A=••••\nB=••••' });
    expect(await owner.query(`${kind}.one`, subject)).toMatchObject({
      env: 'A=1\nB="two words"',
    });
    expect(await owner.mutate(`${kind}.saveEnvironment`, { ...subject, env: null })).toEqual(shown);
    for (const applicationStatus of ['running', 'done', 'error', 'idle'])
      expect(await owner.mutate(`${kind}.changeStatus`, { ...subject, applicationStatus })).toEqual({
        ...shown,
        applicationStatus,
      });

    await createStores(world.database).environments.insert({
      environmentId: 'staging',
      organizationId: world.people.owner.organizationId,
      projectId: place.projectId,
      name: 'staging',
      description: '',
      env: '',
      isDefault: false,
      networkIndex: null,
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    expect(await owner.mutate(`${kind}.move`, { ...subject, targetEnvironmentId: 'staging' })).toEqual({
      ...shown,
      environmentId: 'staging',
    });
    expect(
      await owner.mutate(`${kind}.move`, { ...subject, targetEnvironmentId: foreign.environmentId }),
    ).toMatchObject({ code: 'FORBIDDEN' });
    expect(await owner.mutate(`${kind}.move`, { ...subject, targetEnvironmentId: 'nowhere' })).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await owner.mutate(`${kind}.remove`, subject)).toEqual({ ...shown, environmentId: 'staging' });
    expect(await owner.query(`${kind}.one`, subject)).toMatchObject({ code: 'NOT_FOUND' });
    expect(
      await owner.mutate(`${kind}.create`, { ...inputOf(kind, world), appName: `other-${kind}` }),
    ).toMatchObject({ appName: `other-${kind}` });
  });

  it.each(databaseKindNames)('%s: names the field of bad input', async (kind) => {
    const world = await begin();
    const { owner } = world;
    const { create, least, updateLeast, empty } = documented[kind];
    const { id } = databaseKinds[kind];
    const input = inputOf(kind, world);
    for (const field of create)
      expect(await owner.mutate(`${kind}.create`, { ...input, [field]: undefined }), field).toMatchObject({
        code: 'BAD_REQUEST',
        fields: [field],
      });
    for (const field of least)
      expect(await owner.mutate(`${kind}.create`, { ...input, [field]: '' }), field).toMatchObject({
        code: 'BAD_REQUEST',
        fields: expect.arrayContaining([field]),
      });
    for (const field of empty)
      expect(
        await owner.mutate(`${kind}.create`, { ...input, appName: `empty-${field}`, [field]: '' }),
        field,
      ).toMatchObject({ [field]: '' });
    const subject = { [id]: textOf(await owner.mutate(`${kind}.create`, input), id) };
    const texts = create.filter((field) => field !== 'environmentId' && field !== 'appName');
    for (const field of texts) {
      const answer = await owner.mutate(`${kind}.update`, { ...subject, [field]: '' });
      const taken = { [field]: field === 'databasePassword' ? '••••' : '' };
      expect(answer, field).toMatchObject(updateLeast ? { code: 'BAD_REQUEST', fields: [field] } : taken);
    }
    const faults: [string, unknown][] = [
      ['appName', 'a.b'],
      ['appName', '-a'],
      ['appName', 'a-'],
      ['appName', 'a'.repeat(64)],
      ['containerImage', 'A B'],
      ['containerImage', '--help'],
      ['memoryLimit', '512x'],
      ['cpuLimit', 'many'],
      ['command', 'run "a'],
      ['args', 'x'],
      ['externalPort', 0],
      ['externalPort', 65_536],
      ['externalPort', '5432'],
    ];
    for (const [field, value] of faults)
      expect(
        await owner.mutate(`${kind}.update`, { ...subject, [field]: value }),
        `${field} ${String(value)}`,
      ).toMatchObject({ code: 'BAD_REQUEST', fields: expect.arrayContaining([field]) });
    expect(
      await owner.mutate(`${kind}.update`, { ...subject, memoryLimit: '512m', memoryReservation: '1g' }),
    ).toMatchObject({ code: 'BAD_REQUEST', fields: ['memoryReservation'] });
    expect(await owner.mutate(`${kind}.saveEnvironment`, { ...subject, env: '1 = x' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['env'],
    });
    expect(await owner.mutate(`${kind}.saveExternalPort`, subject)).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['externalPort'],
    });
    expect(
      await owner.mutate(`${kind}.changeStatus`, { ...subject, applicationStatus: 'sleeping' }),
    ).toMatchObject({ code: 'BAD_REQUEST', fields: ['applicationStatus'] });
  });

  it.each(databaseKindNames)(
    "%s: takes passwords by the document's pattern; an empty one is generated",
    async (kind) => {
      const world = await begin();
      const { owner } = world;
      const { id } = databaseKinds[kind];
      const fields =
        kind === 'mariadb' || kind === 'mysql'
          ? ['databasePassword', 'databaseRootPassword']
          : ['databasePassword'];
      for (const [index, field] of fields.entries()) {
        for (const password of patternRefuses) {
          const answer = await owner.mutate(`${kind}.create`, {
            ...inputOf(kind, world),
            appName: `p${patternRefuses.indexOf(password)}`,
            [field]: password,
          });
          expect(answer, password).toMatchObject(
            kind === 'redis' && !password.includes('\n')
              ? { name: 'Main' }
              : { code: 'BAD_REQUEST', fields: [field] },
          );
        }
        const one = async (appName: string, password: string): Promise<unknown> =>
          owner.query(`${kind}.one`, {
            [id]: textOf(
              await owner.mutate(`${kind}.create`, { ...inputOf(kind, world), appName, [field]: password }),
              id,
            ),
          });
        expect(await one(`taken-${index}`, patternTakes)).toMatchObject({ [field]: patternTakes });
        expect(await one(`made-${index}`, '')).toMatchObject({ [field]: generated });
      }
    },
  );

  it.each(databaseKindNames)('%s: refuses what there is nothing to do it with', async (kind) => {
    const world = await begin();
    const { owner, database, people } = world;
    const { id } = databaseKinds[kind];
    const databaseId = textOf(await owner.mutate(`${kind}.create`, inputOf(kind, world)), id);
    const subject = { [id]: databaseId };
    const own = { ...subject, appName: `main-${kind}` };
    expect(await owner.mutate(`${kind}.reload`, { ...subject, appName: 'another' })).toMatchObject({
      code: 'BAD_REQUEST',
      fields: ['appName'],
    });
    for (const [name, input] of [
      ['start', subject],
      ['reload', own],
    ] as const)
      expect(await owner.mutate(`${kind}.${name}`, input)).toMatchObject({
        code: 'PRECONDITION_FAILED',
        message: expect.stringContaining('deploy first'),
      });
    const stores = createStores(database);
    expect(await owner.mutate(`${kind}.upgrade`, { ...subject, containerImage: 'x:99' })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('deploy first'),
    });
    await stores.databases.update(
      { databaseId },
      {
        releasedAppName: `main-${kind}`,
        dataVersion: '6.2',
        formerVolumes: [{ volumeName: 'former', dataVersion: '5', containerImage: 'x', since: '' }],
      },
    );
    expect(await owner.mutate(`${kind}.stop`, subject)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expectMajorKept(owner, kind, subject);
    expect(
      await owner.mutate(`${kind}.removeFormerVolume`, { ...subject, volumeName: 'another' }),
    ).toMatchObject({ code: 'BAD_REQUEST', fields: ['volumeName'] });
    expect(
      await owner.mutate(`${kind}.removeFormerVolume`, { ...subject, volumeName: 'former' }),
    ).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await owner.mutate(`${kind}.update`, { ...subject, databasePassword: 'Other1' })).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(await owner.query(`${kind}.one`, subject)).toMatchObject({ databasePassword: 'Secret1' });
    await stores.databases.update({ databaseId }, { isStopped: true });
    expect(await owner.mutate(`${kind}.update`, { ...subject, databasePassword: 'Other1' })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining(`${kind}.start`),
    });
    expect(await owner.query(`${kind}.one`, subject)).toMatchObject({
      applicationStatus: 'running',
      deployments: [
        { kind: 'upgrade', status: 'queued', image: `${kind}:7`, databaseId, applicationId: null },
      ],
    });
    const { organizationId } = people.owner;
    await tableStore(database, 'destination').insert({
      ...plainDestination,
      destinationId: 'd',
      organizationId,
      name: 'd',
    });
    const row = {
      ...plainBackup,
      backupId: 'b',
      organizationId,
      databaseId,
      databaseType: kind,
      destinationId: 'd',
    };
    const hasBackups = databaseKind(kind).manualBackup !== undefined;
    if (hasBackups) await tableStore(database, 'backup').insert(row);
    expect(await owner.query(`${kind}.one`, subject)).toMatchObject({
      backups: hasBackups ? [{ backupId: 'b', ...databaseIds(kind, databaseId), schedule: '@daily' }] : [],
    });
    // What is stored goes first, or nothing does. And the engine may have something of what was deployed.
    expect(await owner.mutate(`${kind}.remove`, { ...subject, deleteBackups: true })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: 'The destination is full of water.',
    });
    expect(await owner.mutate(`${kind}.remove`, subject)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await stores.deployments.remove({ databaseId });
    expect(await owner.mutate(`${kind}.remove`, subject)).toMatchObject(subject);
    expect(await tableStore(database, 'backup').list({ databaseId })).toEqual([]);
  });
});

async function expectMajorKept(
  owner: InterfaceClient,
  kind: DatabaseKindName,
  subject: object,
): Promise<void> {
  const refused = { code: 'PRECONDITION_FAILED', message: expect.stringContaining(`${kind}.upgrade`) };
  expect(await owner.mutate(`${kind}.update`, { ...subject, containerImage: `${kind}:7.1` })).toMatchObject(
    refused,
  );
  for (const name of ['deploy', 'rebuild'])
    expect(await owner.mutate(`${kind}.${name}`, subject)).toMatchObject(refused);
  // Of an image that does not tell its version nothing is known until it is here.
  expect(
    await owner.mutate(`${kind}.update`, { ...subject, containerImage: 'registry.example.com/our/base:2' }),
  ).toMatchObject({ containerImage: 'registry.example.com/our/base:2' });
  for (const [image, why] of [
    [`${kind}:6`, `Set it with ${kind}.update`],
    [`library/${kind}:5.1`, 'a server cannot run on data of a newer version'],
  ] as const) {
    expect(await owner.mutate(`${kind}.upgrade`, { ...subject, containerImage: image })).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining(why),
    });
  }
  expect(await owner.mutate(`${kind}.upgrade`, { ...subject, containerImage: `${kind}:7` })).toMatchObject({
    applicationStatus: 'running',
  });
}
