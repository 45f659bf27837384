import { expect, it } from 'vitest';
import { worlds } from '../../../test/http/worlds/world.ts';
import { eachDatabase } from '../../../test/store/each-database.ts';
import { createStores } from '../composition/stores.ts';
import { newApplication } from '../modules/application/defaults.ts';
import { migrations } from './migrations.ts';

eachDatabase('the upgrade of build contexts', (test) => {
  const createWorld = worlds(test);

  it('keeps the folder that each application builds from', async () => {
    const { people, place, database } = await createWorld(() => []);
    const { applications } = createStores(database);
    const cases = [
      { sourceType: 'git', customGitBuildPath: 'apps/api', buildPath: 'x', given: '.', kept: 'apps/api/.' },
      { sourceType: 'git', customGitBuildPath: '/', buildPath: 'x', given: 'docker', kept: 'docker' },
      { sourceType: 'git', customGitBuildPath: null, buildPath: 'x', given: 'docker', kept: 'docker' },
      { sourceType: 'github', customGitBuildPath: 'x', buildPath: '/web', given: 'ctx', kept: '/web/ctx' },
      { sourceType: 'drop', customGitBuildPath: null, buildPath: '', given: 'ctx', kept: 'ctx' },
      { sourceType: 'drop', customGitBuildPath: null, buildPath: 'web', given: null, kept: null },
    ] as const;
    for (const [index, { given, kept: _, ...source }] of cases.entries())
      await applications.insert({
        ...newApplication({
          organizationId: people.owner.organizationId,
          environmentId: place.environmentId,
          applicationId: `a${index}`,
          name: `a${index}`,
          appName: `a${index}`,
          description: '',
          refreshToken: `a${index}`,
          createdAt: '',
        }),
        ...source,
        customGitBuildPath: source.customGitBuildPath ?? '',
        containerContextPath: given,
      });
    const step = migrations.find(({ name }) => name === 'build contexts from the root of the repository');
    await database.script(step?.sql ?? '');
    for (const [index, { kept: expected }] of cases.entries())
      expect((await applications.find({ applicationId: `a${index}` }))?.containerContextPath).toBe(expected);
  });
});
