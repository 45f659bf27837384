/** A thousand services on one page: filtered, sorted and walked by keys, with few of them drawn. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newApplication } from '../../server/src/modules/application/defaults.ts';
import { password } from '../world/inputs.ts';
import type { Program } from '../world/program.ts';
import { insertRows } from '../world/seed.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';
import { openPage, signIn, startBrowser, type Watched } from './browser.ts';

let program: Program;
let world: World;
let browser: Browser;

const count = 1000;
const nameOf = (number: number): string => `service ${String(number).padStart(4, '0')}`;

beforeAll(async () => {
  browser = await startBrowser();
  ({ program, first: world } = await startWithWorlds(0, { withPasswords: true }));
  const { organizationId, environmentId } = world.own;
  await insertRows(program.database, [
    {
      application: Array.from({ length: count }, (_, number) =>
        newApplication({
          applicationId: `thousand-${number}`,
          organizationId,
          environmentId: environmentId ?? '',
          name: nameOf(number),
          appName: `thousand-${number}`,
          description: '',
          refreshToken: `refresh-${number}`,
          // The first by name is the oldest.
          createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, number)).toISOString(),
        }),
      ),
    },
  ]);
});
afterAll(async () => {
  await browser?.close();
  await program?.[Symbol.asyncDispose]();
});

async function home(): Promise<Watched> {
  const watched = await openPage(browser);
  await signIn(watched, program.url, world.people.owner.email, password);
  return watched;
}

const rows = (page: Page) => page.getByRole('main').locator('[data-row]');
const focused = (page: Page): Promise<string> =>
  page.evaluate<string>('document.activeElement?.querySelector(".font-medium")?.textContent ?? ""');

it('the filter leaves one of a thousand, by the address too', async () => {
  const { page, faults, context } = await home();
  await rows(page).first().waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('service 0731');
  await page.getByText(nameOf(731), { exact: true }).waitFor();
  await expect.poll(() => rows(page).count()).toBe(1);
  await page.reload();
  await page.getByText(nameOf(731), { exact: true }).waitFor();
  expect(await page.getByRole('searchbox').inputValue()).toBe('service 0731');
  expect(faults).toEqual([]);
  await context.close();
});

it('sorted by name, they are walked by keys to the hundredth and back, and Enter opens it', async () => {
  const { page, faults, context } = await home();
  await page.getByLabel('Sort').selectOption('By name');
  await page.waitForURL(/sort=name/);
  await page.getByLabel('Filter by name, host, project or kind').fill('service');
  await page.getByText(nameOf(0), { exact: true }).waitFor();
  await page.getByLabel('Filter by name, host, project or kind').blur();
  for (let number = 0; number <= 100; number += 1) {
    await page.keyboard.press('j');
    await expect.poll(() => focused(page)).toBe(nameOf(number));
    expect(await rows(page).count()).toBeLessThanOrEqual(60);
  }
  await page.keyboard.press('k');
  await expect.poll(() => focused(page)).toBe(nameOf(99));
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/applications\/thousand-99$/);
  await page.getByRole('heading', { name: nameOf(99) }).waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

it('the newest change stands first where it is asked for', async () => {
  const { page, faults, context } = await home();
  await page.goto(`${program.url}/?sort=newest&q=service+0`);
  await page.getByText(nameOf(count - 1), { exact: true }).waitFor();
  const names = await rows(page).locator('.font-medium').allTextContents();
  expect(names.slice(0, 3)).toEqual([nameOf(999), nameOf(998), nameOf(997)]);
  expect(faults).toEqual([]);
  await context.close();
});
