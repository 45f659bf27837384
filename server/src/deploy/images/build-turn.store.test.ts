import { afterEach, expect, it } from 'vitest';
import { createPeople } from '../../../../test/http/people.ts';
import { createPlace } from '../../../../test/http/places.ts';
import { createDeploymentDesk, type DeploymentDesk } from '../../../../test/store/deployment-desk.ts';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { applicationRef } from '../../domain/names/service-ref.ts';

eachDatabase('the build slot of a deployment', ({ open }) => {
  const desks: DeploymentDesk[] = [];
  afterEach(async () => {
    for (const { worker } of desks.splice(0)) await worker.stop(60_000);
  });

  async function begin() {
    const database = await open();
    const people = await createPeople(database);
    const ids = [];
    for (const [person, name] of [
      [people.owner, 'shop'],
      [people.owner, 'blog'],
      [people.stranger, 'rival'],
    ] as const)
      ids.push((await createPlace(database, person, name)).applicationId);
    const desk = createDeploymentDesk(database);
    desks.push(desk);
    desk.worker.start();
    const [shop = '', blog = '', rival = ''] = ids;
    return { ...desk, shop, blog, rival };
  }

  it('is given back when the image is there: a version without health holds up nobody', async () => {
    const { deploy, gates, until, log, shop, blog } = await begin();
    gates.open(shop, 'build');
    const first = await deploy(applicationRef(shop));
    await gates.reached(shop, 'await-healthy');
    gates.open(blog, 'build');
    gates.open(blog, 'await-healthy');
    const second = await deploy(applicationRef(blog));
    await until(second, ({ status }) => status === 'done');
    expect(await until(first, () => true)).toMatchObject({ status: 'running', stage: 'await-healthy' });
    expect((await log(second)).join('\n')).not.toContain('slot');
  });

  it('is waited for in the order of acceptance, and the log says behind whom and how long', async () => {
    const { deploy, gates, until, says, stores, shop, blog, rival } = await begin();
    const first = await deploy(applicationRef(shop));
    await gates.reached(shop, 'build');
    const second = await deploy(applicationRef(blog));
    expect(await says(second, 'Waiting')).toContain('behind the build of shop (');
    const third = await deploy(applicationRef(rival));
    // Of the two that wait, its organization has the fewer builds running.
    expect(await says(third, 'Waiting')).toContain("behind another organization's build (setting");
    expect((await stores.jobs.list({})).map(({ slot }) => slot).toSorted()).toEqual([
      'held',
      'waiting',
      'waiting',
    ]);
    expect(await until(second, () => true)).toMatchObject({ status: 'running', stage: 'queue' });
    gates.open(shop, 'build');
    await gates.reached(blog, 'build');
    expect(await says(second, 'Waited')).toMatch(/Waited \d+\.\d s for the build slot\./);
    gates.open(blog, 'build');
    await gates.reached(rival, 'build');
    for (const id of [shop, blog]) gates.open(id, 'await-healthy');
    for (const id of [first, second]) await until(id, ({ status }) => status === 'done');
    gates.open(rival, 'build');
    gates.open(rival, 'await-healthy');
    await until(third, ({ status }) => status === 'done');
    expect((await stores.jobs.list({})).map(({ slot }) => slot)).toEqual(['none', 'none', 'none']);
  });

  it('is waited for no longer by one that was killed', async () => {
    const { deploy, gates, until, says, runner, stores, shop, blog, rival } = await begin();
    await deploy(applicationRef(shop));
    await gates.reached(shop, 'build');
    const killed = await deploy(applicationRef(blog));
    await says(killed, 'Waiting');
    const last = await deploy(applicationRef(rival));
    await says(last, 'Waiting');
    expect(await runner.killBuild(applicationRef(blog))).toBe(true);
    expect(await until(killed, ({ status }) => status === 'error')).toMatchObject({
      errorMessage: expect.stringContaining('killBuild'),
    });
    expect((await stores.jobs.list({ slot: 'waiting' })).map(({ payload }) => payload)).toEqual([
      { deploymentId: last },
    ]);
    gates.open(shop, 'build');
    await gates.reached(rival, 'build');
  });
});
