/** The log of what runs: followed, searched, linked to, downloaded; who reads is left where they read. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { Watched } from '../../web/browser.ts';
import { until, type Workshop } from '../fixtures/workshop.ts';

/** Four lines a second, and an answer for the health check. */
const talking =
  `node -e 'let n = 0; setInterval(() => console.log("tick " + ++n), 250); ` +
  `require("http").createServer((q, s) => s.end("ok")).listen(3000)'`;

export function outputTests(place: () => Workshop, owner: () => Promise<Watched>): void {
  it('logs are followed, searched, linked to and downloaded; scrolling up stops following', async () => {
    const app = await place().fromImage('talking', talking);
    await app.deploy();
    const { page, faults, context } = await owner();
    await page.goto(`${place().berth.url}/applications/${app.id}/logs`);
    const log = page.getByRole('log');
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
    const number = log.locator('.log-line', { hasText: 'tick 15' }).getByRole('link');
    const line = await number.textContent();
    await number.click();
    await search.fill('');
    await page.waitForURL(RegExp(`#L${line}$`));
    await page.locator('[data-linked]').getByText('tick 15', { exact: true }).waitFor();

    const begun = page.waitForEvent('download');
    await page.getByRole('button', { name: /Download/ }).click();
    const path = await (await begun).path();
    const text = await until('the file is written', () => readFile(path, 'utf8'));
    expect(text).toMatch(/tick 1\n[\s\S]*tick 80\n/);
    expect(faults).toEqual([]);
    await context.close();
  });
}
