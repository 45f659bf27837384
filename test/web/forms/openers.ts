/** Buttons of a screen that lead to a dialog. */
import type { Locator, Page } from 'playwright-core';

/** They say what will be done in it; the others act. */
const opening =
  /^(Add|New|Invite|Delete|Remove|Quota|Restore|Generate|Make|Create|Change|Switch|Set up|Move)/;

/** Their names, each once. */
export async function openersOf(page: Page): Promise<string[]> {
  const names = await page
    .getByRole('main')
    .getByRole('button')
    .evaluateAll((all) =>
      (all as unknown as Shown[])
        .filter(({ disabled, offsetParent }) => !disabled && offsetParent !== null)
        .map(({ ariaLabel, textContent }) => (ariaLabel ?? textContent ?? '').trim()),
    );
  return [...new Set(names)].filter((name) => opening.test(name));
}

/** The dialog that a button leads to; undefined where it leads to none. */
export async function openDialog(page: Page, name: string): Promise<Locator | undefined> {
  await page.getByRole('main').getByRole('button', { name, exact: true }).first().click();
  const dialog = page.locator('dialog[open]').first();
  return dialog.waitFor({ timeout: 1_000 }).then(
    () => dialog,
    () => undefined,
  );
}

interface Shown {
  disabled: boolean;
  offsetParent: unknown;
  ariaLabel: string | null;
  textContent: string | null;
}
