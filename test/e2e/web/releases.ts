/** Releases that go wrong, and two people who change the same thing. */
import { expect, it } from 'vitest';
import type { Watched } from '../../web/browser.ts';
import { nodeCommand, nodeFiles, tinyFiles } from '../fixtures/sources.ts';
import { until, type ApplicationFixture } from '../fixtures/applications.ts';
import { shell } from './steps.ts';

export function releaseTests(place: () => ApplicationFixture, owner: () => Promise<Watched>): void {
  it('a release that never answers leaves the former up, and both are said', async () => {
    const app = await place().fromFiles('careful', tinyFiles('v1'));
    await app.deploy();
    await app.repository.commit(tinyFiles('v2', { start: 'exec sleep 1000' }));
    const { page, faults, context } = await owner();
    await page.goto(`${place().berth.url}/applications/${app.id}`);
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await page.getByRole('alert').getByText('Failed: Wait until healthy').waitFor({ timeout: 240_000 });
    await page.getByRole('link', { name: 'Shop / careful' }).click();
    await page.getByText('Up', { exact: true }).first().waitFor();
    await page.getByText('Last deployment failed', { exact: true }).waitFor();
    await page.getByText('the one before it runs on').waitFor();
    expect((await app.answer()).body).toBe('v1');
    expect(faults).toEqual([]);
    await context.close();
  });

  it('what somebody else saved meanwhile is shown, and neither is lost without being asked', async () => {
    const app = await place().fromImage('shared', nodeCommand('v1'));
    await app.do('application.saveEnvironment', { env: 'COLOUR=blue\nSIZE=1' });
    const { page, faults, context } = await owner();
    await page.goto(`${place().berth.url}/applications/${app.id}/variables`);
    await page.getByLabel('Value of COLOUR').fill('red');
    await app.do('application.saveEnvironment', { env: 'COLOUR=blue\nSIZE=2' });
    await page.getByText('The variables were changed elsewhere').waitFor();
    await page.getByText('SIZE changed').waitFor();
    expect(await page.getByLabel('Value of COLOUR').inputValue()).toBe('red');
    await page.getByRole('button', { name: 'Take theirs' }).click();
    await page.getByLabel('Value of SIZE').waitFor();
    expect(await page.getByLabel('Value of COLOUR').inputValue()).toBe('blue');
    expect(await page.getByLabel('Value of SIZE').inputValue()).toBe('2');
    expect(faults).toEqual([]);
    await context.close();
  });

  it('a shell follows the size of its window, and says that its container ended', async () => {
    const app = await place().fromFiles('resized', nodeFiles('v1'));
    await app.deploy();
    const { page, faults, context } = await owner();
    await page.goto(`${place().berth.url}/applications/${app.id}/terminal`);
    await page.getByText(shell).first().waitFor();
    // What its program is told, not what the page takes it for.
    const columns = async (mark: string): Promise<number> => {
      await page.getByLabel(/Shell in resized/).focus();
      await page.keyboard.type(`echo ${mark}=$(stty size | cut -d" " -f2).\n`);
      const line = page
        .locator('.xterm')
        .getByText(RegExp(`^${mark}=\\d+\\.`))
        .last();
      await line.waitFor();
      return Number(/=(\d+)\./.exec((await line.textContent()) ?? '')?.[1]);
    };
    const wide = await columns('wide');
    await page.setViewportSize({ width: 800, height: 700 });
    let attempt = 0;
    await until('it is narrower', async () => (await columns(`narrow${(attempt += 1)}`)) < wide || undefined);
    await app.do('application.stop');
    await page
      .getByRole('status')
      .getByText(/The container ended|ended with exit code/)
      .waitFor();
    await page.getByRole('button', { name: 'Connect again' }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
}
