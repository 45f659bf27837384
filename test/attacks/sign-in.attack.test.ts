/** Somebody closes other people's sign-in behind their address, or guesses a password from many addresses. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { project } from '../e2e/fixtures/berth-host.ts';
import { attackTable, leavesOutWall } from './support/attack.ts';
import type { Outcome } from './support/rows.ts';
import { attackedHost, type Attacked } from './support/fixture.ts';

/** The Owner of `berthHost`. */
const email = 'ada@example.com';
const password = 'correct horse battery';
const table = attackTable('sign-in');
const { machineIp } = inject('bed');
/** Addresses of visitors count as its proxy tells them. */
const environment = { BERTH_TRUSTED_PROXIES: machineIp };
let world: Attacked;
let visitors = 0;

beforeAll(async () => {
  world = await attackedHost(await bedOfRun(), 'sign-in', 50);
  await world.berth.stop();
  await world.berth.start(environment);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

/** An address that nobody has used before. */
const newAddress = (): string => {
  visitors += 1;
  return `198.51.100.${visitors}`;
};

interface Attempt {
  email: string;
  password: string;
  from: string;
  device?: string;
}

async function signIn({ from, device, ...input }: Attempt): Promise<{ status: number; cookies: string[] }> {
  const response = await fetch(`${world.berth.url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: world.berth.url,
      'x-forwarded-for': from,
      ...(device === undefined ? {} : { cookie: device }),
    },
    body: JSON.stringify(input),
    signal: AbortSignal.timeout(60_000),
  });
  await response.body?.cancel();
  return { status: response.status, cookies: response.headers.getSetCookie() };
}

/** As somebody who has signed in with this browser before. */
async function ownDevice(): Promise<string> {
  const { status, cookies } = await signIn({ email, password, from: newAddress() });
  if (status !== 200) throw new Error(`The owner could not sign in: ${status}`);
  return cookies.map((cookie) => cookie.split(';')[0] ?? '').find((one) => one.includes('device')) ?? '';
}

const attacks: Readonly<Record<string, () => Promise<Outcome>>> = {
  'closes the sign-in of everybody behind the same address': async () => {
    const from = newAddress();
    for (let count = 0; count < 8; count += 1)
      await signIn({ email: `nobody-${count}@example.com`, password: 'wrong password', from });
    const { status } = await signIn({ email, password, from });
    return { succeeded: status !== 200, said: `the right password is answered ${status}` };
  },
  "locks out an account's own browser, beside it": async () => {
    const [device, from] = [await ownDevice(), newAddress()];
    for (let count = 0; count < 8; count += 1) await signIn({ email, password: 'wrong password', from });
    const { status } = await signIn({ email, password, from, device });
    return { succeeded: status !== 200, said: `the right password is answered ${status}` };
  },
  'guesses a password from many addresses': async () => {
    const answers: number[] = [];
    for (let count = 0; count < 12; count += 1) {
      const guess = count === 11 ? password : `wrong password ${count}`;
      answers.push((await signIn({ email, password: guess, from: newAddress() })).status);
    }
    return { succeeded: answers.at(-1) === 200, said: answers.join(' ') };
  },
};

describe('with the walls as built', () => {
  it.each(Object.entries(attacks))('%s: held', async (attack, run) => {
    expect(await table.note(attack, 'as built', run())).toMatchObject({ succeeded: false });
  });
});

describe.runIf(leavesOutWall(import.meta.url))('with a throttle that knows addresses alone', () => {
  beforeAll(async () => {
    await world.berth.stop();
    await world.berth.start(environment, `${project}/test/attacks/without/sign-in-throttle.ts`);
  });

  it.each(Object.entries(attacks))('%s: succeeds', async (attack, run) => {
    expect(await table.note(attack, 'left out', run())).toMatchObject({ succeeded: true });
  });
});
