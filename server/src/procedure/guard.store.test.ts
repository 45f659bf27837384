import { expect, it } from 'vitest';
import { z } from 'zod';
import { worlds, type World } from '../../../test/http/world.ts';
import { eachDatabase } from '../../../test/store/each-database.ts';
import { createStores } from '../composition/stores.ts';
import { AppError } from '../domain/errors.ts';
import { mutation, query } from './procedure.ts';
import { router } from './registry.ts';

const open = { class: 'protected', resources: [] } as const;
const ofApplication = { class: 'protected', resources: [{ kind: 'application', field: 'applicationId' }] } as const;
const withApplication = z.object({ applicationId: z.string().nullish() });
const done = z.object({ doneId: z.string() });

const contract = {
  keep: mutation({ summary: 'Writes once', access: open, input: z.object({ name: z.string() }), output: done }),
  keepTwice: mutation({ summary: 'Writes twice', access: open, input: z.object({ name: z.string() }), output: done }),
  half: mutation({ summary: 'Writes and then refuses', access: open, input: z.object({ name: z.string() }), output: done }),
  refuseFirst: mutation({ summary: 'Refuses before it writes', access: ofApplication, input: withApplication, output: done }),
  plain: mutation({ summary: 'Changes nothing in the database', access: ofApplication, input: withApplication, output: done }),
  leaky: query({ summary: 'Has more than its schema says', access: open, input: z.object({}), output: z.object({ shown: z.string() }) }),
  broken: query({ summary: 'Answers what its schema does not allow', access: open, input: z.object({}), output: z.object({ shown: z.string() }) }),
  see: query({ summary: 'Shows where it stands', access: ofApplication, input: withApplication, output: z.object({ scope: z.unknown(), role: z.string() }) }),
};

eachDatabase('the guard', (test) => {
  const createWorld = worlds(test);
  const begin = (): Promise<World> => createWorld((database) => {
    const { settings } = createStores(database);
    return [router('trial', contract, {
      keep: ({ write }, { name }) => write(async () => {
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
      half: ({ write }, { name }) => write(async () => {
        await settings.put(name, 1);
        throw new AppError('CONFLICT', 'Half-way.');
      }),
      refuseFirst: async () => {
        throw new AppError('PRECONDITION_FAILED', 'Not now.');
      },
      plain: async () => ({ doneId: 'x' }),
      leaky: async () => Object.assign({ shown: 'this' }, { password: 'never this' }),
      broken: async () => ({ shown: JSON.parse('3') }),
      see: async ({ scope, actor }) => ({ scope, role: actor.role }),
    })];
  });
  const entriesOf = async ({ database, people }: World): Promise<string[]> =>
    (await createStores(database).audit.all(people.owner.organizationId)).map(({ procedure, outcome, resourceId }) => `${procedure} ${outcome} ${resourceId}`).toSorted((left, right) => left.localeCompare(right));

  it('writes one audit entry with each change, in the same transaction', async () => {
    const world = await begin();
    await world.owner.mutate('trial.keep', { name: 'a' });
    await world.owner.mutate('trial.keepTwice', { name: 'b' });
    await world.owner.mutate('trial.plain', { applicationId: world.place.applicationId });
    expect(await entriesOf(world)).toEqual(['trial.keep done a', 'trial.keepTwice done null', `trial.plain done ${world.place.applicationId}`]);
  });

  it('takes a half-made change back and keeps the entry of its refusal', async () => {
    const world = await begin();
    expect(await world.owner.mutate('trial.half', { name: 'half' })).toMatchObject({ code: 'CONFLICT' });
    expect(await world.owner.mutate('trial.refuseFirst', { applicationId: world.place.applicationId })).toMatchObject({ code: 'PRECONDITION_FAILED' });
    expect(await createStores(world.database).settings.all()).toEqual({});
    expect(await entriesOf(world)).toEqual(['trial.half CONFLICT null', `trial.refuseFirst PRECONDITION_FAILED ${world.place.applicationId}`]);
  });

  it('takes a change back whose entry cannot be written', async () => {
    const world = await begin();
    await world.database.script('DROP TABLE "audit"');
    expect(await world.owner.mutate('trial.keep', { name: 'a' })).toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
    expect(await createStores(world.database).settings.all()).toEqual({});
  });

  it('lets out only what the output schema says, and nothing that breaks it', async () => {
    const { owner, server } = await begin();
    expect(await owner.query('trial.leaky')).toEqual({ shown: 'this' });
    expect(await owner.query('trial.broken')).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', message: expect.not.stringContaining('shown') });
    expect(server.faults).toHaveLength(1);
  });

  it('finds where a thing stands, and leaves out what is absent or null', async () => {
    const { owner, member, people, place, foreign } = await begin();
    const scope = { organizationId: people.owner.organizationId, projectId: place.projectId, environmentId: place.environmentId, serviceId: place.applicationId };
    expect(await owner.query('trial.see', { applicationId: place.applicationId })).toEqual({ scope, role: 'owner' });
    for (const input of [{}, { applicationId: null }]) expect(await member.query('trial.see', input)).toMatchObject({ role: 'member' });
    expect(await owner.query('trial.see', { applicationId: '' })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await owner.query('trial.see', { applicationId: foreign.applicationId })).toMatchObject({ code: 'FORBIDDEN' });
    for (const grants of [{ accessedProjects: [place.projectId] }, { accessedEnvironments: [place.environmentId] }, { accessedServices: [place.applicationId] }]) {
      await people.grant(grants);
      expect(await member.query('trial.see', { applicationId: place.applicationId })).toEqual({ scope, role: 'member' });
    }
    await people.grant({ accessedServices: [foreign.applicationId] });
    expect(await member.query('trial.see', { applicationId: place.applicationId })).toMatchObject({ code: 'FORBIDDEN' });
    expect(await member.query('trial.see', { applicationId: foreign.applicationId })).toMatchObject({ code: 'FORBIDDEN' });
  });
});
