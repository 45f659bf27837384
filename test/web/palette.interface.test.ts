/** The palette: what is done from it, and the command line for the same, by the keyboard alone. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { password } from '../world/inputs.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';
import { openPage, signIn, startBrowser, type Watched } from './browser.ts';

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

async function paletteOf(who: 'owner' | 'member', text: string): Promise<Watched> {
  const watched = await openPage(browser);
  const { page } = watched;
  await signIn(watched, program.url, world.people[who].email, password);
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByLabel('Find a service or an action').waitFor();
  await page.keyboard.type(text);
  return watched;
}

it('deletion is opened where it asks for the name, with its command line to copy', async () => {
  const { page, faults, context } = await paletteOf('owner', 'delete');
  await page
    .getByRole('option', { name: /^Delete / })
    .first()
    .waitFor();
  await page.getByText(/^berth api \w+\.(delete|remove) --\w+Id /).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).waitFor();
  expect(page.url()).not.toContain('do=');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
  await context.close();
});

it('a domain is added from it', async () => {
  const { page, faults, context } = await paletteOf('owner', 'add a domain to');
  await page.getByText(/^berth domains add HOST /).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Add domain' }).getByLabel('Host').waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

it('a Member without grants is offered neither deletion nor a terminal', async () => {
  for (const text of ['delete', 'open a terminal']) {
    const { page, faults, context } = await paletteOf('member', text);
    await page.getByText(`Nothing has “${text}” in its name.`).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  }
});
