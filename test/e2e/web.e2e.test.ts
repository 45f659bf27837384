/**
 * The dashboard on a real engine, proxy and git, in a real browser: from a git address to an application that
 * answers, a failed build at its line, a rollback, a variable in its container, by phone too.
 */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Bed } from '../bed/bed.ts';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { openPage, signIn, startBrowser, type Look, type Watched } from '../web/browser.ts';
import { berthHost } from './fixtures/berth-host.ts';
import { tinyFiles } from './fixtures/sources.ts';
import { backupTests } from './web/backups.ts';
import { changeTests } from './web/changes.ts';
import { conditionTests } from './web/conditions.ts';
import { domainTests } from './web/domains.ts';
import { formTests } from './web/forms.ts';
import { beginFirstRun, firstRunTests, type FirstRun } from './web/first-run.ts';
import { jobTests } from './web/jobs.ts';
import { outputTests } from './web/output.ts';
import { releaseTests } from './web/releases.ts';
import { screenTests } from './web/screens.ts';
import { sightTests } from './web/sight.ts';
import { applicationFixture, type App, type ApplicationFixture } from './fixtures/applications.ts';

let shop: ApplicationFixture;
let browser: Browser;
let first: FirstRun;
let bed: Bed;

beforeAll(async () => {
  browser = await startBrowser();
  bed = await bedOfRun();
  const firstAccount = async (url: string, token: string): Promise<string> => {
    const { apiKey, ...run } = await beginFirstRun(browser, url, token);
    first = run;
    return apiKey;
  };
  shop = await applicationFixture(await berthHost(bed, 'web', 58, {}, { firstAccount }));
});
afterAll(async () => {
  await browser?.close();
  await shop?.berth.host.kill();
});

async function owner(look?: Look): Promise<Watched> {
  const watched = await openPage(browser, look);
  await signIn(watched, shop.berth.url, 'ada@example.com', 'correct horse battery');
  return watched;
}

const serving = (version: string): ReturnType<typeof tinyFiles> => tinyFiles(version);
/** What the page of a deployment says of it. */
const done = (page: Watched['page']) => page.getByRole('main').getByText('Done', { exact: true }).first();

describe('first run', () => {
  firstRunTests(
    () => shop,
    () => first,
  );
});

let app: App;

