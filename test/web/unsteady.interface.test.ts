/**
 * The dashboard while something is wrong: no network, slow answers, failures of the server, code that is
 * gone, many tabs, a session that ended. With BERTH_PICTURES=<folder> each is stored as a picture.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { password } from '../world/inputs.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';
import { openPage, signIn, startBrowser, type Watched } from './browser.ts';
import { withoutEngine } from './screens-of.ts';
import { startUnsteadyNetwork, type UnsteadyNetwork } from './unsteady-network.ts';

let program: Program;
let world: World;
let browser: Browser;
let network: UnsteadyNetwork;

beforeAll(async () => {
  browser = await startBrowser();
  ({ program, first: world } = await startWithWorlds(0, { withPasswords: true }));
  network = await startUnsteadyNetwork(program.url);
});
afterEach(() => void (network.rule = () => 'pass'));
afterAll(async () => {
  await browser?.close();
  await network?.[Symbol.asyncDispose]();
  await program?.[Symbol.asyncDispose]();
});

async function signedIn(): Promise<Watched> {
  const watched = await openPage(browser);
  for (const status of withoutEngine) watched.expect(status);
  await signIn(watched, network.url, world.people.owner.email, password);
  return watched;
}

async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['BERTH_PICTURES'];
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `unsteady-${name}.png`) });
}

const openProjects = async ({ page }: Watched): Promise<void> => {
  await page.goto(`${network.url}/projects`);
  await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
};

it('offline, a bar says so, the page stays, and both mend themselves', async () => {
  const watched = await signedIn();
  const { page, context } = watched;
  await openProjects(watched);
  const bar = page.getByRole('status').filter({ hasText: 'You are offline' });
  await context.setOffline(true);
  await bar.waitFor();
  // A page whose code was never fetched: the frame stays.
  await page.getByRole('link', { name: 'Servers' }).first().click();
  await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
  await picture(page, 'offline');
  expect(await page.getByRole('navigation', { name: 'Main', exact: true }).count()).toBe(1);
  await context.setOffline(false);
  await page.getByRole('heading', { level: 1, name: 'Servers' }).waitFor();
  await bar.waitFor({ state: 'detached' });
  await context.close();
});

it('slow answers leave the shape of the page, and then it is there', async () => {
  const watched = await signedIn();
  const { page, context } = watched;
  network.rule = (path) => (path.startsWith('/api/') ? { delayMs: 3000 } : 'pass');
  await page.goto(`${network.url}/projects`);
  await page.getByText('Loading the dashboard…').waitFor({ state: 'attached' });
  await picture(page, 'slow-session');
  await page.locator('nav[aria-label="Main"]').waitFor();
  await page.locator('[data-skeleton]').first().waitFor();
  await picture(page, 'slow-page');
  await page.getByText('Shop', { exact: true }).first().waitFor();
  expect(watched.faults).toEqual([]);
  await context.close();
});

it('a failure of the server is said, and asked for again by a button', async () => {
  const watched = await signedIn();
  watched.expect(500);
  const { page, context } = watched;
  network.rule = (path) => (path.startsWith('/api/auth/get-session') ? { status: 500 } : 'pass');
  await page.goto(`${network.url}/projects`);
  await page.getByRole('alert').getByText('Something failed in Berth.').waitFor();
  await picture(page, '500-session');
  network.rule = (path) => (path.startsWith('/api/project.all') ? { status: 500 } : 'pass');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
  await page.getByRole('alert').getByText('Something failed in Berth.').waitFor();
  await picture(page, '500-page');
  network.rule = () => 'pass';
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Shop', { exact: true }).first().waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await context.close();
});

it('code that an upgrade took asks for a reload, and the former page stays until then', async () => {
  const watched = await signedIn();
  watched.expect(404);
  const { page, context } = watched;
  await openProjects(watched);
  // The tab holds the former version: its code is gone, and the page names another.
  network.rule = (path) => {
    if (/\/assets\/servers-.*\.js/.test(path)) return { status: 404 };
    return path === '/' ? { page: '<script type="module" src="/assets/index-newer.js"></script>' } : 'pass';
  };
  await page.getByRole('link', { name: 'Servers' }).first().click();
  await page.getByRole('heading', { name: 'Berth was updated' }).waitFor();
  await page.getByRole('status').filter({ hasText: 'Berth was updated' }).waitFor();
  await picture(page, 'chunk-missing');
  network.rule = () => 'pass';
  await page.getByRole('main').getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('heading', { level: 1, name: 'Servers' }).waitFor();
  expect(await page.getByText('Berth was updated').count()).toBe(0);
  await context.close();
});

it('Berth away: the bar comes and goes', async () => {
  const watched = await signedIn();
  const { page, context } = watched;
  await openProjects(watched);
  network.rule = (path) => (path.startsWith('/api/') ? 'drop' : 'pass');
  await page.getByRole('link', { name: 'Deployments' }).first().click();
  const bar = page.getByRole('status').filter({ hasText: 'Berth does not answer' });
  await bar.waitFor();
  await picture(page, 'away');
  network.rule = () => 'pass';
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await bar.waitFor({ state: 'detached' });
  expect(await page.locator('nav[aria-label="Main"]').count()).toBe(1);
  await context.close();
});

it('five tabs with logs leave connections for the next page', async () => {
  const watched = await signedIn();
  const { page, context } = watched;
  network.rule = (path) => (path.includes('/api/deployment.logs') ? 'hold' : 'pass');
  const tabs: Page[] = [];
  for (let count = 0; count < 5; count += 1) {
    const tab = await context.newPage();
    await tab.goto(`${network.url}/deployments/${world.own['deploymentId']}`);
    await tab.getByRole('log').waitFor();
    tabs.push(tab);
  }
  await expect.poll(() => network.held()).toBe(3);
  await openProjects(watched);
  await page.getByText('Shop', { exact: true }).first().waitFor();
  await picture(tabs[0] ?? page, 'five-tabs');
  expect(watched.faults).toEqual([]);
  await context.close();
});

it('a session that ended is asked for over the page, which stays', async () => {
  const watched = await signedIn();
  watched.expect(401);
  const { page, context } = watched;
  await openProjects(watched);
  await context.clearCookies();
  await page.getByRole('link', { name: 'Deployments' }).first().click();
  await page.getByRole('dialog').getByLabel('Password').waitFor();
  await picture(page, 'session-over');
  expect(await page.locator('nav[aria-label="Main"]').count()).toBe(1);
  await context.close();
});
