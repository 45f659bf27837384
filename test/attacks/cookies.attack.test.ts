/**
 * A service on another port of Berth's host plants a second session cookie in a browser, which sends it first
 * (its path is the longer one).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionCookie } from '../../server/src/domain/access/own-cookies.ts';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { project } from '../e2e/fixtures/berth-host.ts';
import { callerOf } from '../e2e/fixtures/caller.ts';
import { attackTable, leavesOutWall } from './support/attack.ts';
import type { Outcome } from './support/rows.ts';
import { attackedHost, type Attacked } from './support/fixture.ts';

const table = attackTable('planted cookies');
let world: Attacked;

beforeAll(async () => {
  world = await attackedHost(await bedOfRun(), 'cookies', 55);
});
afterAll(() => world[Symbol.asyncDispose]());

/** What the browser of the installation's Owner gets, whose own cookie comes after the planted one. */
async function browse(planted: string): Promise<{ status: number; text: string }> {
  const { cookie = '', ...headers } = await world.installation.session();
  const call = callerOf(world.berth.url, { ...headers, cookie: `${planted}; ${cookie}` });
  return call('user.get');
}

const attacks: Readonly<Record<string, () => Promise<Outcome>>> = {
  "a browser acts in the thief's account, which keeps what it is given": async () => {
    const { cookie = '' } = await world.tenant.session();
    const { text } = await browse(cookie);
    return { succeeded: text.includes('stranger@example.com'), said: text };
  },
  'a cookie that opens nothing closes Berth to a browser': async () => {
    const { status, text } = await browse(`${sessionCookie}=nothing`);
    return { succeeded: status !== 200, said: text };
  },
};

describe('with the walls as built', () => {
  it.each(Object.entries(attacks))('%s: held', async (attack, run) => {
    expect(await table.note(attack, 'as built', run())).toMatchObject({
      succeeded: false,
      said: expect.stringMatching(/may have been planted|"owner@example\.com"/),
    });
  });
});

describe.runIf(leavesOutWall(import.meta.url))('with the first cookie of the name as the session', () => {
  beforeAll(async () => {
    await world.berth.stop();
    await world.berth.start({}, `${project}/test/attacks/without/first-cookie.ts`);
  });

  it.each(Object.entries(attacks))('%s: succeeds', async (attack, run) => {
    expect(await table.note(attack, 'left out', run())).toMatchObject({ succeeded: true });
  });
});
