/**
 * Push to a browser: the page, its worker and Berth are real; a server here stands for the push service of
 * the browser's maker, to which nothing leads. What it opens with the browser's keys is given to the worker.
 */
import { createECDH, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openedPush, pushService } from '../../notifications/push-service.ts';
import { password } from '../../world/inputs.ts';
import type { Program } from '../../world/program.ts';
import { startWithWorlds } from '../../world/started.ts';
import type { World } from '../../world/world.ts';
import { openPage, signIn, startBrowser } from '../browser.ts';

let program: Program;
let world: World;
let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
  ({ program, first: world } = await startWithWorlds(0, { withPasswords: true }));
});
afterAll(async () => {
  await browser?.close();
  await program?.[Symbol.asyncDispose]();
});

const keys = createECDH('prime256v1');
keys.generateKeys();
const auth = randomBytes(16);

/** The browser subscribes at the service of this test, with keys of this test. */
async function subscribesAt(context: BrowserContext, endpoint: string): Promise<void> {
  const subscription = {
    endpoint,
    keys: { p256dh: keys.getPublicKey('base64url'), auth: auth.toString('base64url') },
  };
  const content = `{
    const given = ${JSON.stringify(subscription)};
    let present = null;
    Object.assign(PushManager.prototype, {
      subscribe: async () => (present = { ...given, toJSON: () => given }),
      getSubscription: async () => present,
    });
  }`;
  await context.addInitScript({ content });
}

/** Gives a text to the worker, as the browser does when a message has come. */
async function workerOf(page: Page): Promise<(text: string) => Promise<unknown>> {
  const session = await page.context().newCDPSession(page);
  const found = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [one] = registrations;
      if (one) resolve(one.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  const registrationId = await found;
  return (data) =>
    session.send('ServiceWorker.deliverPushMessage', { origin: program.url, registrationId, data });
}

const shown = async (page: Page): Promise<unknown> =>
  page.evaluate(`navigator.serviceWorker.ready
    .then((registration) => registration.getNotifications())
    .then((all) => all.map(({ title, body }) => title + ': ' + body))`);

it('makes this browser a channel, whose messages its worker shows', async () => {
  await using service = await pushService();
  const watched = await openPage(browser);
  const { page, context, faults } = watched;
  await context.grantPermissions(['notifications'], { origin: program.url });
  await subscribesAt(context, `${service.url}/send/abc`);
  await signIn(watched, program.url, world.people.owner.email, password);
  await page.goto(`${program.url}/settings/notifications`);
  await page.getByRole('button', { name: 'This browser' }).click();
  await page.getByLabel('Name').fill('My laptop');
  await page.getByRole('button', { name: 'Allow messages' }).click();
  await page.getByText('Done: a test message was sent to this browser.').waitFor();
  const [taken] = service.taken;
  expect(taken?.headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '259200' });
  const text = openedPush(taken?.body ?? Buffer.alloc(0), { keys, auth });
  const deliver = await workerOf(page);
  // A worker that is about to stop can lose one; another attempt of a message takes the place of the first.
  await expect
    .poll(() => deliver(text).then(() => shown(page)), { interval: 1000 })
    .toEqual([expect.stringContaining(JSON.parse(text).title)]);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByText('My laptop').waitFor();
  await page.getByRole('button', { name: 'This browser' }).click();
  await page.getByRole('button', { name: 'Allow messages' }).click();
  await page.getByText('This browser gets messages already, as the channel My laptop.').waitFor();
  expect(faults).toEqual([]);
  await context.close();
});
