/**
 * Debian's Chromium on the dashboard. A page that logs an error, breaks the policy, throws, or gets a refusal
 * that the test does not expect, is a fault.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { installHostPackages } from '../bed/host/host-packages.ts';

const program = '/usr/bin/chromium';
const built = join(import.meta.dirname, '../../dist/web/index.html');
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const limitMs = 60_000;
/** A screen that is still not there then never will be. */
const settleLimitMs = 30_000;

/** Starts Chromium; installs Debian's package first where it is missing, which needs root. */
export async function startBrowser(): Promise<Browser> {
  if (!existsSync(built)) throw new Error('There is no dist/web. Run npm run dashboard.');
  if (!existsSync(program))
    await installHostPackages(console.error, AbortSignal.timeout(600_000), ['chromium']);
  return chromium.launch({
    executablePath: program,
    // Run by root in a machine of tests; what it opens is our own.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    timeout: limitMs,
  });
}

export interface Watched {
  page: Page;
  context: BrowserContext;
  /** What went wrong, in the order it did. */
  faults: string[];
  /** Answers of this status are part of the test. */
  expect(status: number): void;
}

export interface Look {
  width?: number;
  height?: number;
  scheme?: 'light' | 'dark';
}

export async function openPage(
  browser: Browser,
  { width = 1280, height = 860, scheme = 'light' }: Look = {},
): Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    hasTouch: width < 600,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(limitMs);
  loadWhole(page);
  const faults: string[] = [];
  const expected = new Set<number>();
  page.on('console', (message) => {
    // Chromium logs each refusal besides; those are looked at below.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 400 && !expected.has(response.status()))
      faults.push(`${response.status()} ${response.url()}`);
  });
  return { page, context, faults, expect: (status) => void expected.add(status) };
}

/** How often a page is loaded again; the bed makes and removes interfaces all the time. */
const mostLoads = 10;

/**
 * Chromium ends what it is loading whenever an interface of the machine comes or goes, and a page that lost
 * one of its scripts stays blank: it is loaded once more then.
 */
function loadWhole(page: Page): void {
  const load = page.goto.bind(page);
  const isLost = (text: string): boolean => text.includes('ERR_NETWORK_CHANGED');
  let lost = false;
  page.on('requestfailed', (request) => {
    const isPart = ['document', 'script', 'stylesheet'].includes(request.resourceType());
    if (isPart && isLost(request.failure()?.errorText ?? '')) lost = true;
  });
  page.goto = async (url, options) => {
    for (let loads = 1; ; loads += 1) {
      lost = false;
      try {
        const response = await load(url, options);
        if (!lost || loads === mostLoads) return response;
      } catch (error) {
        if (!isLost(String(error)) || loads === mostLoads) throw error;
      }
    }
  };
}

export async function signIn(
  { page, faults }: Watched,
  url: string,
  email: string,
  password: string,
): Promise<void> {
  await page.goto(`${url}/sign-in`);
  try {
    await page.getByLabel('Email').fill(email);
  } catch (cause) {
    const shown = await Promise.race([page.content().catch(String), sleep(5_000, 'a page that is stuck')]);
    throw new Error(`There is no form on ${page.url()}: ${JSON.stringify(faults)} ${shown.slice(0, 2_000)}`, {
      cause,
    });
  }
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Sign in' }).waitFor();
}

/** Nothing is made of what passes, and no selector of what fails: both take longer than the rules. */
const axeOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  resultTypes: ['violations'],
  selectors: false,
};

interface Violation {
  id: string;
  help: string;
  nodes: { html: string; any: { message: string }[] }[];
}

/** What axe finds on the page as it is, by the rules of WCAG 2.2 A and AA. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  const violations = await page.evaluate<Violation[]>(
    `axe.run(document, ${JSON.stringify(axeOptions)}).then((found) => found.violations)`,
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${help}: ${html.slice(0, 160)} ${any[0]?.message ?? ''}`),
  );
}

/** How many pixels the page is wider than the window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** Waits until nothing on the page is still to come. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('[data-skeleton]').first().waitFor({ state: 'detached', timeout: settleLimitMs });
}
