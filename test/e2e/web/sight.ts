/** What a Member's page is told of: what is theirs, for as long as they belong. */
import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { openPage, type Watched } from '../../web/browser.ts';
import type { Browser } from 'playwright-core';
import { nodeCommand } from '../fixtures/sources.ts';
import type { ApplicationFixture } from '../fixtures/applications.ts';

export function sightTests(browser: () => Browser, place: () => ApplicationFixture): void {
  it("a Member's Home and events tell of assigned services alone, and end with the membership", async () => {
    const { berth, fromImage, application } = place();
    const [mine, foreign] = [await fromImage('assigned', nodeCommand('v1')), await application('withheld')];
    const watched = await join(browser(), place(), mine.id);
    const { page, context } = watched;
    await page.getByRole('link', { name: /assigned/ }).waitFor();
    expect(await page.getByText('withheld').count()).toBe(0);

    await listen(page);
    await foreign.do('application.update', { description: 'changed' });
    await mine.do('application.update', { description: 'changed' });
    await expect.poll(() => heard(page)).toContain(mine.id);
    expect(await heard(page)).not.toContain(foreign.id);
    expect(await page.content()).not.toContain('withheld');

    const members = await berth.call<{ userId: string; email: string }[]>('organization.members');
    const dora = members.find(({ email }) => email === 'dora@example.com');
    for (const status of [401, 403, 404]) watched.expect(status);
    await berth.call('organization.removeMember', { userId: dora?.userId });
    await expect.poll(() => page.evaluate<boolean>('window.streamEnded === true')).toBe(true);
    await mine.do('application.update', { description: 'changed once more' });
    expect(await heard(page)).not.toContain('once more');
    expect(watched.faults).toEqual([]);
    await context.close();
  });
}

async function join(
  browser: Browser,
  { berth }: ApplicationFixture,
  applicationId: string,
): Promise<Watched> {
  const { token } = await berth.call<{ token: string }>('organization.invite', {
    email: 'dora@example.com',
    role: 'member',
    grants: { accessedServices: [applicationId] },
  });
  const watched = await openPage(browser);
  const { page } = watched;
  await page.goto(`${berth.url}/join#${token}`);
  await page.getByLabel('Name').fill('Dora');
  await page.getByLabel('Password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Create your account' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  return watched;
}

/** A stream of the page's own beside the dashboard's, whose text is kept. */
const listen = (page: Page): Promise<unknown> =>
  page.evaluate(`(async () => {
    const answer = await fetch('/api/event.stream', { headers: { accept: 'text/event-stream' } });
    window.heard = '';
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    const read = () => reader.read().then(({ done, value }) => {
      if (done) window.streamEnded = true;
      else { window.heard += value; read(); }
    }, () => { window.streamEnded = true; });
    read();
  })()`);

const heard = (page: Page): Promise<string> => page.evaluate<string>('window.heard');
