/** A person at the screen, whose clicks, choices and typed fields are counted. */
import type { Locator, Page } from 'playwright-core';

export interface Effort {
  clicks: number;
  fields: number;
}

/**
 * What each job cost a newcomer who had never seen the dashboard (tried by hand on 26 November 2026). A job
 * may become shorter, never longer. Choices from a list count as clicks.
 */
export const mostEffort = {
  'be invited and sign up': { clicks: 7, fields: 4 },
  'deploy from a git address': { clicks: 2, fields: 1 },
  'paste a .env and redeploy': { clicks: 3, fields: 0 },
  'read and search logs': { clicks: 1, fields: 1 },
  'see why a build failed': { clicks: 1, fields: 0 },
  'add a domain and see its certificate': { clicks: 5, fields: 1 },
  'connect a database by reference': { clicks: 8, fields: 4 },
  'back up and restore': { clicks: 13, fields: 5 },
  'roll back': { clicks: 3, fields: 0 },
  'give a member limited rights': { clicks: 4, fields: 0 },
  'add a server': { clicks: 6, fields: 4 },
  'deploy a template': { clicks: 3, fields: 0 },
  'make an API key': { clicks: 6, fields: 1 },
  'open a terminal': { clicks: 1, fields: 0 },
  'see CPU and memory': { clicks: 0, fields: 0 },
  'delete an application': { clicks: 3, fields: 1 },
} as const satisfies Record<string, Effort>;

export type Job = keyof typeof mostEffort;

export interface Person {
  readonly page: Page;
  readonly effort: Effort;
  click(place: Locator): Promise<void>;
  choose(place: Locator, label: string): Promise<void>;
  /** Types into a field, which is clicked where it does not have the focus yet; the click is not counted. */
  type(field: Locator, text: string): Promise<void>;
  /** Pastes what a person has copied elsewhere, by Ctrl V. */
  paste(field: Locator, text: string): Promise<void>;
  /** Enter in place of a button; counted as a click. */
  enter(): Promise<void>;
}

export function personAt(page: Page): Person {
  const effort = { clicks: 0, fields: 0 };
  return {
    page,
    effort,
    async click(place) {
      await place.click();
      effort.clicks += 1;
    },
    async choose(place, label) {
      await place.selectOption(label);
      effort.clicks += 1;
    },
    async type(field, text) {
      await field.click();
      await page.keyboard.type(text);
      effort.fields += 1;
    },
    async paste(field, text) {
      const other = await page.context().newPage();
      await other.setContent('<textarea></textarea>');
      await other.locator('textarea').fill(text);
      await other.locator('textarea').press('Control+a');
      await other.locator('textarea').press('Control+c');
      await other.close();
      await field.click();
      await page.keyboard.press('Control+v');
    },
    async enter() {
      await page.keyboard.press('Enter');
      effort.clicks += 1;
    },
  };
}
