/** The log of what runs: followed, searched, linked to, downloaded; who reads is left where they read. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Watched } from '../../web/browser.ts';
import { until, type App, type ApplicationFixture } from '../fixtures/applications.ts';

/** Four lines a second, an error now and then, and an answer for the health check. */
const talking = (word: string): string =>
  `node -e 'let n = 0; setInterval(() => { console.log("${word} " + ++n); ` +
  `if (n % 30 === 0) console.error("error after " + n); }, 250); ` +
  `require("http").createServer((q, s) => s.end("ok")).listen(3000)'`;

/** A time as a field of the browser takes it, to the second. */
function localTime(iso: string): string {
  const time = new Date(iso);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

export function outputTests(place: () => ApplicationFixture, owner: () => Promise<Watched>): void {
  let app: App;
  const logOf = (page: Page) => page.getByRole('log');

  it('logs are followed, searched, linked to and downloaded; scrolling up stops following', async () => {
    app = await place().fromImage('talking', talking('tick'));
    await app.deploy();
    const { page, faults, context } = await owner();
    await page.goto(`${place().berth.url}/applications/${app.id}/logs`);
    const log = logOf(page);
    // More than the window holds, so that there is something to scroll.
    await log.getByText('tick 80', { exact: true }).waitFor();
    await log.hover();
    await page.mouse.wheel(0, -400);
    await page.getByRole('button', { name: /\d+ new lines/ }).waitFor();
    await page.getByRole('button', { name: /new lines|Follow/ }).click();
    await page.getByRole('button', { name: /new lines|Follow/ }).waitFor({ state: 'detached' });

    const search = page.getByLabel('Search in output of talking');
    await search.fill('/^tick 1\\d$/');
    await page
      .getByRole('status')
      .getByText(/^10 of /)
      .waitFor();
    expect(await log.locator('.log-line').count()).toBe(10);
    await page.waitForURL(/[?&]q=/);
    await log.locator('.log-line', { hasText: 'tick 15' }).getByRole('link').click();
    await page.waitForURL(/#T\d{4}-/);
    await page.locator('[data-linked]').getByText('tick 15', { exact: true }).waitFor();
    await search.fill('');
    await page.waitForURL((url) => !url.search.includes('q='));
    await page.locator('[data-linked]').getByText('tick 15', { exact: true }).waitFor();

    const begun = page.waitForEvent('download');
    await page.getByRole('button', { name: /Download/ }).click();
    const path = await (await begun).path();
    const text = await until('the file is written', () => readFile(path, 'utf8'));
    expect(text).toMatch(/tick 1\n[\s\S]*tick 80\n/);

    // Whoever gets the link sees that line, though others have been written since.
    const other = await context.newPage();
    await other.goto(page.url());
    await other.locator('[data-linked]').getByText('tick 15', { exact: true }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it('a range of time and a level leave the lines that are so, and stand in the address', async () => {
    const lines = await app.do<{ at: string; text: string }[] & Record<string, unknown>>(
      'application.readLogs',
      { tail: 10_000 },
    );
    const timeOf = (text: string): string => lines.find((line) => line.text === text)?.at ?? '';
    const { page, faults, context } = await owner();
    await page.goto(`${place().berth.url}/applications/${app.id}/logs`);
    const log = logOf(page);
    await page.getByLabel('Level').selectOption('error');
    await log.getByText('error after 30', { exact: true }).waitFor();
    expect(await log.getByText(/^tick/).count()).toBe(0);
    await page.getByLabel('Level').selectOption('');
    await page.getByLabel('Time').selectOption('between');
    // To the second, as the field has it.
    await page.getByLabel('From', { exact: true }).fill(localTime(timeOf('tick 20')));
    await page.getByLabel('To', { exact: true }).fill(localTime(timeOf('tick 40')));
    await log.getByText('tick 30', { exact: true }).waitFor();
    expect(await log.getByText('tick 10', { exact: true }).count()).toBe(0);
    expect(await log.getByText('tick 50', { exact: true }).count()).toBe(0);
    await page.waitForURL(/range=between/);
    await page.waitForURL(/to=/);
    await page.reload();
    await log.getByText('tick 30', { exact: true }).waitFor();
    expect(await log.getByText('tick 50', { exact: true }).count()).toBe(0);
    await page.getByLabel('Time').selectOption('5m');
    await page
      .getByRole('status')
      .getByText(/^[\d,]+ of [\d,]+$/)
      .waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it('the services of an environment are read together, each in its own colour', async () => {
    const second = await place().fromImage('answering', talking('tock'));
    await second.deploy();
    const { page, faults, context } = await owner();
    const { environmentId, berth } = place();
    await page.goto(berth.url);
    await page.getByRole('navigation', { name: 'Main', exact: true }).getByLabel('Projects').click();
    await page.getByRole('main').getByRole('link', { name: /Shop/ }).first().click();
    await page.getByRole('main').getByRole('link', { name: 'Logs' }).click();
    await page.waitForURL(RegExp(`/logs\\?environment=${environmentId}`));
    const log = logOf(page);
    const search = page.getByLabel(/^Search in/);
    // Both are live: what comes is newer than what was there.
    const counted = await app.do<{ text: string }[] & Record<string, unknown>>('application.readLogs', {
      tail: 2,
    });
    const last = Number(/\d+$/.exec(counted.at(-1)?.text ?? '')?.[0]);
    await search.fill(`/^(tick ${last + 20}|tock 12)$/`);
    const line = (text: string) => log.locator('.log-line', { hasText: text });
    await line(`tick ${last + 20}`).waitFor();
    await line('tock 12').waitFor();
    const colourOf = (text: string): Promise<string | null> =>
      line(text).locator('.log-service').getAttribute('class');
    expect(await colourOf('tock 12')).not.toBe(await colourOf(`tick ${last + 20}`));
    expect(await line('tock 12').locator('.log-service').textContent()).toBe('answering');
    await page.getByLabel('Service').selectOption('answering');
    await line(`tick ${last + 20}`).waitFor({ state: 'detached' });
    await line('tock 12').waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
}
