/**
 * A tenant on the way to another organization's services through the proxy: by a service of its own, never
 * deployed, whose name is that of theirs on the engine, and a domain.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { growingPause } from '../bed/machine/pauses.ts';
import { randomId } from '../../server/src/ports/clock.ts';
import { project } from '../e2e/fixtures/berth-host.ts';
import { valueOf, type Call } from '../e2e/fixtures/caller.ts';
import { deployed } from '../e2e/fixtures/settling.ts';
import { textOf } from '../http/interface-client.ts';
import { attackTable, leavesOutWall } from './support/attack.ts';
import type { Outcome } from './support/rows.ts';
import { sharedHost, type Attacked, type Party } from './support/fixture.ts';

const loot = 'what the others keep';
const answering = `require('http').createServer((_, response) => response.end('${loot}')).listen(3000)`;
const file = `
services:
  web:
    image: berth/node:24
    command: ["node", "-e", "${answering}"]
`;
const table = attackTable('names');
let world: Attacked;

beforeAll(async () => {
  world = await sharedHost(await bedOfRun());
  const { owner } = world.installation;
  const composeId = await compose(world.installation, 'vault');
  await valueOf(owner('compose.deploy', { composeId }));
  await done(owner, composeId);
  const applicationId = await application(world.installation, 'desk_web');
  await valueOf(
    owner('application.saveContainerProvider', { applicationId, containerImage: 'berth/node:24' }),
  );
  await valueOf(owner('application.update', { applicationId, command: 'node', args: ['-e', answering] }));
  await deployed(owner, applicationId);
});

async function application({ owner, environmentId }: Party, appName: string): Promise<string> {
  const made = await valueOf(owner('application.create', { name: appName, appName, environmentId }));
  return textOf(made, 'applicationId');
}

async function compose({ owner, environmentId }: Party, appName: string): Promise<string> {
  const made = await valueOf(
    owner('compose.create', { name: appName, appName, environmentId, composeFile: file }),
  );
  return textOf(made, 'composeId');
}

async function done(owner: Call, composeId: string): Promise<void> {
  const pause = growingPause();
  for (const end = Date.now() + 120_000; Date.now() < end; await pause()) {
    const status = textOf(await valueOf(owner('compose.one', { composeId })), 'composeStatus');
    if (status === 'done') return;
    if (status === 'error')
      throw new Error(JSON.stringify(await valueOf(owner('deployment.all', { composeId }))));
  }
  throw new Error('The compose service was not deployed in two minutes.');
}

/** What answers at a domain that the tenant has made; a refusal on the way is what it said. */
async function through(host: string, make: () => Promise<unknown>): Promise<Outcome> {
  try {
    await make();
  } catch (error) {
    return { succeeded: false, said: String(error) };
  }
  const pause = growingPause();
  let said = '';
  for (const end = Date.now() + 60_000; Date.now() < end; await pause()) {
    const { status, body } = await world.berth.proxied(host);
    said = `${status} ${body}`;
    if (body.includes(loot)) return { succeeded: true, said: body };
    if (status === 503 && body.includes('deployed')) break;
  }
  return { succeeded: false, said };
}

type Attack = (world: Attacked) => Promise<Outcome>;

const attacks: Readonly<Record<string, Attack>> = {
  "an application named like another's compose service, and a domain": ({ tenant }) =>
    through('a.thief.test', async () => {
      const applicationId = await application(tenant, 'vault_web');
      await valueOf(tenant.owner('domain.create', { host: 'a.thief.test', applicationId }));
    }),
  "a member renames an application to another's compose service": ({ tenant }) => {
    const name = `harmless-${randomId(6)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, 'x')}`;
    return through(`${name}.thief.test`, async () => {
      const applicationId = await application(tenant, name);

      await valueOf(tenant.member('application.update', { applicationId, appName: 'VAULT_web' }));
      // The engine knows names as they are written.
      await valueOf(tenant.member('application.update', { applicationId, appName: 'vault_web' }));
      await valueOf(tenant.owner('domain.create', { host: `${name}.thief.test`, applicationId }));
    });
  },
  "a compose service whose service would have another's name": ({ tenant }) =>
    through('c.thief.test', async () => {
      const composeId = await compose(tenant, 'desk');
      await valueOf(
        tenant.owner('domain.create', {
          host: 'c.thief.test',
          domainType: 'compose',
          composeId,
          serviceName: 'web',
        }),
      );
    }),
};

describe('with the walls as built', () => {
  it.each(Object.entries(attacks))('%s: held', async (attack, run) => {
    expect(await table.note(attack, 'as built', run(world))).toMatchObject({
      succeeded: false,
      said: expect.stringContaining('is taken'),
    });
  });

  it('a domain of what was never deployed leads nowhere', async () => {
    const { tenant } = world;
    const applicationId = await application(tenant, 'never-deployed');
    await valueOf(tenant.owner('domain.create', { host: 'never.test', applicationId }));
    expect(await world.berth.proxied('never.test')).toMatchObject({
      status: 503,
      body: expect.stringContaining('Nothing has been deployed'),
    });
  });
});

describe.runIf(leavesOutWall(import.meta.url))(
  'without one holder a name, and with routes before a release',
  () => {
    beforeAll(async () => {
      await world.berth.stop();
      await world.berth.start({}, `${project}/test/attacks/without/released-names.ts`);
    });

    it.each(Object.entries(attacks))('%s: succeeds', async (attack, run) => {
      expect(await table.note(attack, 'left out', run(world))).toEqual({ succeeded: true, said: loot });
    });
  },
);

// The hosts are made by the attacks above.
describe.runIf(leavesOutWall(import.meta.url))('what was made before the walls were there', () => {
  beforeAll(async () => {
    await world.berth.stop();
    await world.berth.start({}, `${project}/dist/server/src/main.js`);
  });

  it.each(['a.thief.test', 'c.thief.test'])('leads nowhere from then on (%s)', async (host) => {
    const pause = growingPause();
    let got = await world.berth.proxied(host);
    for (const end = Date.now() + 60_000; got.body.includes(loot) && Date.now() < end; await pause())
      got = await world.berth.proxied(host);
    expect(got).toMatchObject({ status: 503, body: expect.stringContaining('Nothing has been deployed') });
  });
});
