import { expect, it } from 'vitest';
import { projectWorlds } from '../../../../test/http/worlds/project-world.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';

eachDatabase('revisions of environments', (test) => {
  const begin = projectWorlds(test);

  it('count each change, and refuse an update that names a stale one', async () => {
    const { owner, place } = await begin();
    const { environmentId } = place;
    const update = (patch: object): Promise<unknown> =>
      owner.mutate('environment.update', { environmentId, ...patch });
    expect(await owner.query('environment.one', { environmentId })).toMatchObject({ revision: 0 });
    expect(await update({ env: 'A=1', revision: 0 })).toMatchObject({ env: 'A=••••', revision: 1 });
    expect(await update({ env: 'B=1', revision: 0 })).toMatchObject({ code: 'CONFLICT' });
    expect(await update({ env: 'B=1', revision: 9 })).toMatchObject({ code: 'CONFLICT' });
    expect(await owner.query('environment.one', { environmentId })).toMatchObject({
      env: 'A=1',
      revision: 1,
    });
    expect(await update({ env: 'C=1' })).toMatchObject({ env: 'C=••••', revision: 2 });
    expect(await update({ env: 'D=1', revision: 1 })).toMatchObject({ code: 'CONFLICT' });
  });

  it('let one of several writers through who read the same', async () => {
    const { owner, place } = await begin();
    const { environmentId } = place;
    const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'];
    const answers = await Promise.all(
      names.map((name) =>
        owner.mutate('environment.update', { environmentId, env: `${name}=1`, revision: 0 }),
      ),
    );
    const refused = answers.filter((answer) => Reflect.get(Object(answer), 'code') === 'CONFLICT');
    const winner = names[answers.findIndex((answer) => Reflect.get(Object(answer), 'revision') === 1)];
    expect(refused).toHaveLength(names.length - 1);
    expect(await owner.query('environment.one', { environmentId })).toMatchObject({
      env: `${winner}=1`,
      revision: 1,
    });
  });

  it('count every one of several writers who name none', async () => {
    const { owner, place } = await begin();
    const { environmentId } = place;
    const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'];
    await Promise.all(
      names.map((name) => owner.mutate('environment.update', { environmentId, env: `${name}=1` })),
    );
    expect(await owner.query('environment.one', { environmentId })).toMatchObject({ revision: 8 });
  });
});
