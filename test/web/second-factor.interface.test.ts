/** The set-up of a second factor in the browser, and what a phone needs to install the dashboard. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { password } from '../world/inputs.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';
import { accessibilityFaults, openPage, settled, signIn, startBrowser } from './browser.ts';

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

it('shows a QR code beside the key that it holds', async () => {
  const watched = await openPage(browser);
  const { page, faults, context } = watched;
  await signIn(watched, program.url, world.people.owner.email, password);
  await page.goto(`${program.url}/settings/account`);
  await settled(page);
  await page.getByRole('button', { name: 'Set up' }).click();
  await page.getByRole('textbox', { name: 'Password', exact: true }).fill(password);
  await page.getByRole('button', { name: 'Continue' }).click();
  const code = page.getByRole('img', { name: 'QR code for an authenticator app' });
  await code.waitFor();
  // 33 modules a side hold an address of this length; the border is three more on each.
  const side = Number((await code.getAttribute('viewBox'))?.split(' ')[2]);
  expect(side).toBeGreaterThanOrEqual(33);
  await page.getByText(/^[A-Z2-7]{32}$/).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
  await context.close();
});

it('can be installed: a manifest whose icons are there, in the sizes that it says', async () => {
  const manifest = Object(await (await fetch(`${program.url}/berth.webmanifest`)).json());
  expect(manifest).toMatchObject({ name: 'Berth', start_url: '/', display: 'standalone' });
  for (const { src, sizes } of manifest.icons) {
    const answer = await fetch(`${program.url}${src}`);
    expect(answer.headers.get('content-type')).toBe('image/png');
    const image = Buffer.from(await answer.arrayBuffer());
    expect(`${image.readUInt32BE(16)}x${image.readUInt32BE(20)}`).toBe(sizes);
  }
});
