/** The dialogs with a link and a key that cannot break, at three widths: their buttons stay in sight. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { password } from '../world/inputs.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';
import { ofThisRun } from '../run/mode.ts';
import { openPage, settled, signIn, startBrowser } from './browser.ts';
import { widerThanItself } from './forms/dialog-width.ts';
import { openDialog, openersOf } from './forms/openers.ts';
import { screensOf } from './screens-of.ts';

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

/** Long enough to push a button out of a dialog that does not break it. */
const long = 'a-word-without-a-break-'.repeat(12);

it('a link and a key that cannot break leave their buttons in sight', async () => {
  const { page, context } = await openPage(browser);
  await signIn(
    { page, context, faults: [], expect: () => undefined },
    program.url,
    world.people.owner.email,
    password,
  );
  await page.goto(`${program.url}/settings/members?do=invite`);
  const invitation = page.locator('dialog[open]');
  await invitation.getByLabel('Email').fill(`${long.slice(0, 60)}@example.com`);
  await invitation.getByRole('button', { name: 'Make the link' }).click();
  await invitation.getByRole('button', { name: 'Done' }).waitFor();
  expect(await widerThanItself(page, invitation)).toEqual([]);
  await page.goto(`${program.url}/servers?do=add`);
  const key = page.locator('dialog[open]');
  await key.locator('code').first().waitFor();
  expect(await widerThanItself(page, key)).toEqual([]);
  await context.close();
});

/** Screens whose buttons act at once and lead to no dialog; the walk would only change the installation. */
const withoutDialogs = /^\/(design|connect-github|new)/;
it('no dialog of any screen scrolls sideways', { timeout: 600_000 }, async () => {
  const watched = await openPage(browser);
  const { page, context } = watched;
  await signIn(watched, program.url, world.people.owner.email, password);
  const found: Record<string, string[]> = {};
  let measured = 0;
  for (const screen of ofThisRun(
    screensOf(world).filter((one) => !withoutDialogs.test(one)),
    4,
  )) {
    const open = async (): Promise<void> => {
      await page.goto(`${program.url}${screen}`);
      await settled(page);
    };
    await open();
    for (const name of await openersOf(page)) {
      const dialog = await openDialog(page, name);
      if (dialog) {
        measured += 1;
        const faults = await widerThanItself(page, dialog);
        if (faults.length > 0) found[`${screen} ${name}`] = faults;
      }
      await open();
    }
  }
  console.log(`dialogs measured at three widths: ${measured}`);
  expect(found).toEqual({});
  await context.close();
});
