/** Many tabs of one browser over plain http, which opens six connections to a server and no more. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callerOf, valueOf } from '../e2e/fixtures/caller.ts';
import { password } from '../world/inputs.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';
import { openPage, signIn, startBrowser } from './browser.ts';

let program: Program;
let world: World;
let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
  ({ program, first: world } = await startWithWorlds(0, { withPasswords: true }));
});
afterAll(async () => {
  await browser?.close();
  await program?.[Symbol.asyncDispose]();
});

/** The list of projects, with this one in it. */
const showsProject = (page: Page, name: string): Promise<void> =>
  page.getByRole('main').getByText(name, { exact: true }).first().waitFor();

it('eight tabs load and follow what happens, by one stream for all of them', async () => {
  const watched = await openPage(browser);
  const { page, faults, context } = watched;
  const { owner } = world.people;
  await signIn(watched, program.url, owner.email, password);
  const tabs = [page];
  for (let count = 0; count < 8; count += 1) tabs.push(await context.newPage());
  for (const tab of tabs) {
    await tab.goto(`${program.url}/projects`);
    await tab.getByRole('heading', { level: 1 }).waitFor();
  }
  const call = callerOf(program.url, owner.byKey);
  await valueOf(call('project.create', { name: 'Told to all' }));
  for (const tab of tabs) await showsProject(tab, 'Told to all');
  // The tab that began the stream is closed; the others are told all the same, and so is one that comes late.
  await page.close();
  const late = await context.newPage();
  await late.goto(`${program.url}/projects`);
  await showsProject(late, 'Told to all');
  await valueOf(call('project.create', { name: 'Told to the rest' }));
  for (const tab of [...tabs.slice(1), late]) await showsProject(tab, 'Told to the rest');
  expect(faults).toEqual([]);
  await context.close();
});
