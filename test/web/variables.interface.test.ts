/** The editor of variables: what each becomes, from where it comes, and values that nobody sees unasked. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callerOf, valueOf } from '../e2e/fixtures/caller.ts';
import { password } from '../world/inputs.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';
import { openPage, signIn, startBrowser, type Watched } from './browser.ts';

let program: Program;
let world: World;
let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
  ({ program, first: world } = await startWithWorlds(0, { withPasswords: true }));
  const call = callerOf(program.url, world.people.owner.byKey);
  const { projectId, environmentId, applicationId } = world.own;
  await valueOf(call('project.update', { projectId, env: 'REGION=eu\nLOG=info\nPOOL=small-pool' }));
  await valueOf(call('environment.update', { environmentId, env: 'LOG=debug\nHOST=db.${{REGION}}.test' }));
  await valueOf(
    call('application.saveEnvironment', {
      applicationId,
      env: 'URL=https://${{HOST}}/\nLOG=${{environment.LOG}},sql',
    }),
  );
});
afterAll(async () => {
  await browser?.close();
  await program?.[Symbol.asyncDispose]();
});

async function editor(): Promise<Watched> {
  const watched = await openPage(browser);
  await signIn(watched, program.url, world.people.owner.email, password);
  await watched.page.goto(`${program.url}/applications/${world.own.applicationId}/variables`);
  return watched;
}

it('each value says what it becomes and from where, once somebody looks at it', async () => {
  const { page, faults, context } = await editor();
  const row = page.getByRole('listitem').filter({ has: page.getByLabel('Value of URL') });
  await row.getByText('from the environment, the project').waitFor();
  expect(await page.getByText('https://db.eu.test/').count()).toBe(0);
  await page.getByLabel('Value of URL').focus();
  await row.getByText('https://db.eu.test/').waitFor();
  const log = page.getByRole('listitem').filter({ has: page.getByLabel('Value of LOG') });
  await log.getByText('in place of that of the environment').waitFor();
  // What is typed is foreseen as well.
  await page.getByLabel('Value of URL').fill('https://${{project.REGION}}.test/');
  await row.getByText('https://eu.test/').waitFor();
  await row.getByText('from the project').waitFor();
  expect(faults).toEqual([]);
  page.once('dialog', (dialog) => void dialog.accept());
  await context.close();
});

it('what environment and project give stands there, each with its origin, and as text as well', async () => {
  const { page, faults, context } = await editor();
  const given = page.locator('section', {
    has: page.getByRole('heading', { name: 'Given by environment and project' }),
  });
  const names = given.locator('li code[title]');
  await names.first().waitFor();
  expect((await names.allTextContents()).filter((name) => /^[A-Z]+$/.test(name))).toEqual([
    'HOST',
    'REGION',
    'POOL',
  ]);
  expect(await page.getByText('small-pool').count()).toBe(0);
  await given.getByRole('button', { name: 'Show POOL' }).click();
  await given.getByText('small-pool').waitFor();
  await page.getByRole('button', { name: 'Edit as text' }).click();
  await page.getByRole('button', { name: 'Show values' }).click();
  await page.getByText('https://db.eu.test/').waitFor();
  await page.getByLabel('Variables as text').fill('URL=${{POOL}}-1\nPOOL=own-pool');
  await page.getByText('own-pool-1').waitFor();
  expect(await names.allTextContents()).not.toContain('POOL');
  expect(faults).toEqual([]);
  page.once('dialog', (dialog) => void dialog.accept());
  await context.close();
});
