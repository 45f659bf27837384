import { expect, it } from 'vitest';
import { z } from 'zod';
import { clientOf } from '../../../test/http/interface-client.ts';
import { worlds, type World } from '../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../test/store/each-database.ts';
import { createStores } from '../composition/stores.ts';
import { AppError } from '../domain/errors.ts';
import { noGrants } from '../domain/access/permissions.ts';
import { mutation, query } from './procedure.ts';
import { router } from './registry.ts';

const open = { class: 'protected', resources: [] } as const;
const ofApplication = {
  class: 'protected',
  resources: [{ kind: 'application', field: 'applicationId' }],
} as const;
const withApplication = z.object({ applicationId: z.string().nullish() });
const done = z.object({ doneId: z.string() });

const contract = {
  keep: mutation({
    summary: 'Writes once',
    access: open,
    input: z.object({ name: z.string() }),
    output: done,
  }),
  keepTwice: mutation({
    summary: 'Writes twice',
    access: open,
    input: z.object({ name: z.string() }),
    output: done,
  }),
  keepBeside: mutation({
    summary: 'Answers with the id of something else first',
    access: open,
    input: z.object({ name: z.string() }),
    output: z.object({ placeId: z.string(), trialId: z.string() }),
  }),
  half: mutation({
    summary: 'Writes and then refuses',
    access: open,
    input: z.object({ name: z.string() }),
    output: done,
  }),
  refuseFirst: mutation({
    summary: 'Refuses before it writes',
    access: ofApplication,
    input: withApplication,
    output: done,
  }),
  plain: mutation({
    summary: 'Changes nothing in the database',
    access: ofApplication,
    input: withApplication,
    output: done,
  }),
  leaky: query({
    summary: 'Has more than its schema says',
    access: open,
    input: z.object({}),
    output: z.object({ shown: z.string() }),
  }),
  broken: query({
    summary: 'Answers what its schema does not allow',
    access: open,
    input: z.object({}),
    output: z.object({ shown: z.string() }),
  }),
  reach: mutation({
    summary: 'Names things in an object',
    access: {
      class: 'admin',
      resources: [
        { kind: 'user', field: 'userId' },
        { kind: 'project', field: 'grants.projects' },
        { kind: 'service', field: 'grants.services' },
      ],
    },
    input: z.object({
      userId: z.string().nullish(),
      grants: z
        .object({ projects: z.array(z.string()).optional(), services: z.array(z.string()).optional() })
        .optional(),
    }),
    output: done,
  }),
  actIn: mutation({
    summary: 'Acts in the organization named',
    access: {
      class: 'admin',
      resources: [{ kind: 'organization', field: 'place.organizationId' }],
      actsIn: 'place.organizationId',
    },
    input: z.object({ place: z.object({ organizationId: z.string() }) }),
    output: z.object({ organizationId: z.string(), role: z.string() }),
  }),
  found: mutation({
    summary: 'Writes its entry elsewhere',
    access: open,
    input: z.object({ organizationId: z.string() }),
    output: z.object({ organizationId: z.string() }),
  }),
  flat: query({
    summary: 'Refuses flatly',
    access: { class: 'admin', resources: ofApplication.resources, flatRefusal: 'Unauthorized' },
    input: withApplication,
    output: z.literal('welcome'),
  }),
  see: query({
    summary: 'Shows where it stands',
    access: ofApplication,
    input: withApplication,
    output: z.object({ scope: z.unknown(), role: z.string() }),
  }),
};

