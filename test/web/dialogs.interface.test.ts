/** The dialogs with a link and a key that cannot break, at three widths: their buttons stay in sight. */
import type { Browser, Locator, Page } from 'playwright-core';
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

const widths = [360, 768, 1280] as const;
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

interface Measured {
  scrollWidth: number;
  clientWidth: number;
}

async function widerThanItself(page: Page, dialog: Locator): Promise<string[]> {
  const faults: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 860 });
    const { scrollWidth, clientWidth } = await dialog.evaluate((element) => {
      const measured = element as unknown as Measured;
      return { scrollWidth: measured.scrollWidth, clientWidth: measured.clientWidth };
    });
    if (scrollWidth > clientWidth) faults.push(`at ${width} px: ${scrollWidth} in ${clientWidth}`);
  }
  await page.setViewportSize({ width: 1280, height: 860 });
  return faults;
}
