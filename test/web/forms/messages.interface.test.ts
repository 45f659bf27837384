/**
 * What forms say of what is wrong in them: at the field, in the words of the page, by the names that the
 * screen shows.
 */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import described from '../../../web/src/generated/form-fields.json' with { type: 'json' };
import { ofThisRun } from '../../run/mode.ts';
import { password } from '../../world/inputs.ts';
import type { Program } from '../../world/program.ts';
import { startWithWorlds } from '../../world/started.ts';
import type { World } from '../../world/world.ts';
import { openPage, settled, signIn, startBrowser } from '../browser.ts';
import { screensOf } from '../screens-of.ts';
import { openDialog, openersOf } from './openers.ts';
import { formsOf, openPlace, places, setInstallationBackup } from './stored-forms.ts';

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

/** Notes every field whose fault the browser would tell in a bubble of its own. */
const watchBubbles = `window.bubbles = [];
addEventListener('invalid', (event) => setTimeout(() => {
  if (!event.defaultPrevented) window.bubbles.push(event.target.outerHTML.slice(0, 160));
}), true);`;

async function signedIn(): Promise<Page> {
  const watched = await openPage(browser);
  for (const status of [400, 403, 404, 409, 412, 429, 503]) watched.expect(status);
  watched.page.setDefaultTimeout(20_000);
  await watched.page.addInitScript(watchBubbles);
  await signIn(watched, program.url, world.people.owner.email, password);
  return watched.page;
}

/** Empties every text of a form. */
async function empty(form: Locator): Promise<void> {
  for (const input of await form.locator('input:not([type=checkbox], [type=radio]), textarea').all())
    if ((await input.isVisible()) && (await input.isEditable())) await input.fill('');
}

/** What is wrong with how an emptied form is refused. */
async function faultsWhenEmpty(page: Page, form: Locator): Promise<string[]> {
  const required = await form.locator('[required], [aria-required]:not([type=checkbox], select)').count();
  await empty(form);
  const submit = form.locator('button[type=submit]');
  if (required === 0 || (await submit.isDisabled())) return [];
  await submit.click();
  const told = await form
    .locator('.fault')
    .first()
    .waitFor({ timeout: 10_000 })
    .then(
      () => true,
      () => false,
    );
  const bubbles = await page.evaluate<string[]>('window.bubbles');
  return [
    ...bubbles.map((field) => `a bubble of the browser at ${field}`),
    ...(told ? [] : ['nothing is said at a field']),
  ];
}

it('every form that makes something says what is missing at its field', { timeout: 600_000 }, async () => {
  const page = await signedIn();
  const found: Record<string, string[]> = {};
  const note = (where: string, faults: string[]): void => {
    if (faults.length > 0) found[where] = faults;
  };
  let forms = 0;
  for (const kind of ['git', 'image', 'compose', 'database']) {
    await page.goto(`${program.url}/new?kind=${kind}`);
    await settled(page);
    forms += 1;
    note(`/new ${kind}`, await faultsWhenEmpty(page, page.locator('main form')));
  }
  for (const screen of ofThisRun(
    screensOf(world).filter((one) => !/^\/(design|connect-github|new)/.test(one)),
    4,
  )) {
    const open = async (): Promise<void> => {
      await page.goto(`${program.url}${screen}`);
      await settled(page);
    };
    await open();
    for (const name of (await openersOf(page)).filter((one) =>
      /^(Add|New|Invite|Make|Generate|Create)/.test(one),
    )) {
      const form = (await openDialog(page, name))?.locator('form').first();
      if (form && (await form.count()) > 0) {
        forms += 1;
        note(`${screen} ${name}`, await faultsWhenEmpty(page, form));
      }
      await open();
    }
  }
  console.log(`forms that were sent empty: ${forms}`);
  expect(found).toEqual({});
  await page.context().close();
});

const fields: Readonly<Record<string, readonly { n: string; p?: readonly { n: string }[] }[]>> = described;

/** A refusal that names every field of the procedure, at one of them. */
const refusalOf = (procedure: string, at: string): object => {
  const names = (fields[procedure] ?? []).flatMap(({ n, p = [] }) => [n, ...p.map((part) => part.n)]);
  const issues = [{ path: at, message: `does not go with ${names.join(' and ')}` }];
  return { error: { code: 'BAD_REQUEST', message: `Check ${names.join(', ')}.`, data: { issues } } };
};

interface Marked {
  textContent: string | null;
}

/** Names in what a form says that stand nowhere else on the screen. */
async function unshownNames(form: Locator, procedure: string): Promise<string[]> {
  const said = (await form.locator('.fault, [role=alert]').allTextContents()).join(' ');
  const shown = await form
    .locator('label, .help, legend, [role=group]')
    .evaluateAll((all) => (all as unknown as Marked[]).map(({ textContent }) => textContent ?? '').join(' '));
  return (fields[procedure] ?? [])
    .map(({ n }) => n)
    .filter((name) => /[A-Z]/.test(name))
    .filter((name) => new RegExp(`\\b${name}\\b`).test(said) && !shown.includes(name));
}

it('no message of a stored form has a name that the screen does not show', { timeout: 900_000 }, async () => {
  const page = await signedIn();
  const found: Record<string, string[]> = {};
  let forms = 0;
  page.on('dialog', (dialog) => void dialog.accept());
  for (const place of ofThisRun(
    places.filter(({ isAtProxy }) => isAtProxy === undefined),
    8,
  )) {
    for (const [index, procedure] of place.forms.entries()) {
      await openPlace(page, program.url, place, world);
      const form = formsOf(page, place).nth(index);
      const field = form.locator('[data-field]:has(input.input, textarea)').first();
      if ((await field.count()) === 0) continue;
      const name = (await field.getAttribute('data-field')) ?? '';
      await page.route(`**/${procedure}`, (route) =>
        route.fulfill({ status: 400, json: refusalOf(procedure, name) }),
      );
      const text = field.locator('input.input, textarea').first();
      await text.fill(`${await text.inputValue()}7`);
      const save = form
        .locator('button[type=submit]')
        .or(page.getByRole('button', { name: 'Save', exact: true }));
      await save.and(page.locator(':enabled')).first().click();
      await form.locator('.fault, [role=alert]').first().waitFor();
      forms += 1;
      const names = await unshownNames(form, procedure);
      if (names.length > 0) found[`${place.screen(world)} ${procedure}`] = names;
      await page.unroute(`**/${procedure}`);
    }
  }
  console.log(`stored forms that were refused by every name: ${forms}`);
  expect(found).toEqual({});
  await page.context().close();
});
