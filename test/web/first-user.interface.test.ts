/** From an installation without anybody to the first user, out and in again; and how the pages are served. */
import type { Browser } from 'playwright-core';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startProgram, type Program } from '../world/program.ts';
import { openPage, signIn, startBrowser } from './browser.ts';

let program: Program;
let browser: Browser;
const built = join(import.meta.dirname, '../../dist/web');
const password = 'correct horse battery';

beforeAll(async () => {
  browser = await startBrowser();
  program = await startProgram();
});
afterAll(async () => {
  await browser?.close();
  await program?.[Symbol.asyncDispose]();
});

it('the first visit leads to sign-up, then home; one signs out and in again', async () => {
  const { page, faults, expect: expected, context } = await openPage(browser);
  const { promise: held, resolve: giveIt } = Promise.withResolvers<void>();
  await page.route('**/api/auth/state', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${program.url}/sign-up`);
  await page.getByRole('img', { name: 'Berth' }).waitFor();
  // Nobody fills in a form that does not know yet whose account it makes.
  expect(await page.getByRole('button').count()).toBe(0);
  giveIt();
  await page.getByRole('heading', { name: 'Create your account' }).waitFor();
  await page.goto(program.url);
  await page.getByRole('heading', { name: 'Create your account' }).waitFor();
  await page.getByLabel('Name').fill('Ada');
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Create your account' }).click();
  await page.getByRole('heading', { name: 'Deploy your first application' }).waitFor();
  await page.getByRole('button', { name: 'A Ada' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(faults).toEqual([]);
  expected(401);
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Deploy your first application' }).waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

it('who cannot reach Berth, or has an old tab, is told so and goes on', async () => {
  const watched = await openPage(browser);
  const { page, context } = watched;
  await signIn(watched, program.url, 'ada@example.com', password);
  const session = '**/api/auth/get-session';
  await page.route(session, (route) => route.fulfill({ status: 500, body: 'broken' }));
  await page.goto(program.url);
  await page.getByRole('alert').getByText('Berth does not answer').waitFor();
  await page.unroute(session);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Deploy your first application' }).waitFor();
  const code = '**/assets/projects-*.js';
  await page.route(code, (route) => route.abort());
  await page.getByRole('link', { name: 'Projects' }).first().click();
  await page.getByRole('alert').getByText('This page could not be loaded').waitFor();
  expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(1);
  await page.unroute(code);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Projects', exact: true }).waitFor();
  await context.close();
});

it('where motion is reduced, what the page sets is there when it is read', async () => {
  const { page, context } = await openPage(browser);
  await page.goto(program.url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const heights = await page.evaluate<number[]>(`(() => {
    const box = document.body.appendChild(document.createElement('div'));
    return [10, 300].map((height) => ((box.style.height = height + 'px'), box.offsetHeight));
  })()`);
  expect(heights).toEqual([10, 300]);
  await context.close();
});

const browserLike = { accept: 'text/html', 'accept-encoding': 'gzip' };

it('any address shows the page, under a policy that lets nothing foreign in', async () => {
  for (const path of ['/', '/applications/x/logs', '/no/such/page']) {
    const { status, headers } = await fetch(`${program.url}${path}`, { headers: browserLike });
    expect([path, status, headers.get('cache-control')]).toEqual([path, 200, 'no-cache']);
    expect(headers.get('content-security-policy')).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'",
    );
    expect(headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'");
  }
  for (const path of ['/assets/none.js', '/api/none', '/docs/none'])
    expect((await fetch(`${program.url}${path}`, { headers: browserLike })).status).toBe(404);
  expect((await fetch(`${program.url}/no/such/page`)).status).toBe(404);
  expect((await fetch(`${program.url}/..%2fpackage.json`)).status).toBe(404);
});

it('files with a hash in their name are kept for ever and come compressed', async () => {
  const name = (await readdir(join(built, 'assets'))).find((file) => /^index-.*\.js$/.test(file));
  const { status, headers } = await fetch(`${program.url}/assets/${name}`, { headers: browserLike });
  expect(status).toBe(200);
  expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(headers.get('content-encoding')).toBe('gzip');
  expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
});

/** Kilobytes of 1000 bytes, compressed with gzip. */
const firstLoadLimit = 200;
const laterLimit = 125;

it(`the first load is at most ${firstLoadLimit} kB, each later part at most ${laterLimit}`, async () => {
  const page = await readFile(join(built, 'index.html'), 'utf8');
  const named = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
  const size = async (path: string): Promise<number> =>
    gzipSync(await readFile(join(built, path)), { level: 9 }).length / 1000;
  const first = await Promise.all(named.map(size));
  const sum = first.reduce((total, one) => total + one, 0);
  console.log(`first load: ${sum.toFixed(1)} kB in ${named.length} files`);
  expect(sum).toBeLessThan(firstLoadLimit);
  const files = (await readdir(join(built, 'assets'))).filter((file) => /\.(js|css)$/.test(file));
  const sizes = await Promise.all(files.map(async (file) => ({ file, kB: await size(`assets/${file}`) })));
  expect(sizes.filter(({ kB }) => kB > laterLimit)).toEqual([]);
});
