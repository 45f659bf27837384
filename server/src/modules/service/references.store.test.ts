import { expect, it } from 'vitest';
import { databaseWorlds } from '../../../../test/http/worlds/database-world.ts';
import { textOf } from '../../../../test/http/interface-client.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { referringFields } from '../../procedure/input/references.ts';
import { contracts } from '../contracts.ts';

eachDatabase('references to services', (test) => {
  const begin = databaseWorlds(test);

  it('are saved by whoever reaches the service, and stay for whoever changes another variable', async () => {
    const { owner, member, people, place } = await begin();
    const { environmentId } = place;
    const create = async (name: string): Promise<string> =>
      textOf(
        await owner.mutate('redis.create', {
          name,
          appName: name,
          databasePassword: 'Secret1',
          environmentId,
        }),
        'redisId',
      );
    const [redisId, other] = [await create('mine'), await create('hidden')];
    await create('twin');
    const twin = await create('twin-2');
    await owner.mutate('redis.update', { redisId: twin, name: 'twin' });
    await people.grant({ accessedServices: [redisId, twin] });
    const save = (env: string): Promise<unknown> => member.mutate('redis.saveEnvironment', { redisId, env });

    expect(await save('A=${{hidden.URL}}')).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('env refers to ${{hidden.URL}}'),
    });
    // One that may come later, and one of two of the same name, are refused as well.
    for (const inner of [' hidden.PASSWORD ', 'to come.URL', 'twin.URL'])
      expect(await save(`A=x\nB="a \${{${inner}}}"`)).toMatchObject({ code: 'FORBIDDEN' });
    for (const env of ['A=$${{hidden.URL}}', 'A=${{mine.HOST}}', 'A=${{project.URL}}', 'A=${{NAME}}'])
      expect(await save(env)).toMatchObject({ redisId });

    await owner.mutate('redis.saveEnvironment', { redisId, env: 'A=${{hidden.URL}}' });
    expect(await save('A=${{hidden.URL}}\nB=1')).toMatchObject({ redisId });
    expect(await save('A=${{hidden.PASSWORD}}')).toMatchObject({ code: 'FORBIDDEN' });
    await people.grant({ accessedServices: [redisId, other] });
    expect(await save('A=${{hidden.PASSWORD}}')).toMatchObject({ redisId });
    await people.grant({ accessedEnvironments: [environmentId] });
    expect(await save('A=${{to come.URL}}')).toMatchObject({ redisId });
  });
});

it('are looked for in every field that holds variables, or a file in which they are put', () => {
  const holding = /^(env|.*Env|.*(buildArgs|buildSecrets|BuildArgs|BuildSecrets)|composeFile)$/;
  const wanted = Object.entries(contracts).flatMap(([router, contract]) =>
    Object.entries(contract).flatMap(([name, { kind, input }]) => {
      const shape: unknown = Reflect.get(input, 'shape');
      if (kind === 'query' || typeof shape !== 'object' || shape === null) return [];
      const fields = Object.keys(shape).filter((field) => holding.test(field) && !field.startsWith('remove'));
      return fields.map((field) => ({ path: `${router}.${name}.${field}`, isMarked: marked(input, field) }));
    }),
  );
  expect(wanted.length).toBeGreaterThan(20);
  expect(wanted.filter(({ isMarked }) => !isMarked)).toEqual([]);
});

function marked(input: Parameters<typeof referringFields>[0], field: string): boolean {
  return referringFields(input).includes(field);
}