eachDatabase('the guard', (test) => {
  const createWorld = worlds(test);
  const begin = (): Promise<World> =>
    createWorld((database) => {
      const { settings } = createStores(database);
      return [
        router('trial', contract, {
          keep: ({ write }, { name }) =>
            write(async () => {
              await settings.put(name, 1);
              return { doneId: name };
            }),
          async keepTwice({ write }, { name }) {
            await write(() => settings.put(name, 1));
            return write(async () => {
              await settings.put(`${name} again`, 1);
              return { doneId: name };
            });
          },
          keepBeside: ({ write }, { name }) =>
            write(async () => {
              await settings.put(name, 1);
              return { placeId: 'elsewhere', trialId: name };
            }),
          half: ({ write }, { name }) =>
            write(async () => {
              await settings.put(name, 1);
              throw new AppError('CONFLICT', 'Half-way.');
            }),
          refuseFirst: async () => {
            throw new AppError('PRECONDITION_FAILED', 'Not now.');
          },
          plain: async () => ({ doneId: 'x' }),
          leaky: async () => Object.assign({ shown: 'this' }, { password: 'never this' }),
          broken: async () => ({ shown: JSON.parse('3') }),
          reach: async () => ({ doneId: 'x' }),
          actIn: async ({ actor }) => ({ organizationId: actor.organizationId, role: actor.role }),
          found: ({ write }, { organizationId }) =>
            write(async () => ({ organizationId }), { organizationId: (value) => value.organizationId }),
          flat: async () => 'welcome' as const,
          see: async ({ scope, actor }) => ({ scope, role: actor.role }),
        }),
      ];
    });
  const entriesOf = async ({ database, people }: World): Promise<string[]> =>
    (await createStores(database).audit.all(people.owner.organizationId))
      .map(({ procedure, outcome, resourceId }) => `${procedure} ${outcome} ${resourceId}`)
      .toSorted((left, right) => left.localeCompare(right));

  it('writes one audit entry with each change, in the same transaction', async () => {
    const world = await begin();
    await world.owner.mutate('trial.keep', { name: 'a' });
    await world.owner.mutate('trial.keepTwice', { name: 'b' });
    await world.owner.mutate('trial.keepBeside', { name: 'c' });
    await world.owner.mutate('trial.plain', { applicationId: world.place.applicationId });
    expect(await entriesOf(world)).toEqual([
      'trial.keep done a',
      'trial.keepBeside done c',
      'trial.keepTwice done null',
      `trial.plain done ${world.place.applicationId}`,
    ]);
  });

  it('takes a half-made change back and keeps the entry of its refusal', async () => {
    const world = await begin();
    expect(await world.owner.mutate('trial.half', { name: 'half' })).toMatchObject({ code: 'CONFLICT' });
    expect(
      await world.owner.mutate('trial.refuseFirst', { applicationId: world.place.applicationId }),
    ).toMatchObject({ code: 'PRECONDITION_FAILED' });
    expect(await createStores(world.database).settings.all()).toEqual({});
    expect(await entriesOf(world)).toEqual([
      'trial.half CONFLICT null',
      `trial.refuseFirst PRECONDITION_FAILED ${world.place.applicationId}`,
    ]);
  });

  it(
    'keeps the refusal of whoever reaches for what is not theirs, with what was named; an input that is ' +
      'none leaves no entry',
    async () => {
      const world = await begin();
      const { owner, member, place, foreign } = world;
      expect(await member.mutate('trial.reach', { userId: 'user-owner' })).toMatchObject({
        code: 'FORBIDDEN',
      });
      expect(await member.mutate('trial.reach', { userId: '\0' })).toMatchObject({ code: 'FORBIDDEN' });
      expect(await owner.mutate('trial.plain', { applicationId: foreign.applicationId })).toMatchObject({
        code: 'FORBIDDEN',
      });
      expect(await owner.mutate('trial.plain', { applicationId: 'nowhere' })).toMatchObject({
        code: 'NOT_FOUND',
      });
      expect(await owner.mutate('trial.plain', { applicationId: 7 })).toMatchObject({ code: 'BAD_REQUEST' });
      expect(await member.query('trial.see', { applicationId: place.applicationId })).toMatchObject({
        code: 'FORBIDDEN',
      });
      expect(await entriesOf(world)).toEqual(
        [
          `trial.plain FORBIDDEN ${foreign.applicationId}`,
          'trial.plain NOT_FOUND nowhere',
          'trial.reach FORBIDDEN null',
          'trial.reach FORBIDDEN user-owner',
        ].toSorted((left, right) => left.localeCompare(right)),
      );
    },
  );

  it('checks ids inside objects, of services of every kind and of users', async () => {
    const { owner, people, place, foreign } = await begin();
    expect(
      await owner.mutate('trial.reach', {
        userId: people.member.userId,
        grants: { projects: [place.projectId], services: [place.applicationId] },
      }),
    ).toEqual({ doneId: 'x' });
    for (const [input, code] of [
      [{ grants: { projects: [place.projectId, foreign.projectId] } }, 'FORBIDDEN'],
      [{ grants: { projects: ['nowhere'] } }, 'NOT_FOUND'],
      [{ grants: { services: [foreign.applicationId] } }, 'FORBIDDEN'],
      [{ grants: { services: [place.environmentId] } }, 'NOT_FOUND'],
      [{ userId: people.stranger.userId }, 'FORBIDDEN'],
      [{ userId: 'nobody' }, 'NOT_FOUND'],
    ] as const)
      expect(await owner.mutate('trial.reach', input)).toMatchObject({ code });
  });

  it('lets a session act in any organization of its user, and a key in its own only', async () => {
    const world = await begin();
    const { owner, database, people } = world;
    const [first, other] = [people.owner.organizationId, people.stranger.organizationId];
    const { users } = createStores(database);
    const session = await world.session(people.owner);
    const actIn = (organizationId: string) => ({ place: { organizationId } });
    for (const client of [owner, session]) {
      expect(await client.mutate('trial.actIn', actIn(first))).toEqual({
        organizationId: first,
        role: 'owner',
      });
      expect(await client.mutate('trial.actIn', actIn(other))).toMatchObject({ code: 'FORBIDDEN' });
      expect(await client.mutate('trial.actIn', actIn('nowhere'))).toMatchObject({ code: 'NOT_FOUND' });
    }
    await users.members.insert({
      memberId: 'm',
      organizationId: other,
      userId: 'user-owner',
      role: 'member',
      grants: noGrants,
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    expect(await session.mutate('trial.actIn', actIn(other))).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('Owner or Admin'),
    });
    await users.members.update({ memberId: 'm' }, { role: 'admin' });
    expect(await session.mutate('trial.actIn', actIn(other))).toEqual({
      organizationId: other,
      role: 'admin',
    });
    expect(await owner.mutate('trial.actIn', actIn(other))).toMatchObject({ code: 'FORBIDDEN' });
    const entries = await createStores(database).audit.all(other);
    expect(entries).toEqual([
      expect.objectContaining({ procedure: 'trial.actIn', outcome: 'done', userId: 'user-owner' }),
    ]);
  });

  it('writes the entry into the log of another organization when the change says so', async () => {
    const { owner, database, people } = await begin();
    await owner.mutate('trial.found', { organizationId: people.stranger.organizationId });
    expect(await createStores(database).audit.all(people.stranger.organizationId)).toEqual([
      expect.objectContaining({ procedure: 'trial.found', userId: 'user-owner' }),
    ]);
    expect(await createStores(database).audit.all(people.owner.organizationId)).toEqual([]);
  });

  it('takes a change back whose entry cannot be written', async () => {
    const world = await begin();
    await world.database.script('DROP TABLE "audit"');
    expect(await world.owner.mutate('trial.keep', { name: 'a' })).toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
    });
    expect(await createStores(world.database).settings.all()).toEqual({});
  });

  it('lets out only what the output schema says, and nothing that breaks it', async () => {
    const { owner, server } = await begin();
    expect(await owner.query('trial.leaky')).toEqual({ shown: 'this' });
    expect(await owner.query('trial.broken')).toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      message: expect.not.stringContaining('shown'),
    });
    expect(server.faults).toHaveLength(1);
  });

  it('refuses whoever is known in the flat shape where the procedure says so, and nobody else', async () => {
    const { owner, member, nobody, people, server, place, foreign } = await begin();
    expect(await owner.query('trial.flat', { applicationId: place.applicationId })).toBe('welcome');
    const narrow = clientOf(server, await people.newKey(people.owner, { permissions: { trial: ['write'] } }));
    for (const [client, input] of [
      [member, {}],
      [narrow, {}],
      [owner, { applicationId: foreign.applicationId }],
    ] as const) {
      expect(await client.query('trial.flat', input)).toEqual({
        code: 'Unauthorized',
        message: expect.any(String),
        fields: [],
      });
    }
    expect(await nobody.query('trial.flat')).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await owner.query('trial.flat', { applicationId: 3 })).toMatchObject({ code: 'BAD_REQUEST' });
    expect(await owner.query('trial.flat', { applicationId: 'nowhere' })).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('finds where a thing stands, and leaves out what is absent or null', async () => {
    const { owner, member, people, place, foreign } = await begin();
    const scope = {
      organizationId: people.owner.organizationId,
      projectId: place.projectId,
      environmentId: place.environmentId,
      serviceId: place.applicationId,
    };
    expect(await owner.query('trial.see', { applicationId: place.applicationId })).toEqual({
      scope,
      role: 'owner',
    });
    for (const input of [{}, { applicationId: null }])
      expect(await member.query('trial.see', input)).toMatchObject({ role: 'member' });
    expect(await owner.query('trial.see', { applicationId: '' })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await owner.query('trial.see', { applicationId: foreign.applicationId })).toMatchObject({
      code: 'FORBIDDEN',
    });
    for (const grants of [
      { accessedProjects: [place.projectId] },
      { accessedEnvironments: [place.environmentId] },
      { accessedServices: [place.applicationId] },
    ]) {
      await people.grant(grants);
      expect(await member.query('trial.see', { applicationId: place.applicationId })).toEqual({
        scope,
        role: 'member',
      });
    }
    await people.grant({ accessedServices: [foreign.applicationId] });
    expect(await member.query('trial.see', { applicationId: place.applicationId })).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await member.query('trial.see', { applicationId: foreign.applicationId })).toMatchObject({
      code: 'FORBIDDEN',
    });
  });
});
