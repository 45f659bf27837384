/**
 * A tenant runs another organization's image: one of a private registry, one by the beginning of its id, one
 * that Berth built, one that was loaded by hand, one whose registry does not answer.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tableStore } from '../../server/src/db/table-store.ts';
import { randomId } from '../../server/src/ports/clock.ts';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { growingPause } from '../bed/machine/pauses.ts';
import type { Registries } from '../bed/registry.ts';
import { project } from '../e2e/fixtures/berth-host.ts';
import { valueOf, type Call } from '../e2e/fixtures/caller.ts';
import { createRepository, repositoriesFolder } from '../e2e/fixtures/repository.ts';
import { docker, output } from '../e2e/fixtures/applications.ts';
import { textOf } from '../http/interface-client.ts';
import { attackTable, leavesOutWall } from './support/attack.ts';
import type { Outcome } from './support/rows.ts';
import { attackedHost, type Attacked, type Party } from './support/fixture.ts';

/** In the image, for nobody outside its organization. */
const loot = 'the-other-organization-s-own-secret';
const sayIt = ['node', '-e', 'console.log(process.env.LOOT)'];
const handmade = 'handmade/tools:1';
const table = attackTable("another organization's image");

interface Prey {
  /** In a registry with a login, and on the server since its owner deployed it. */
  private: string;
  /** The same, as the beginning of its id. */
  idPrefix: string;
  /** What Berth built for its owner. */
  built: string;
  /** On the server, of a registry that nobody runs. */
  away: string;
}
let world: Attacked;
let registries: Registries;
let prey: Prey;

