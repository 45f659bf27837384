/** A log with lines that are wider than the window: wrapped on demand, without losing the place. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { password } from '../../world/inputs.ts';
import type { Program } from '../../world/program.ts';
import { startWithWorlds } from '../../world/started.ts';
import type { World } from '../../world/world.ts';
import { openPage, signIn, startBrowser, type Look, type Watched } from '../browser.ts';
import { writeLog } from './written-log.ts';

let program: Program;
let world: World;
let browser: Browser;

const count = 3000;
/** Some are short, some longer than the window, and some have letters of other widths. */
const textOf = (number: number): string =>
  number % 10 === 0
    ? `${number} begins ${'long '.repeat(150)}and ends`
    : number % 10 === 5
      ? `${number} 港の灯りが見える\t${'港'.repeat(90)}`
      : `${number} short`;

beforeAll(async () => {
  browser = await startBrowser();
  ({ program, first: world } = await startWithWorlds(0, { withPasswords: true }));
  await writeLog(
    program,
    world,
    Array.from({ length: count }, (_, at) => textOf(at + 1)),
  );
});
afterAll(async () => {
  await browser?.close();
  await program?.[Symbol.asyncDispose]();
});

async function opened(hash = '', look?: Look): Promise<Watched> {
  const watched = await openPage(browser, look);
  await signIn(watched, program.url, world.people.owner.email, password);
  await watched.page.goto(`${program.url}/deployments/${world.own.deploymentId}${hash}`);
  return watched;
}

const line = (page: Page, number: number) =>
  page.getByRole('log').locator('.log-line', { has: page.getByLabel(`Line ${number}`, { exact: true }) });
const wrap = (page: Page) => page.getByRole('button', { name: 'Wrap' });

/** Pixels that a line is above or below the window of the log; 0 while it is wholly in it. */
const outside = (page: Page, number: number): Promise<number> =>
  page.evaluate<number>(`(() => {
    const box = document.querySelector('[role=log]').getBoundingClientRect();
    const found = document.querySelector('[aria-label="Line ${number}"]')?.closest('.log-line')
      .getBoundingClientRect();
    return found ? Math.max(0, box.top - found.top, found.bottom - box.bottom) : Infinity;
  })()`);

/** Pixels from the end of the last line to the end of the window. */
const atEnd = (page: Page): Promise<number> =>
  page.evaluate<number>(`(() => {
    const box = document.querySelector('[role=log]').getBoundingClientRect();
    const last = document.querySelector('[aria-label="Line ${count}"]')?.closest('.log-line')
      .getBoundingClientRect();
    return last ? Math.round(Math.abs(box.bottom - last.bottom)) : Infinity;
  })()`);

const heightOf = (page: Page, number: number): Promise<number> =>
  page.evaluate<number>(`document.querySelector('[aria-label="Line ${number}"]').parentElement.offsetHeight`);

/** How many pixels of it are to the side, and lines that stand in the place of others. */
const faultsOfLayout = (page: Page): Promise<{ aside: number; overlaps: number }> =>
  page.evaluate(`(() => {
    const box = document.querySelector('[role=log]');
    const lines = [...box.querySelectorAll('.log-line')].map((one) => one.getBoundingClientRect());
    return {
      aside: box.scrollWidth - box.clientWidth,
      overlaps: lines.filter(({ top }, at) => at > 0 && Math.abs(top - lines[at - 1].bottom) > 0.5).length,
    };
  })()`);

it('long lines are wrapped when asked for, and whoever reads stays at the same line', async () => {
  const { page, faults, context } = await opened('#L1500');
  await expect.poll(() => outside(page, 1500)).toBe(0);
  expect((await faultsOfLayout(page)).aside).toBeGreaterThan(1000);
  await wrap(page).click();
  await expect.poll(async () => (await faultsOfLayout(page)).aside).toBe(0);
  await expect.poll(() => outside(page, 1500)).toBe(0);
  expect(await heightOf(page, 1500)).toBeGreaterThan(100);
  expect((await faultsOfLayout(page)).overlaps).toBe(0);
  expect(await page.getByRole('log').locator('.log-line').count()).toBeLessThan(80);
  await wrap(page).click();
  await expect.poll(() => outside(page, 1500)).toBe(0);
  expect(await heightOf(page, 1500)).toBe(20);
  expect(faults).toEqual([]);
  await context.close();
});

it('wrapped, it is walked from its first line to its last on a phone, and is so the next time', async () => {
  const { page, faults, context } = await opened('', { width: 360, height: 780 });
  await expect.poll(() => atEnd(page)).toBeLessThan(20);
  await wrap(page).click();
  // What followed still does.
  await expect.poll(() => heightOf(page, count)).toBeGreaterThan(100);
  await expect.poll(() => atEnd(page)).toBeLessThan(40);
  await page.getByRole('log').focus();
  await page.keyboard.press('Home');
  await expect.poll(() => outside(page, 1)).toBe(0);
  const seen = new Set<string>();
  for (let step = 0; step < 40; step += 1) {
    for (const number of await page.getByRole('log').locator('.log-line .log-number').allTextContents())
      seen.add(number);
    await page.keyboard.press('PageDown');
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect((await faultsOfLayout(page)).overlaps).toBe(0);
  }
  // No line is left out on the way.
  const numbers = [...seen].map(Number).toSorted((left, right) => left - right);
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, at) => at + 1));
  expect(numbers.length).toBeGreaterThan(100);
  await page.keyboard.press('End');
  await expect.poll(() => atEnd(page)).toBeLessThan(40);
  await page.reload();
  await line(page, count).waitFor();
  expect(await wrap(page).getAttribute('aria-pressed')).toBe('true');
  await page.getByLabel('Search in log of the deployment').fill('1230 begins');
  await page.getByText('1 of 3,000', { exact: true }).waitFor();
  expect(await heightOf(page, 1230)).toBeGreaterThan(100);
  expect(faults).toEqual([]);
  await context.close();
});
