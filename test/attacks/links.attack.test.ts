/**
 * Whoever pushes to a repository leads Berth out of it by links: writing `.env` on the machine, reading its
 * files as a service's variables, copying its folders into a service.
 */
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

/** On the machine, for nobody's eyes. */
const folder = '/etc/berth-links';
const loot = 'the-machine-s-own-secret';
const table = attackTable('links of a repository');
let world: Attacked;

beforeAll(async () => {
  world = await sharedHost(await bedOfRun());
  await world.berth.host.exec(['mkdir', '-p', folder]);
  await world.berth.host.exec(['sh', '-c', `echo LOOT=${loot} > ${folder}/secret`]);
  await valueOf(
    world.installation.owner('settings.update', {
      localRepositoryPaths: [repositoriesFolder],
      buildsConcurrency: 4,
    }),
  );
});

/** A repository with a link in it. */
async function linked(link: string, target: string, files: Record<string, string>): Promise<Repository> {
  const name = newName();
  const { host } = world.berth;
  const repository = await createRepository(host, name, { 'README.md': 'A shop' });
  await host.exec(['ln', '-s', target, `${repositoriesFolder}/${name}-work/${link}`]);
  await repository.commit(files);
  return repository;
}

/** What its author deploys as a compose service that runs once and says what it finds. */
async function composed(repository: Repository): Promise<Outcome> {
  const { owner, environmentId } = world.installation;
  const name = newName();
  const made = await valueOf(owner('compose.create', { name, appName: name, environmentId }));
  const composeId = textOf(made, 'composeId');
  await valueOf(
    owner('compose.update', {
      composeId,
      sourceType: 'git',
      customGitUrl: repository.url,
      customGitBranch: 'main',
      composePath: 'compose.yml',
    }),
  );
  await valueOf(owner('compose.deploy', { composeId }));
  return lootOf(owner, { composeId }, loot);
}

const spying = (said: string, more: string): string =>
  'services:\n  spy:\n    image: berth/node:24\n    restart: "no"\n    pull_policy: never\n' +
  `    command: ["node", "-e", "console.log(${said})"]\n    ${more}\n`;

const attacks: Readonly<Record<string, () => Promise<Outcome>>> = {
  'has .env written on the machine through a linked build path': async () => {
    const { owner, environmentId } = world.installation;
    const { host } = world.berth;
    const name = newName();
    const repository = await linked('app', folder, { Dockerfile: 'FROM berth/node:24\n' });
    const made = await valueOf(owner('application.create', { name, appName: name, environmentId }));
    const applicationId = textOf(made, 'applicationId');
    const git = { customGitUrl: repository.url, customGitBranch: 'main', customGitBuildPath: '/app' };
    await valueOf(owner('application.saveGitProvider', { applicationId, ...git }));
    await valueOf(owner('application.saveBuildType', { applicationId, buildType: 'dockerfile' }));
    await valueOf(owner('application.update', { applicationId, createEnvFile: true, env: 'A=written' }));
    await valueOf(owner('application.deploy', { applicationId }));
    const { said } = await lootOf(owner, { applicationId }, loot);
    const { code, stdout } = await host.exec(['cat', `${folder}/.env`]);
    return code === 0 ? { succeeded: true, said: stdout } : { succeeded: false, said };
  },
  "has a file of the machine read as a service's variables": async () =>
    composed(
      await linked('stolen', `${folder}/secret`, {
        'compose.yml': spying('process.env.LOOT', 'env_file: stolen'),
      }),
    ),
  'has a folder of the machine copied into its service': async () =>
    composed(
      await linked('data', folder, {
        'compose.yml': spying(
          "require('fs').readFileSync('/data/secret','utf8')",
          'volumes: ["./data:/data:ro"]',
        ),
      }),
    ),
};

describe('with the walls as built', () => {
  it.each(Object.entries(attacks))('%s: held', async (attack, run) => {
    expect(await table.note(attack, 'as built', run())).toMatchObject({
      succeeded: false,
      said: expect.stringMatching(/points outside the source through the symbolic link/),
    });
  });
});

describe.runIf(leavesOutWall(import.meta.url))('without looking where links lead', () => {
  beforeAll(async () => {
    await world.berth.stop();
    await world.berth.start({}, `${project}/test/attacks/without/link-checks.ts`);
  });

  it.each(Object.entries(attacks))('%s: succeeds', async (attack, run) => {
    expect(await table.note(attack, 'left out', run())).toMatchObject({ succeeded: true });
  });
});
