/** Somebody owns `berth` at the default registry, and a machine lacks an image that set-up makes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { project } from '../e2e/fixtures/berth-host.ts';
import { valueOf } from '../e2e/fixtures/caller.ts';
import { docker, output, until } from '../e2e/fixtures/applications.ts';
import { textOf } from '../http/interface-client.ts';
import { attackTable, leavesOutWall } from './support/attack.ts';
import type { Outcome } from './support/rows.ts';
import { lootOf, newName } from './support/deployments.ts';
import { attackedHost, type Attacked } from './support/fixture.ts';

const loot = 'runs-what-a-stranger-published';
/** As set-up would name one. */
const image = 'berth/tools:1';
const table = attackTable("images of Berth's own names");
let world: Attacked;

beforeAll(async () => {
  const bed = await bedOfRun();
  const { open } = await bed.registries();
  world = await attackedHost(bed, 'own-images', 56);
  const { host } = world.berth;
  // The stranger's, where the default registry is asked first: nothing leaves this machine.
  const made = await output(host, docker, 'create', 'berth/node:24');
  await output(host, docker, 'commit', '--change', `ENV LOOT=${loot}`, made, `${open}/${image}`);
  await output(host, docker, 'rm', made);
  await output(host, docker, 'push', `${open}/${image}`);
  await output(host, docker, 'rmi', `${open}/${image}`);
  const mirrors = JSON.stringify({ 'registry-mirrors': [`http://${open}`] });
  await output(host, 'sh', '-ec', 'printf %s "$1" > /etc/docker/daemon.json', 'sh', mirrors);
  await output(host, 'sh', '-ec', 'kill -HUP "$(cat /run/docker.pid)"');
  await until('the engine asks there first', async () =>
    (await output(host, docker, 'info', '--format', '{{.RegistryConfig.Mirrors}}')).includes(open),
  );
});
afterAll(() => world[Symbol.asyncDispose]());

const attacks: Readonly<Record<string, () => Promise<Outcome>>> = {
  'an application of it is pulled': async () => {
    const { owner, environmentId } = world.tenant;
    const name = newName();
    const made = await valueOf(owner('application.create', { name, appName: name, environmentId }));
    const applicationId = textOf(made, 'applicationId');
    await valueOf(owner('application.saveContainerProvider', { applicationId, containerImage: image }));
    await valueOf(
      owner('application.update', {
        applicationId,
        preReleaseCommand: ['node', '-e', 'console.log(process.env.LOOT)'],
        command: 'node',
        args: ['-e', 'setInterval(() => {}, 1000)'],
      }),
    );
    await valueOf(owner('application.deploy', { applicationId }));
    return lootOf(owner, { applicationId }, loot);
  },
  'a compose service of it is pulled': async () => {
    const { owner, environmentId } = world.tenant;
    const name = newName();
    const says = 'console.log(process.env.LOOT)';
    const composeFile =
      `services:\n  one:\n    image: ${image}\n    restart: "no"\n` +
      `    command: ${JSON.stringify(['node', '-e', says])}\n`;
    const made = await valueOf(owner('compose.create', { name, appName: name, environmentId, composeFile }));
    const composeId = textOf(made, 'composeId');
    await valueOf(owner('compose.deploy', { composeId }));
    return lootOf(owner, { composeId }, loot);
  },
};

describe('with the walls as built', () => {
  it.each(Object.entries(attacks))('%s: held', async (attack, run) => {
    expect(await table.note(attack, 'as built', run())).toMatchObject({
      succeeded: false,
      said: expect.stringContaining('are never pulled from a registry'),
    });
  });
});

describe.runIf(leavesOutWall(import.meta.url))('with names of images that are all alike', () => {
  beforeAll(async () => {
    await world.berth.stop();
    await world.berth.start({}, `${project}/test/attacks/without/own-images.ts`);
  });

  it.each(Object.entries(attacks))('%s: succeeds', async (attack, run) => {
    expect(await table.note(attack, 'left out', run())).toEqual({ succeeded: true, said: loot });
    await output(world.berth.host, 'sh', '-c', `${docker} rmi --force ${image} || true`);
  });
});