it('a failed build says why in the list and on its page; two clicks bring the one before back', async () => {
  const made = await shop.fromFiles('letters', serving('v1'));
  app = made;
  const { commit } = await made.deploy();
  await made.repository.commit(serving('v2'));
  await made.deploy();
  await made.repository.commit(tinyFiles('v3', { steps: ['echo the disk is upside down && exit 7'] }));
  const { page, faults, context } = await owner();
  await page.goto(`${shop.berth.url}/applications/${made.id}`);
  await page.getByRole('button', { name: 'Deploy', exact: true }).click();
  await page.getByRole('alert').getByText('Failed: Build').waitFor({ timeout: 240_000 });
  await page.getByRole('log').getByText('the disk is upside down').first().waitFor();
  await page.goto(`${shop.berth.url}/applications/${made.id}/deployments`);
  await page.getByRole('link', { name: /Failed/ }).waitFor();
  // The live release goes back to the one before it, in two clicks on its page.
  await page.getByRole('link', { name: /^Done.*Live/ }).click();
  await page.getByRole('button', { name: `Roll back to ${commit?.slice(0, 7)}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
  await page.getByRole('heading', { name: /^Rollback/ }).waitFor();
  await done(page).waitFor({ timeout: 240_000 });
  expect((await made.answer()).body).toBe('v1');
  expect(faults).toEqual([]);
  await context.close();
});

it('a variable is saved, deployed and seen in the container', async () => {
  const { page, faults, context } = await owner();
  await page.goto(`${shop.berth.url}/applications/${app.id}/variables`);
  await page.getByRole('button', { name: 'Add variable' }).click();
  await page.getByLabel('Name', { exact: true }).fill('COLOUR');
  await page.getByLabel('Value of COLOUR').fill('deep blue');
  await app.do('application.saveGitProvider', {
    customGitUrl: ((await app.view()) as unknown as { customGitUrl: string }).customGitUrl,
    customGitBranch: 'main',
  });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'detached' });
  const stored = (await app.view()) as unknown as { env: string };
  expect(stored.env).toBe("COLOUR='deep blue'");
  // The git address is another revision; the page asks again by itself, if it has not heard of it before.
  expect(faults.filter((fault) => !/^409 .*saveEnvironment$/.test(fault))).toEqual([]);
  await context.close();
});

it('logs of what runs are followed, and a line has a link', async () => {
  const { page, faults, context } = await owner({ width: 360, height: 780 });
  await page.goto(`${shop.berth.url}/applications/${app.id}/logs`);
  await page.getByRole('log').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

const heading = (page: Watched['page'], name: string | RegExp) => page.getByRole('heading', { name });

it('who is invited joins in a browser of their own and sees what is theirs, without a shell', async () => {
  const other = await shop.fromFiles('private', serving('private'));
  const { token } = await shop.berth.call<{ token: string }>('organization.invite', {
    email: 'bob@example.com',
    role: 'member',
    grants: { accessedServices: [app.id] },
  });
  const member = await openPage(browser);
  const { page, faults, context } = member;
  await page.goto(`${shop.berth.url}/join#${token}`);
  await heading(page, /^Join /).waitFor();
  expect(await page.getByLabel('Email').inputValue()).toBe('bob@example.com');
  // Loaded once more, the page still has its token.
  await page.reload();
  await page.getByLabel('Name').fill('Bob');
  await page.getByLabel('Password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Create your account' }).click();
  await heading(page, 'Home').waitFor();
  await page
    .getByRole('link', { name: /letters/ })
    .first()
    .waitFor();
  expect(await page.getByText('private', { exact: true }).count()).toBe(0);
  await page.goto(`${shop.berth.url}/applications/${app.id}/terminal`);
  await page.getByText('Only Owners, Admins and Members').waitFor();
  expect(await page.getByRole('heading', { name: 'Shell' }).count()).toBe(0);
  expect(faults).toEqual([]);
  member.expect(404);
  member.expect(403);
  await page.goto(`${shop.berth.url}/applications/${other.id}`);
  await page.getByRole('alert').first().waitFor();
  // Whoever is removed sees nothing further: what they read next is refused.
  const members = await shop.berth.call<{ userId: string; email: string }[]>('organization.members');
  const bob = members.find(({ email }) => email === 'bob@example.com');
  await shop.berth.call('organization.removeMember', { userId: bob?.userId });
  member.expect(401);
  await page.goto(shop.berth.url);
  await page.getByRole('link', { name: /letters/ }).waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
  await context.close();
});

it('a shell is typed in, has the size of its window, and says why it ended', async () => {
  const { page, faults, context } = await owner();
  await page.goto(`${shop.berth.url}/applications/${app.id}/terminal`);
  const typed = page.getByLabel(/Shell in letters/);
  const shown = page.locator('.xterm');
  await page.getByText('sh', { exact: true }).first().waitFor();
  await typed.focus();
  await page.keyboard.type('echo up$((40+2))down\n');
  await shown.getByText('up42down').first().waitFor();
  await page.keyboard.type('exit 7\n');
  await page.getByRole('status').getByText('ended with exit code 7').waitFor();
  await page.getByRole('button', { name: 'Connect again' }).click();
  await page.getByText('sh', { exact: true }).first().waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

it('leaving with an edited variable asks first, and staying keeps it', async () => {
  const { page, faults, context } = await owner();
  await page.goto(`${shop.berth.url}/applications/${app.id}/variables`);
  await page.getByLabel('Value of COLOUR').fill('red');
  page.once('dialog', (dialog) => void dialog.dismiss());
  await page.getByRole('link', { name: 'Deployments' }).first().click();
  // Asked, and stayed.
  await page.getByLabel('Value of COLOUR').waitFor();
  expect(await page.getByLabel('Value of COLOUR').inputValue()).toBe('red');
  expect(faults).toEqual([]);
  page.once('dialog', (dialog) => void dialog.accept());
  await context.close();
});

it('the keyboard alone leads to a deployment, and a phone rolls it back', async () => {
  const desk = await owner();
  await heading(desk.page, 'Home').waitFor();
  await desk.page.keyboard.press('Control+k');
  await desk.page.getByLabel('Find a service or an action').waitFor();
  await desk.page.keyboard.type('deploy letters');
  await desk.page
    .getByRole('option', { name: /Deploy letters/ })
    .first()
    .waitFor();
  await desk.page.getByText('berth deploy Shop/letters').waitFor();
  await desk.page.keyboard.press('Enter');
  await desk.page.waitForURL(/\/applications\/.*\/deployments/);
  expect(desk.faults).toEqual([]);
  await desk.context.close();
  await app.ended(
    (await shop.berth.call<{ deploymentId: string }>('deployment.latest', { applicationId: app.id }))
      .deploymentId,
  );
  const { page, faults, context } = await owner({ width: 360, height: 780 });
  await page.goto(`${shop.berth.url}/applications/${app.id}/deployments`);
  await page.getByRole('link', { name: /^Done/ }).first().click();
  await page.getByRole('button', { name: /^Roll back to/ }).click();
  const former = page.url();
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
  // The one that is left is a rollback, too.
  await page.waitForURL((url) => url.href !== former);
  await heading(page, /^Rollback/).waitFor();
  await done(page).waitFor({ timeout: 240_000 });
  expect((await app.answer()).body).toBe('v2');
  expect(faults).toEqual([]);
  await context.close();
});

it('after a crash of Berth the page goes on by itself, and hears of what comes then', async () => {
  const watched = await owner();
  const { page, context } = watched;
  watched.expect(502);
  await heading(page, 'Home').waitFor();
  await shop.berth.kill();
  await shop.berth.start();
  const made = await shop.application('after-the-crash');
  await page
    .getByRole('link', { name: /after-the-crash/ })
    .first()
    .waitFor({ timeout: 180_000 });
  await made.do('application.delete');
  await page.getByRole('link', { name: /after-the-crash/ }).waitFor({ state: 'detached', timeout: 180_000 });
  expect(await page.getByRole('heading', { name: 'Sign in' }).count()).toBe(0);
  await context.close();
});

describe('jobs', () => {
  jobTests(() => shop, owner);
});
describe('releases', () => {
  releaseTests(() => shop, owner);
});
describe('output', () => {
  outputTests(() => shop, owner);
});
describe('sight', () => {
  sightTests(
    () => browser,
    () => shop,
  );
});
describe('backups', () => {
  backupTests(
    () => bed,
    () => shop,
    owner,
  );
});
describe('domains', () => {
  domainTests(() => shop, owner);
});
describe('changes', () => {
  changeTests(() => shop, owner);
});
describe('conditions', () => {
  conditionTests(() => shop, owner);
});

it('hostile names and log lines stay text', async () => {
  const name = '<img src=x onerror=alert(1)>"\'&';
  const hostile = await shop.fromFiles(
    'hostile',
    tinyFiles('x', { steps: ['echo "<script>alert(2)</script>" && exit 3'] }),
  );
  await hostile.do('application.update', { name });
  await hostile.ended(await hostile.begin());
  const { page, faults, context } = await owner();
  await page.getByText(name).first().waitFor();
  const { deploymentId } = await shop.berth.call<{ deploymentId: string }>('deployment.latest', {
    applicationId: hostile.id,
  });
  await page.goto(`${shop.berth.url}/deployments/${deploymentId}`);
  await page.getByRole('log').getByText('<script>alert(2)</script>').first().waitFor();
  expect(await page.locator('img[src=x]').count()).toBe(0);
  expect(faults).toEqual([]);
  await context.close();
});

it('a command by schedule runs, and its output is there', async () => {
  const { page, faults, context } = await owner();
  await page.goto(`${shop.berth.url}/applications/${app.id}/schedules`);
  await page.getByRole('button', { name: 'Add schedule' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('report');
  await dialog.getByLabel('When').fill('0 4 * * *');
  await dialog.getByLabel('Command').fill('echo "all is well"');
  await dialog.getByRole('button', { name: 'Add schedule' }).click();
  await page.getByText('Every day at 04:00').waitFor();
  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('button', { name: /Done/ }).first().click({ timeout: 120_000 });
  await page.getByRole('dialog').getByText('all is well').waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

describe('stored forms', () => {
  formTests(() => shop, owner);
});

describe('screens', () => {
  screenTests(() => shop, owner);
});

it('an application is deleted by typing its name', async () => {
  const { page, faults, context } = await owner();
  await page.goto(`${shop.berth.url}/applications/${app.id}/settings`);
  await page.getByRole('button', { name: 'Delete application' }).click();
  const dialog = page.getByRole('dialog');
  const button = dialog.getByRole('button', { name: 'Delete' });
  expect(await button.isDisabled()).toBe(true);
  await dialog.getByLabel(/Type letters/).fill('letters');
  await button.click();
  await page.waitForURL(/\/projects\//);
  const gone = await shop.berth.ask('application.one', { applicationId: app.id });
  expect(gone.status).toBe(404);
  expect(faults).toEqual([]);
  await context.close();
});