beforeAll(async () => {
  const bed = await bedOfRun();
  registries = await bed.registries();
  world = await attackedHost(bed, 'image-attacks', 44);
  await valueOf(
    world.installation.owner('settings.update', {
      localRepositoryPaths: [repositoriesFolder],
      buildsConcurrency: 4,
      allowedPrivateNetworks: [`${registries.secured.replace(/:.*$/, '')}/32`],
    }),
  );
  prey = await makePrey();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

/** Deployed by the installation's organization, as it has every right to. */
async function makePrey(): Promise<Prey> {
  const { secured, username, password } = registries;
  const { host } = world.berth;
  const image = `${secured}/team/private:1`;
  const away = `${secured.replace(/:.*$/, '')}:9/team/away:1`;
  const made = await output(host, docker, 'create', 'berth/node:24');
  for (const name of [image, away, handmade])
    await output(host, docker, 'commit', '--change', `ENV LOOT=${loot}`, made, name);
  await output(host, docker, 'rm', made);
  await output(host, docker, 'login', '--username', username, '--password', password, secured);
  await output(host, docker, 'push', image);
  await output(host, docker, 'logout', secured);
  await output(host, docker, 'rmi', image);
  const owner = world.installation.owner;
  const ofImage = await application(owner, world.installation);
  await valueOf(
    owner('application.saveContainerProvider', {
      applicationId: ofImage,
      containerImage: image,
      registryUrl: secured,
      username,
      password,
    }),
  );
  expect(await looted(owner, ofImage)).toEqual({ succeeded: true, said: loot });
  const ofSource = await application(owner, world.installation);
  const repository = await createRepository(host, `prey-${randomId(6)}`, {
    Dockerfile: `FROM berth/node:24\nENV LOOT=${loot}\nCMD ["node", "-e", "setInterval(() => {}, 1000)"]\n`,
  });
  const git = { customGitUrl: repository.url, customGitBranch: 'main' };
  await valueOf(owner('application.saveGitProvider', { applicationId: ofSource, ...git }));
  await valueOf(owner('application.saveBuildType', { applicationId: ofSource, buildType: 'dockerfile' }));
  expect(await looted(owner, ofSource)).toEqual({ succeeded: true, said: loot });
  return {
    private: image,
    idPrefix: (await output(host, docker, 'image', 'inspect', '--format', '{{.Id}}', image)).slice(0, 19),
    built:
      (await output(host, docker, 'images', '--format', '{{.Repository}}:{{.Tag}}', 'berth-build/*')).split(
        '\n',
      )[0] ?? '',
    away,
  };
}

const newName = (): string =>
  `thief-${randomId(8)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, 'x')}`;

/** One that says what it finds before its release; its words stand in the deployment's log. */
async function application(by: Call, { environmentId }: Party): Promise<string> {
  const name = newName();
  const made = await valueOf(by('application.create', { name, appName: name, environmentId }));
  const applicationId = textOf(made, 'applicationId');
  await valueOf(
    by('application.update', {
      applicationId,
      preReleaseCommand: sayIt,
      command: 'node',
      args: ['-e', 'setInterval(() => {}, 1000)'],
    }),
  );
  return applicationId;
}

/** Deploys the application, and gives what its newest deployment came to. */
async function looted(by: Call, applicationId: string): Promise<Outcome> {
  await valueOf(by('application.deploy', { applicationId }));
  return outcomeOf(by, { applicationId });
}

async function outcomeOf(by: Call, service: object): Promise<Outcome> {
  const all = await valueOf(by('deployment.all', service));
  const deploymentId = textOf(Array.isArray(all) ? all[0] : undefined, 'deploymentId');
  const pause = growingPause();
  for (const end = Date.now() + 300_000; Date.now() < end; await pause()) {
    const deployment = await valueOf(by('deployment.one', { deploymentId }));
    const status = textOf(deployment, 'status');
    if (status === 'done' || status === 'error' || status === 'cancelled') {
      const log = JSON.stringify(await valueOf(by('deployment.readLogs', { deploymentId })));
      const error =
        typeof deployment === 'object' && deployment !== null && 'errorMessage' in deployment
          ? String(deployment.errorMessage)
          : '';
      // The command that is logged does not hold it, only what the image says.
      return log.includes(loot) ? { succeeded: true, said: loot } : { succeeded: false, said: error };
    }
  }
  throw new Error(`The deployment ${deploymentId} did not end.`);
}

/** By way of the interface. */
async function byName(image: string): Promise<Outcome> {
  const { owner } = world.tenant;
  const applicationId = await application(owner, world.tenant);
  await valueOf(owner('application.saveContainerProvider', { applicationId, containerImage: image }));
  return looted(owner, applicationId);
}

/** As a record that an older version took. */
async function byRecord(image: string): Promise<Outcome> {
  const { owner } = world.tenant;
  const applicationId = await application(owner, world.tenant);
  await valueOf(owner('application.saveContainerProvider', { applicationId, containerImage: 'other:1' }));
  await tableStore(world.database, 'application').update({ applicationId }, { containerImage: image });
  return looted(owner, applicationId);
}

async function byCompose(image: string, policy: string): Promise<Outcome> {
  const { member, environmentId, owner } = world.tenant;
  const name = newName();
  const made = await valueOf(owner('compose.create', { name, appName: name, environmentId }));
  const composeId = textOf(made, 'composeId');
  const command = JSON.stringify(sayIt);
  const composeFile =
    `services:\n  thief:\n    image: ${image}\n    restart: "no"\n    pull_policy: ${policy}\n` +
    `    command: ${command}\n`;
  await valueOf(owner('compose.update', { composeId, composeFile }));
  await valueOf(member('compose.deploy', { composeId }));
  return outcomeOf(owner, { composeId });
}

/** As the base of a build of its own. */
async function byBuild(image: string): Promise<Outcome> {
  const { owner } = world.tenant;
  const applicationId = await application(owner, world.tenant);
  await valueOf(owner('application.saveBuildType', { applicationId, buildType: 'dockerfile' }));
  const Dockerfile = `FROM ${image}\nCMD ["node", "-e", "setInterval(() => {}, 1000)"]\n`;
  await valueOf(owner('application.dropDeployment', { applicationId }, 'b', { Dockerfile }));
  return outcomeOf(owner, { applicationId });
}

const attacks: Readonly<Record<string, () => Promise<Outcome>>> = {
  'an application of the private image, without its password': () => byName(prey.private),
  'a compose service of it, which pulls nothing': () => byCompose(prey.private, 'never'),
  'a compose service of it, which pulls what is missing': () => byCompose(prey.private, 'missing'),
  'an application of it by the beginning of its id': () => byRecord(prey.idPrefix),
  'an application of what Berth built for others': () => byRecord(prey.built),
  'a build that begins from the private image': () => byBuild(prey.private),
  'a build that begins from what Berth built for others': () => byBuild(prey.built),
  'a build that begins from an image that was loaded by hand': () => byBuild(handmade),
  'an application of an image that was loaded by hand': () => byName(handmade),
  'an application of an image whose registry does not answer': () => byName(prey.away),
};

describe('with the walls as built', () => {
  it.each(Object.entries(attacks))('%s: held', async (attack, run) => {
    expect(await table.note(attack, 'as built', run())).toMatchObject({
      succeeded: false,
      said: expect.stringMatching(
        /serves to this organization|has not pulled|is the id of an image|Berth built|^The base image/,
      ),
    });
  });

  it('an id, and what Berth built, is refused as input', async () => {
    const { owner } = world.tenant;
    const applicationId = await application(owner, world.tenant);
    for (const containerImage of [prey.idPrefix, prey.built]) {
      const answer = await owner('application.saveContainerProvider', { applicationId, containerImage });
      expect(answer).toMatchObject({ status: 400 });
      expect(JSON.stringify(answer.body)).toContain('containerImage');
    }
  });

  it('what the installation shares runs without a registry', async () => {
    const { owner } = world.installation;
    await valueOf(owner('settings.update', { sharedImages: ['berth/', 'handmade/tools'] }));
    expect(await byName(handmade)).toEqual({ succeeded: true, said: loot });
    await valueOf(owner('settings.update', { sharedImages: ['berth/'] }));
  });
});

describe.runIf(leavesOutWall(import.meta.url))('without the wall between images', () => {
  beforeAll(async () => {
    await world.berth.stop();
    await world.berth.start({}, `${project}/test/attacks/without/image-wall.ts`);
  });

  it.each(Object.entries(attacks))('%s: succeeds', async (attack, run) => {
    expect(await table.note(attack, 'left out', run())).toEqual({ succeeded: true, said: loot });
  });
});
