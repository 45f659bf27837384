/** The editor of variables: what each becomes, from where it comes, and values that nobody sees unasked. */
import type { Browser, Page, Response } from 'playwright-core';
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
  // Of a service, its deployment alone knows it: the reference does not become itself.
  await page.getByLabel('Value of URL').fill('${{postgres.URL}}');
  await row.getByText('filled in by the deployment, from postgres').waitFor();
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

/** Answers of the page's procedure whose name begins so. */
const answered = (page: Page, procedure: string): Promise<Response> =>
  page.waitForResponse((response) => response.url().includes(`/api/${procedure}`));
/** What the page says that the variables are from now on. */
const savedNext = async (page: Page): Promise<string> => {
  const request = await page.waitForRequest((asked) => asked.url().includes('application.saveEnvironment'));
  return (request.postDataJSON() as { env: string }).env;
};

it('what is typed while a save is under way stays, and the keys that save and deploy count', async () => {
  const watched = await editor();
  const { page, faults, context } = watched;
  const value = page.getByLabel('Value of LOG');
  await value.fill('first');
  // The page reads again what a save may have changed. Of it one answer is held back, as of a busy Berth.
  const { promise: held, resolve: giveIt } = Promise.withResolvers<void>();
  await page.route('**/api/project.one*', async (route) => {
    await held;
    await route.continue();
  });
  const read = answered(page, 'application.one');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await read;
  await value.fill('second');
  const second = savedNext(page);
  const deployed = answered(page, 'application.deploy');
  await value.press('Control+Enter');
  giveIt();
  expect(await second).toContain('LOG=second');
  await deployed;
  await page.waitForURL(/\/deployments\//);
  expect(faults).toEqual([]);
  await context.close();
});

it('what is typed just after a save stays where it is typed', async () => {
  const { page, faults, context } = await editor();
  const value = page.getByLabel('Value of LOG');
  await value.fill('third');
  const { promise: held, resolve: giveIt } = Promise.withResolvers<void>();
  const answer = answered(page, 'application.saveEnvironment');
  await page.route('**/api/project.one*', async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await answer;
  await value.fill('fourth');
  const again = answered(page, 'project.one');
  giveIt();
  await again;
  // Only its own edit is left, nobody else's is told of, and the field has kept the focus.
  await page.getByRole('button', { name: 'Discard' }).waitFor();
  await page.keyboard.type(', and more');
  expect(await value.inputValue()).toBe('fourth, and more');
  expect(await page.getByRole('button', { name: 'Take theirs' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Discard' }).click();
  expect(await value.inputValue()).toBe('third');
  expect(faults).toEqual([]);
  await context.close();
});

it('a reference is completed as it is typed, and one that names nothing is red at once', async () => {
  const { page, faults, context } = await editor();
  const value = page.getByLabel('Value of URL');
  await value.focus();
  await value.fill('');
  await value.pressSequentially('x-${{REG');
  await page.getByRole('option', { name: 'project.REGION' }).click();
  expect(await value.inputValue()).toBe('x-${{project.REGION}}');
  const row = page.getByRole('listitem').filter({ has: value });
  await row.getByText('x-eu').waitFor();
  await value.fill('${{project.REGIN}}');
  await row.getByRole('alert').filter({ hasText: 'Nothing here is called project.REGIN' }).waitFor();
  await value.fill('');
  await value.pressSequentially('${{environment.');
  await page.keyboard.press('Enter');
  await row.getByText('from the environment').waitFor();
  expect(faults).toEqual([]);
  page.once('dialog', (dialog) => void dialog.accept());
  await context.close();
});
