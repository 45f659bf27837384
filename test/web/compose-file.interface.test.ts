/** The editor of a compose file says what a deployment would make of it before anything is saved. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Browser } from 'playwright-core';
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

it.each([
  ['a service', (): string => `/compose/${world.own.composeId}/file`],
  ['a new service', (): string => '/new?kind=compose'],
])('the file of %s is judged while it is typed', async (_what, address) => {
  const watched = await openPage(browser);
  const { page, faults, context } = watched;
  await signIn(watched, program.url, world.people.owner.email, password);
  await page.goto(`${program.url}${address()}`);
  const editor = page.getByRole('textbox', { name: 'Compose file' });
  const found = page.getByRole('list', { name: 'What a deployment says of this file' });
  const write = async (service: string): Promise<void> => {
    await editor.press('Control+a');
    await editor.press('Delete');
    await page.keyboard.type('# shop');
    await editor.press('Enter');
    await page.keyboard.type(`services: {web: {image: "shop:1"${service}}}`);
  };
  await write(', imagee: x');
  await found.getByText('Refused · line 2').waitFor();
  await found.getByText('Did you mean image?').waitFor();
  await write(', ports: ["127.0.0.1:9000:9000"]');
  await found.getByText('Note · line 2').waitFor();
  await write('');
  await found.waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
  page.on('dialog', (dialog) => void dialog.accept());
  await context.close();
});
