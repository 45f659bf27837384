/** A repository of a folder that the installation allows names others of the machine as its submodules. */
import { beforeAll, describe, expect, it } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { project } from '../e2e/fixtures/berth-host.ts';
import { valueOf } from '../e2e/fixtures/caller.ts';
import { createRepository, repositoriesFolder, type Repository } from '../e2e/fixtures/repository.ts';
import { textOf } from '../http/interface-client.ts';
import { attackTable, leavesOutWall } from './support/attack.ts';
import type { Outcome } from './support/rows.ts';
import { lootOf, newName } from './support/deployments.ts';
import { sharedHost, type Attacked } from './support/fixture.ts';

const loot = 'for-no-repository-s-eyes';
const openGit = '/usr/local/bin/git-of-all-folders';
const table = attackTable('local repositories');
let world: Attacked;
/** Beside the folder that is allowed. */
let vault: Repository;

beforeAll(async () => {
  world = await sharedHost(await bedOfRun());
  const { host } = world.berth;
  vault = await createRepository(host, 'vault/secret', { secret: `${loot}\n` });
  const script = '#!/bin/sh\nexec /usr/bin/git -c protocol.file.allow=always "$@"\n';
  await host.exec(['sh', '-c', 'printf %s "$1" > "$2"; chmod 755 "$2"', 'sh', script, openGit]);
  await valueOf(
    world.installation.owner('settings.update', {
      localRepositoryPaths: [`${repositoriesFolder}/open`],
      buildsConcurrency: 4,
    }),
  );
});

/** Builds an image that says what the submodule holds. */
async function bySubmodule(url: string): Promise<Outcome> {
  const { owner, environmentId } = world.installation;
  const name = newName();
  const repository = await createRepository(world.berth.host, `open/${name}`, {
    // Named, since a cached step says nothing.
    Dockerfile: `FROM berth/node:24\nCOPY sub/secret /secret\nRUN echo ${name} && cat /secret\n`,
  });
  await repository.addSubmodule(vault, 'sub');
  await repository.commit({ '.gitmodules': `[submodule "sub"]\n path = sub\n url = ${url}\n` });
  const made = await valueOf(owner('application.create', { name, appName: name, environmentId }));
  const applicationId = textOf(made, 'applicationId');
  const git = { customGitUrl: repository.url, customGitBranch: 'main', enableSubmodules: true };
  await valueOf(owner('application.saveGitProvider', { applicationId, ...git }));
  await valueOf(owner('application.saveBuildType', { applicationId, buildType: 'dockerfile' }));
  await valueOf(owner('application.deploy', { applicationId }));
  return lootOf(owner, { applicationId }, loot);
}

const attacks: Readonly<Record<string, () => Promise<Outcome>>> = {
  'names a repository outside of the allowed folder': () => bySubmodule(`file://${vault.path}`),
  'names it by a path alone': () => bySubmodule(vault.path),
  'names it relative to its own': () => bySubmodule('../../vault/secret.git'),
};

describe('with the walls as built', () => {
  it.each(Object.entries(attacks))('%s: held', async (attack, run) => {
    expect(await table.note(attack, 'as built', run())).toMatchObject({
      succeeded: false,
      said: expect.stringContaining('submodule'),
    });
  });

  it('a repository outside of the folder is no source either', async () => {
    const { owner, environmentId } = world.installation;
    const name = newName();
    const made = await valueOf(owner('application.create', { name, appName: name, environmentId }));
    const git = { customGitUrl: vault.url, customGitBranch: 'main' };
    const applicationId = textOf(made, 'applicationId');
    expect((await owner('application.saveGitProvider', { applicationId, ...git })).status).toBe(400);
  });
});

describe.runIf(leavesOutWall(import.meta.url))('with a git that fetches from any folder', () => {
  beforeAll(async () => {
    await world.berth.stop();
    await world.berth.start({}, `${project}/test/attacks/without/git-rules.ts`);
  });

  it.each(Object.entries(attacks))('%s: succeeds', async (attack, run) => {
    expect(await table.note(attack, 'left out', run())).toEqual({ succeeded: true, said: loot });
  });
});
