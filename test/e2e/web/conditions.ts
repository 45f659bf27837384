/** What happens to a container behind Berth's back is on the page soon, without anybody asking. */
import { expect, it } from 'vitest';
import type { Watched } from '../../web/browser.ts';
import { dockerOf } from '../../bed/docker.ts';
import { nodeCommand } from '../fixtures/sources.ts';
import { output, docker, type ApplicationFixture } from '../fixtures/applications.ts';

/** The brief's promise. */
const shownWithinMs = 10_000;

export function conditionTests(place: () => ApplicationFixture, owner: () => Promise<Watched>): void {
  it('a killed container is shown within 10 s, and so is its successor', async () => {
    const { berth, fromImage } = place();
    const app = await fromImage('mortal', nodeCommand('v1'));
    await app.deploy();
    const { page, faults, context } = await owner();
    const row = page.getByRole('main').getByRole('link', { name: /mortal/ });
    await row.getByText('Up', { exact: true }).waitFor();
    const [container = ''] = await dockerOf(berth.host).containersOf(app.appName);
    const killedAt = Date.now();
    await output(berth.host, docker, 'kill', container);
    await row.getByText('Up', { exact: true }).waitFor({ state: 'detached', timeout: shownWithinMs });
    console.log(`shown ${Date.now() - killedAt} ms after it was killed`);
    await row.getByText('Up', { exact: true }).waitFor();
    expect(await dockerOf(berth.host).containersOf(app.appName)).not.toContain(container);
    expect(faults).toEqual([]);
    await context.close();
  });
}
