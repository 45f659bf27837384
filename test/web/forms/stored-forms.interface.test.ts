/**
 * The walk over the forms that change something stored: each is opened, each of its fields changed alone,
 * saved and read back, and its dialog measured. An ordinary run takes one place in several by its seed.
 */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ofThisRun } from '../../run/mode.ts';
import { password } from '../../world/inputs.ts';
import type { Program } from '../../world/program.ts';
import { startWithWorlds } from '../../world/started.ts';
import type { World } from '../../world/world.ts';
import { openPage, signIn, startBrowser } from '../browser.ts';
import { walkPlaces } from './form-walk.ts';
import { places, setInstallationBackup } from './stored-forms.ts';

let program: Program;
let world: World;
let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
  ({ program, first: world } = await startWithWorlds(0, { withPasswords: true }));
  await setInstallationBackup(program.url, world);
});
afterAll(async () => {
  await browser?.close();
  await program?.[Symbol.asyncDispose]();
});

it('each field of a stored form is saved alone and read back', { timeout: 1_800_000 }, async () => {
  const watched = await openPage(browser);
  await signIn(watched, program.url, world.people.owner.email, password);
  const shown = places.filter(({ isAtProxy }) => isAtProxy === undefined);
  const faults = await walkPlaces({ ...watched, url: program.url, ids: world, places: ofThisRun(shown, 8) });
  expect(faults).toEqual([]);
  await watched.context.close();
});
