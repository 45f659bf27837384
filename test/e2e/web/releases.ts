/** Releases that go wrong, and two people who change the same thing. */
import { expect, it } from 'vitest';
import type { Watched } from '../../web/browser.ts';
import { nodeCommand, tinyFiles } from '../fixtures/sources.ts';
import type { Workshop } from '../fixtures/workshop.ts';

export function releaseTests(place: () => Workshop, owner: () => Promise<Watched>): void {
  it('a release that never answers leaves the former up, and both are said', async () => {
    const app = await place().fromFiles('careful', tinyFiles('v1'));
    await app.deploy();
    await app.repository.commit(tinyFiles('v2', { start: 'exec sleep 1000' }));
    const { page, faults, context } = await owner();
    await page.goto(`${place().berth.url}/applications/${app.id}`);
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await page
      .getByRole('alert')
      .getByText('Failed in the stage await-healthy')
      .waitFor({ timeout: 240_000 });
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
}
