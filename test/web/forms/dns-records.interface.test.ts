/** "Set it for me" in a browser: the plan, the record in Debian's bind9, and the check that finds it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBind, tsig, type Running } from '../../dns/programs.ts';
import { installHostPackages } from '../../bed/host/host-packages.ts';
import { password } from '../../world/inputs.ts';
import type { Program } from '../../world/program.ts';
import { startWithWorlds } from '../../world/started.ts';
import type { World } from '../../world/world.ts';
import { openPage, signIn, startBrowser } from '../browser.ts';

let program: Program;
let world: World;
let browser: Browser;
let bind: Running;
let folder: string;
const serverIp = '203.0.113.7';

beforeAll(async () => {
  await installHostPackages(console.error, AbortSignal.timeout(300_000), ['bind9']);
  folder = await mkdtemp(join(tmpdir(), 'berth-web-dns-'));
  [browser, { program, first: world }] = await Promise.all([
    startBrowser(),
    startWithWorlds(0, { withPasswords: true }),
  ]);
  bind = await startBind(folder, { 'example.com': 'ns1 A 127.0.0.1' });
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await program?.[Symbol.asyncDispose]();
  await bind?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

it('a host without a record gets it, and the page sees that it leads here', async () => {
  const watched = await openPage(browser);
  const { page, context } = watched;
  await signIn(watched, program.url, world.people.owner.email, password);
  const call = (path: string, input: object): Promise<unknown> =>
    page.evaluate(
      async ([url, body]) => {
        const answer = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        });
        if (!answer.ok) throw new Error(await answer.text());
        return answer.json();
      },
      [`${program.url}/api/trpc/${path}`, JSON.stringify(input)] as const,
    );
  await call('settings.update', {
    serverIp,
    dnsResolver: `127.0.0.1:${bind.port}`,
    allowedPrivateNetworks: ['127.0.0.0/8'],
  });
  await call('dnsProvider.update', {
    dnsProviderId: world.own['dnsProviderId'],
    rfc2136: { server: `127.0.0.1:${bind.port}`, ...tsig },
  });
  const host = world.own['host'] ?? '';
  await page.goto(`${program.url}/applications/${world.own['applicationId']}/domains`);
  await page.getByRole('button', { name: 'Check', exact: true }).first().click();
  await page
    .getByText(/has no address yet/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Set it for me' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`${host} A ${serverIp}`, { exact: true }).waitFor();
  await dialog.getByText(new RegExp(`_berth-owner\\.${host} TXT "berth `)).waitFor();
  await dialog.getByRole('button', { name: 'Set the records' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText(`Leads here (${serverIp})`).waitFor();
  expect(watched.faults).toEqual([]);
  await context.close();
}, 120_000);
