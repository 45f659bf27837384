/** Steps as the dashboard promises them: clicks, and keys that begin something. */
import type { Locator, Page } from 'playwright-core';

/** What a terminal says when its shell, whichever the image has, is open. */
export const shell = /^(?:\S*\/)?(?:ba)?sh$/;

export interface Steps {
  click(place: Locator): Promise<void>;
  /** A key, or keys pressed together, that begins something. */
  key(key: string): Promise<void>;
  /** One value of a list. */
  choose(place: Locator, value: string): Promise<void>;
  /** Typing is no step, nor is the Enter (or Ctrl Enter) that ends it. */
  type(text: string, end?: string): Promise<void>;
  readonly count: number;
}

export function stepsOn(page: Page): Steps {
  let count = 0;
  return {
    async click(place) {
      await place.click();
      count += 1;
    },
    async key(key) {
      await page.keyboard.press(key);
      count += 1;
    },
    async choose(place, value) {
      await place.selectOption(value);
      count += 1;
    },
    async type(text, end) {
      await page.keyboard.type(text);
      if (end !== undefined) await page.keyboard.press(end);
    },
    get count() {
      return count;
    },
  };
}
