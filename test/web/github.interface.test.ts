/**
 * The way to GitHub and back: the manifest that is posted, and what is refused of those who did not begin
 * it.
 */
import type { Browser, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { password } from '../world/inputs.ts';
import type { Program } from '../world/program.ts';
import { startWithWorlds } from '../world/started.ts';
import type { World } from '../world/world.ts';
import { openPage, signIn, startBrowser, type Watched } from './browser.ts';

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

async function owner(): Promise<Watched> {
  const watched = await openPage(browser);
  await signIn(watched, program.url, world.people.owner.email, password);
  return watched;
}

it('posts a manifest that leads back, for an organization; no other page may', async () => {
  const { page, faults, context } = await owner();
  let posted: URLSearchParams | undefined;
  let address = '';
  await context.route('https://github.com/**', (route: Route) => {
    posted = new URLSearchParams(route.request().postData() ?? '');
    address = route.request().url();
    return route.fulfill({ contentType: 'text/html', body: '<h1>At GitHub</h1>' });
  });
  await page.goto(`${program.url}/settings/git`);
  await page.getByRole('link', { name: 'Connect GitHub' }).click();
  await page.getByLabel('An organization').check();
  await page.getByLabel('Name of the organization at GitHub').fill('acme');
  await page.getByRole('button', { name: 'Continue to GitHub' }).click();
  await page.getByRole('heading', { name: 'At GitHub' }).waitFor();
  expect(address).toMatch(
    /^https:\/\/github\.com\/organizations\/acme\/settings\/apps\/new\?state=[a-z0-9]{32}$/,
  );
  expect(JSON.parse(posted?.get('manifest') ?? '')).toMatchObject({
    redirect_url: `${program.url}/connect-github`,
    hook_attributes: { url: `${program.url}/api/deploy/github` },
    public: false,
  });
  expect(faults).toEqual([]);
  const policies = await Promise.all(
    ['/connect-github', '/settings/git', '/'].map(async (path) => {
      const { headers } = await fetch(`${program.url}${path}`, { headers: { accept: 'text/html' } });
      return /form-action ([^;]*)/.exec(headers.get('content-security-policy') ?? '')?.[1];
    }),
  );
  expect(policies).toEqual(["'self' https://github.com", "'self'", "'self'"]);
  await context.close();
});

it('takes no code, and no installation, of what was not begun in this tab', async () => {
  const { page, faults, context } = await owner();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  for (const query of [
    'code=made&state=stolen',
    'code=made&state=',
    'installation_id=77&setup_action=install',
  ]) {
    await page.goto(`${program.url}/connect-github?${query}`);
    await page.getByRole('alert').getByText('This was not begun here').waitFor();
  }
  expect(asked.filter((url) => /createFromManifest|gitProvider\.update/.test(url))).toEqual([]);
  expect(faults).toEqual([]);
  await context.close();
});
