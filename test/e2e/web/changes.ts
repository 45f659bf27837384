/** The page of a deployment: what it brought, and the same once more without what earlier builds left. */
import { expect, it } from 'vitest';
import type { Watched } from '../../web/browser.ts';
import { tinyFiles } from '../fixtures/sources.ts';
import type { ApplicationFixture } from '../fixtures/applications.ts';

export function changeTests(place: () => ApplicationFixture, owner: () => Promise<Watched>): void {
  it('a deployment names what it changed, and is built again without cache', async () => {
    const { berth, fromFiles } = place();
    const app = await fromFiles('changing', tinyFiles('v1', { steps: ['echo prepared'] }));
    const first = await app.deploy();
    await app.do('application.saveEnvironment', { env: 'COLOUR=blue' });
    await app.do('application.update', { replicas: 2 });
    await app.repository.commit(tinyFiles('v2', { steps: ['echo prepared'] }));
    const second = await app.deploy();
    expect(await app.log(second.deploymentId)).toMatch(/CACHED|Using cache/);

    const { page, faults, context } = await owner();
    await page.goto(`${berth.url}/deployments/${second.deploymentId}`);
    const changes = page.locator('section', { has: page.getByRole('heading', { name: 'What changed' }) });
    await changes.getByText('COLOUR', { exact: true }).waitFor();
    await changes.getByText('Replicas').waitFor();
    await changes.getByText((first.commit ?? '').slice(0, 7)).waitFor();
    await changes.getByText((second.commit ?? '').slice(0, 7)).waitFor();

    await page.getByRole('button', { name: 'Build again without cache' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(second.deploymentId));
    const third = await app.ended(new URL(page.url()).pathname.split('/').at(-1) ?? '');
    expect(third.status).toBe('done');
    expect(await app.log(third.deploymentId)).not.toMatch(/CACHED|Using cache/);
    await changes.getByText('The same commit').waitFor();
    expect(await changes.getByText('No change').count()).toBe(2);
    expect(faults).toEqual([]);
    await context.close();
  });
}
