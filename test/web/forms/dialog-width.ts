/** Whether an open dialog can be read without scrolling sideways. */
import type { Locator, Page } from 'playwright-core';

const widths = [360, 768, 1280] as const;

interface Measured {
  scrollWidth: number;
  clientWidth: number;
}

/** The widths of the window, in px, at which the dialog is wider than itself. */
export async function widerThanItself(page: Page, dialog: Locator): Promise<string[]> {
  const faults: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 860 });
    const { scrollWidth, clientWidth } = await dialog.evaluate((element) => {
      const measured = element as unknown as Measured;
      return { scrollWidth: measured.scrollWidth, clientWidth: measured.clientWidth };
    });
    if (scrollWidth > clientWidth) faults.push(`at ${width} px: ${scrollWidth} in ${clientWidth}`);
  }
  await page.setViewportSize({ width: 1280, height: 860 });
  return faults;
}
