/**
 * A tenant on the way to other people's sessions and names: by a domain of a host where browsers have Berth's
 * cookie, and by a wildcard that takes in everybody's hosts.
 */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { growingPause } from '../bed/machine/pauses.ts';
import { project } from '../e2e/fixtures/berth-host.ts';
import { valueOf, type Call } from '../e2e/fixtures/caller.ts';
import { deployed } from '../e2e/fixtures/settling.ts';
import { textOf } from '../http/interface-client.ts';
import { attackTable, leavesOutWall } from './support/attack.ts';
import type { Outcome } from './support/rows.ts';
import { attackedHost, type Attacked, type Party } from './support/fixture.ts';

/** What a browser that is signed in to Berth sends to every port of its host name. */
const session = 'the-owner-s-session';
const ownName = 'berth.example.com';
const table = attackTable('hosts');
let world: Attacked;
/** Of the tenant; answers with the cookies it was sent. */
let thief: string;

beforeAll(async () => {
  world = await attackedHost(await bedOfRun(), 'thieves', 41);
  const { installation, tenant } = world;
  await valueOf(installation.owner('settings.update', { host: ownName }));
  thief = await echo(tenant.owner, tenant, 'thief');
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

async function echo(owner: Call, { environmentId }: Party, appName: string): Promise<string> {
  const made = await valueOf(owner('application.create', { name: appName, appName, environmentId }));
  const applicationId = textOf(made, 'applicationId');
  await valueOf(
    owner('application.saveContainerProvider', { applicationId, containerImage: 'berth/node:24' }),
  );
  const program =
    `require('http').createServer(({ headers }, response) => response.end('${appName} got ' + ` +
    "(headers.cookie ?? 'nothing'))).listen(3000)";
  await valueOf(owner('application.update', { applicationId, command: 'node', args: ['-e', program] }));
  await deployed(owner, applicationId);
  return applicationId;
}

/** A request of a browser for the host, through the proxy. */
function visited(host: string): Promise<string> {
  const cookie = `theme=dark; berth_session=${session}; __Host-berth_session=${session}`;
  const { ip } = world.berth.host;
  return new Promise((resolve, reject) => {
    request({ host: ip, port: 80, headers: { host, cookie }, agent: false, timeout: 20_000 }, (answer) =>
      resolve(text(answer)),
    )
      .once('error', reject)
      .end();
  });
}

/** What came of a domain of the host: whatever a visitor's browser sent, as far as the service got it. */
async function took(host: string, visit = host): Promise<Outcome> {
  const answer = await world.tenant.owner('domain.create', { host, applicationId: thief });
  if (answer.status !== 200) return { succeeded: false, said: answer.text };
  const domainId = textOf(await valueOf(Promise.resolve(answer)), 'domainId');
  try {
    const got = await led(visit);
    return { succeeded: got.includes(session), said: got };
  } finally {
    await world.tenant.owner('domain.delete', { domainId });
  }
}

/** What the thief answers; the proxy finds the service a moment after its first route. */
async function led(host: string): Promise<string> {
  const pause = growingPause();
  let got = '';
  for (const end = Date.now() + 30_000; Date.now() < end; await pause()) {
    got = await visited(host);
    if (got.includes('got')) return got;
  }
  return got;
}

/** Each is a host where people sign in to Berth, or everybody's. */
const attacks: Readonly<Record<string, () => Promise<Outcome>>> = {
  'a domain for 127.0.0.1': () => took('127.0.0.1'),
  'a domain for localhost': () => took('localhost'),
  "a domain for the machine's address": () => took(world.berth.host.ip),
  'a domain for the address of a router before it': () => took('203.0.113.77'),
  "a domain for Berth's own host": () => took(ownName.toUpperCase(), ownName),
  "a wildcard over Berth's own host": () => took('*.example.com', ownName),
  "a wildcard over everybody's generated hosts": () =>
    took('*.sslip.io', `${world.berth.host.ip.replaceAll('.', '-')}.sslip.io`),
  'a wildcard over a public suffix': () => took('*.com', 'panel.com'),
  "a host of the tenant's own where Berth is reached too": () => took('shop.thief.example'),
};

describe('with the walls as built', () => {
  it.each(Object.entries(attacks))('%s: held', async (attack, run) => {
    expect(await table.note(attack, 'as built', run())).toMatchObject({
      succeeded: false,
      said: expect.stringMatching(/cannot be|thief got theme=dark$/),
    });
  });
});

describe.runIf(leavesOutWall(import.meta.url))('without what keeps hosts and cookies', () => {
  beforeAll(async () => {
    await world.berth.stop();
    // Its own host is served by a route of its own, before any other.
    await world.berth.start({}, `${project}/test/attacks/without/host-rules.ts`);
    await valueOf(world.installation.owner('settings.update', { host: null }));
  });

  it.each(Object.entries(attacks))('%s: succeeds', async (attack, run) => {
    expect(await table.note(attack, 'left out', run())).toMatchObject({
      succeeded: true,
      said: expect.stringContaining(session),
    });
  });

  it('and what they left behind leads nowhere when the walls are there again', async () => {
    const { tenant, berth } = world;
    await valueOf(tenant.owner('domain.create', { host: 'localhost', applicationId: thief }));
    expect(await led('localhost')).toContain(session);
    await berth.stop();
    await berth.start({}, `${project}/dist/server/src/main.js`);
    const pause = growingPause();
    let got = await visited('localhost');
    for (const end = Date.now() + 60_000; got.includes('thief') && Date.now() < end; await pause())
      got = await visited('localhost');
    expect(got).not.toContain('thief');
  });
});
