/** From the address that set-up prints to an application that answers, by whoever clicks without reading. */
import type { Browser } from 'playwright-core';
import { expect, it } from 'vitest';
import { openPage, type Watched } from '../../web/browser.ts';
import { owner } from '../fixtures/berth-host.ts';
import { createRepository } from '../fixtures/repository.ts';
import { tinyFiles } from '../fixtures/sources.ts';
import { until, type ApplicationFixture } from '../fixtures/applications.ts';
import { stepsOn, type Steps } from './steps.ts';

export interface FirstRun {
  watched: Watched;
  steps: Steps;
  /** Milliseconds from the opening of the page until its account was there. */
  ms: number;
}

/** Makes the first account in the browser; gives the page as it is then, and an API key of the account. */
export async function beginFirstRun(
  browser: Browser,
  url: string,
  token: string,
): Promise<FirstRun & { apiKey: string }> {
  const watched = await openPage(browser);
  const { page } = watched;
  const steps = stepsOn(page);
  const begun = Date.now();
  await page.goto(`${url}/sign-up#${token}`);
  await page.getByLabel('Name').fill(owner.name);
  await page.getByLabel('Email').fill(owner.email);
  await page.getByLabel('Password').fill(owner.password);
  await steps.click(page.getByRole('button', { name: 'Create your account' }));
  await page.getByRole('heading', { name: 'Deploy your first application' }).waitFor();
  const ms = Date.now() - begun;
  const apiKey = await page.evaluate<string>(`(async () => {
    const { session } = await (await fetch('/api/auth/get-session')).json();
    const made = await fetch('/api/user.createApiKey', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'test', metadata: { organizationId: session.activeOrganizationId } }),
    });
    return (await made.json()).key;
  })()`);
  return { watched, steps, ms, apiKey };
}

export function firstRunTests(place: () => ApplicationFixture, first: () => FirstRun): void {
  it('a git address becomes an application that answers, with its log live', async () => {
    const { watched, steps, ms } = first();
    const { page, faults, context } = watched;
    const { berth } = place();
    const repository = await createRepository(berth.host, 'hello', tinyFiles('hello'));
    const begun = Date.now();
    await page.getByLabel('Git address').fill(repository.url);
    await steps.click(page.getByRole('button', { name: 'Deploy' }));
    await page.waitForURL(/\/deployments\//);
    // The stages and the lines come without a reload.
    await page.getByRole('log').getByText('Dockerfile').first().waitFor();
    const done = page.getByRole('main').getByText('Done', { exact: true }).first();
    await done.waitFor({ timeout: 240_000 });
    const address = page.getByText(/^hello is released at/).getByRole('link');
    const { host } = new URL((await address.getAttribute('href')) ?? '');
    const answered = async (): Promise<{ body: string } | undefined> => {
      const answer = await berth.proxied(host);
      return answer.status === 200 ? answer : undefined;
    };
    expect((await until('it answers', answered))?.body).toBe('hello');
    // Two clicks and four fields: the account, and where the sources are.
    expect(steps.count).toBe(2);
    const seconds = (ms + Date.now() - begun) / 1000;
    console.log(
      `From the opened page to an application that answers: ${seconds.toFixed(1)} s (promised: 60)`,
    );
    await page.getByRole('link', { name: /\/ hello$/ }).click();
    await page.getByText('Up', { exact: true }).first().waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
}
