/**
 * The log of a deployment with 300,000 lines, a million with `--long`: read whole, searched, walked to its
 * ends, linked.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { password } from '../../world/inputs.ts';
import type { Program } from '../../world/program.ts';
import { startWithWorlds } from '../../world/started.ts';
import type { World } from '../../world/world.ts';
import { isWhole } from '../../run/mode.ts';
import { openPage, signIn, startBrowser, type Watched } from '../browser.ts';
import { writeLog } from './written-log.ts';

let program: Program;
let world: World;
let browser: Browser;
let watched: Watched;

const count = isWhole() ? 1_000_000 : 300_000;
/** As the page writes it. */
const tenOfAll = `10 of ${count.toLocaleString('en-US')}`;
/** Ten lines of all have this text. */
const rare = 'disk is full';
const textOf = (number: number): string =>
  number % (count / 10) === 0 ? `error: the ${rare} at ${number}` : `GET /orders/${number} 200 in 12 ms`;
/** The limit of the whole page, without the browser itself: 50 MiB, and 300 bytes for each line. */
const mostHeapBytes = 50 * 1024 ** 2 + 300 * count;
const readLimitMs = 900_000;

beforeAll(async () => {
  browser = await startBrowser();
  ({ program, first: world } = await startWithWorlds(0, { withPasswords: true }));
  await writeLog(
    program,
    world,
    Array.from({ length: count }, (_, at) => textOf(at + 1)),
  );
  watched = await openPage(browser);
  await signIn(watched, program.url, world.people.owner.email, password);
});
afterAll(async () => {
  await watched?.context.close();
  await browser?.close();
  await program?.[Symbol.asyncDispose]();
});

const log = ({ page }: Watched) => page.getByRole('log');
const line = ({ page }: Watched, number: number) =>
  page.getByRole('log').locator('.log-line', { has: page.getByLabel(`Line ${number}`, { exact: true }) });

it('is read to its last line, in no more memory than it may take', { timeout: readLimitMs }, async () => {
  const { page, faults } = watched;
  const began = Date.now();
  await page.goto(`${program.url}/deployments/${world.own.deploymentId}`);
  await line(watched, count).waitFor({ timeout: readLimitMs });
  console.log(`read and shown in ${Date.now() - began} ms`);
  expect(await log(watched).locator('.log-line').count()).toBeLessThan(120);
  const bytes = await heapBytes(page);
  console.log(`heap ${Math.round(bytes / 1024 ** 2)} MiB`);
  expect(bytes).toBeLessThan(mostHeapBytes);
  expect(faults).toEqual([]);
});

async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

it('is searched whole, and what is found is marked', async () => {
  const { page, faults } = watched;
  const field = page.getByLabel('Search in log of the deployment');
  await field.fill(rare);
  await page.getByText(tenOfAll, { exact: true }).waitFor();
  expect(await log(watched).locator('mark').allTextContents()).toEqual(Array(10).fill(rare));
  await field.fill('/orders\\/27777\\d/');
  await page.getByText(tenOfAll, { exact: true }).waitFor();
  await line(watched, 277_770).waitFor();
  await field.fill('');
  await page.getByLabel('Level').selectOption('Errors');
  await page.getByText(tenOfAll, { exact: true }).waitFor();
  await page.getByLabel('Level').selectOption('All lines');
  expect(faults).toEqual([]);
});

it('is scrolled to its first line and its last, although no browser scrolls so far', async () => {
  const { page, faults } = watched;
  await log(watched).focus();
  await page.keyboard.press('Home');
  await line(watched, 1).waitFor();
  expect(await line(watched, 1).innerText()).toContain(textOf(1));
  await page.keyboard.press('End');
  await line(watched, count).waitFor();
  const box = await log(watched).boundingBox();
  const last = await line(watched, count).boundingBox();
  // Seen whole, at the end of the window.
  expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual((box?.y ?? 0) + (box?.height ?? 0) + 1);
  expect(faults).toEqual([]);
});

it('a link leads to a line in its middle', { timeout: readLimitMs }, async () => {
  const { page, faults } = watched;
  await page.goto(`${program.url}/deployments`);
  await page.goto(`${program.url}/deployments/${world.own.deploymentId}#L154321`);
  await line(watched, 154_321).waitFor({ timeout: readLimitMs });
  await page.locator('[data-linked]').getByText(textOf(154_321)).waitFor();
  expect(faults).toEqual([]);
});
