/** The settings of a service: what is unsaved in any of their forms stands in one bar, which saves it all. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { password } from '../world/inputs.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';
import { openPage, signIn, startBrowser } from './browser.ts';

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

it('two forms are saved, or discarded, at once, and leaving asks', async () => {
  const watched = await openPage(browser);
  const { page, context } = watched;
  await signIn(watched, program.url, world.people.owner.email, password);
  await page.goto(`${program.url}/databases/postgres/${world.own['postgresId']}/settings`);
  const bar = page.getByRole('region', { name: 'Unsaved changes' });
  const description = page.getByLabel('Description');
  const memory = page.getByLabel('Memory limit');
  const former = await description.inputValue();
  await description.fill('of the shop');
  await bar.getByText('Takes effect at once.').waitFor();
  await memory.fill('300m');
  await bar.getByText('Unsaved: Description, Memory limit.').waitFor();

  const asked = page.waitForEvent('dialog');
  const left = page.getByRole('link', { name: 'Servers' }).first().click();
  const dialog = await asked;
  expect(dialog.message()).toBe('Leave without saving what you changed?');
  await dialog.dismiss();
  await left;
  await bar.getByRole('button', { name: 'Discard' }).click();
  await bar.waitFor({ state: 'detached' });
  expect(await description.inputValue()).toBe(former);

  await description.fill('of the shop');
  await memory.fill('300m');
  await bar.getByRole('button', { name: 'Save', exact: true }).click();
  await bar.waitFor({ state: 'detached' });
  await page.reload();
  await expect.poll(() => description.inputValue()).toBe('of the shop');
  expect(await memory.inputValue()).toMatch(/^300/);
  expect(watched.faults).toEqual([]);
  await context.close();
});
