/** A tenant looks for other organizations' backups, and for Berth's own data, by a local destination. */
import { beforeAll, describe, expect, it } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { data, project } from '../e2e/fixtures/berth-host.ts';
import { valueOf, type Call } from '../e2e/fixtures/caller.ts';
import { textOf } from '../http/interface-client.ts';
import { attackTable, leavesOutWall } from './support/attack.ts';
import type { Outcome } from './support/rows.ts';
import { newName } from './support/deployments.ts';
import { sharedHost, type Attacked } from './support/fixture.ts';

const dump = 'nightly-of-the-installation.sql.gz';
const table = attackTable('local destinations');
let world: Attacked;
/** Where Berth keeps the local backups of the installation's organization. */
let theirs = '';

beforeAll(async () => {
  world = await sharedHost(await bedOfRun());
  theirs = `${data}/backups-local/${world.installation.organizationId}`;
  const { host } = world.berth;
  await host.exec(['sh', '-ec', 'mkdir -p "$1/shop"; echo secret > "$1/shop/$2"', 'sh', theirs, dump]);
  await host.exec(['ln', '-s', data, '/srv/looks-harmless']);
});

/** Whether a destination there shows a file of that name. */
async function finds(by: Call, path: string, wanted: string): Promise<Outcome> {
  const made = await by('destination.create', { name: newName(), provider: 'local', path });
  if (made.status !== 200) return { succeeded: false, said: made.text };
  const destinationId = textOf(made.body, 'destinationId');
  const { text } = await by('backup.listFiles', { destinationId });
  return { succeeded: text.includes(wanted), said: text };
}

const attacks: Readonly<Record<string, (world: Attacked) => Promise<Outcome>>> = {
  "a tenant's Owner names the folder of another organization's backups": ({ tenant }) =>
    finds(tenant.owner, theirs, dump),
  "a tenant's Owner names Berth's own data": ({ tenant }) => finds(tenant.owner, data, 'berth.sqlite'),
  "the installation's Owner names Berth's own data": ({ installation }) =>
    finds(installation.owner, data, 'berth.sqlite'),
  "the installation's Owner names a link to it": ({ installation }) =>
    finds(installation.owner, '/srv/looks-harmless/', 'berth.sqlite'),
};

describe('with the walls as built', () => {
  it.each(Object.entries(attacks))('%s: held', async (attack, run) => {
    expect(await table.note(attack, 'as built', run(world))).toMatchObject({
      succeeded: false,
      said: expect.stringContaining('FORBIDDEN'),
    });
  });

  it('a path that leads up is refused, and the same path below one’s own folder shows nothing', async () => {
    const { owner } = world.tenant;
    const up = `../${world.installation.organizationId}`;
    expect(await finds(owner, up, dump)).toMatchObject({ succeeded: false });
    expect(await finds(owner, 'shop', dump)).toMatchObject({ succeeded: false, said: expect.any(String) });
  });

  it('its own organization finds it', async () => {
    expect(await finds(world.installation.owner, '', dump)).toMatchObject({ succeeded: true });
  });
});

describe.runIf(leavesOutWall(import.meta.url))('without the wall between them', () => {
  beforeAll(async () => {
    await world.berth.stop();
    await world.berth.start({}, `${project}/test/attacks/without/destination-places.ts`);
  });

  it.each(Object.entries(attacks))('%s: succeeds', async (attack, run) => {
    expect(await table.note(attack, 'left out', run(world))).toMatchObject({ succeeded: true });
  });
});

it('what was stored before shows nothing once the wall is there again', async () => {
  const all = await valueOf(world.tenant.owner('destination.all'));
  await world.berth.stop();
  await world.berth.start();
  for (const one of Array.isArray(all) ? all : [])
    expect(
      (await world.tenant.owner('backup.listFiles', { destinationId: textOf(one, 'destinationId') })).text,
    ).not.toContain(dump);
});
