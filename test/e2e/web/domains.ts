/** A domain whose DNS leads elsewhere, is mended and gets its certificate, as a person watches it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { acmeServer, type AcmeServer } from '../../integration/proxy/acme-fixture.ts';
import { greeted } from '../../integration/proxy/tls-client.ts';
import type { Watched } from '../../web/browser.ts';
import { nodeCommand } from '../fixtures/sources.ts';
import type { App, ApplicationFixture } from '../fixtures/applications.ts';

export function domainTests(place: () => ApplicationFixture, owner: () => Promise<Watched>): void {
  let acme: AcmeServer;
  let app: App;
  const host = 'shop.test';
  /** Of nobody on the bed. */
  const elsewhere = '10.98.250.9';

  beforeAll(async () => {
    const { berth, fromImage } = place();
    const { ip } = berth.host;
    [app, acme] = await Promise.all([
      fromImage('named', nodeCommand('v1')),
      acmeServer(59, { ip, httpPort: 80, tlsPort: 443 }),
    ]);
    await app.deploy();
    await acme.resolve(host, [elsewhere]);
    await berth.call('settings.update', {
      acmeDirectory: acme.directoryUrl,
      acmeRoots: acme.rootCertificates,
      acmeEmail: 'ops@example.com',
      dnsResolver: acme.dns,
      serverIp: ip,
    });
  });
  afterAll(() => acme?.close());

  it('a name that leads elsewhere says so; mended, it gets its certificate on the same page', async () => {
    const { berth } = place();
    const { page, faults, context } = await owner();
    await page.goto(`${berth.url}/applications/${app.id}/domains`);
    await page.getByRole('button', { name: 'Add domain' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Host').fill(host);
    expect(await dialog.getByLabel('https').isChecked()).toBe(true);
    expect(await dialog.getByLabel('Certificate').inputValue()).toBe('acme');
    await dialog.getByRole('button', { name: 'Add domain' }).click();
    const steps = page.getByRole('list', { name: `Certificate of ${host}` });
    await page.getByText(`leads to ${elsewhere} instead of`).first().waitFor();
    await page.getByText(/Next try:/).waitFor();
    await page.getByText(`${host} A ${berth.host.ip}`, { exact: true }).waitFor();
    expect(await acme.orders()).toBe(0);

    await acme.resolve(host, [berth.host.ip]);
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText(/Issued by .*Pebble/).waitFor();
    await expect.poll(() => steps.locator('.text-up').count()).toBe(4);
    const shown = await greeted(host, await acme.issuingRoot(), { ip: berth.host.ip, port: 443 });
    expect(shown.isProven).toBe(true);
    expect(faults).toEqual([]);
    await context.close();
  });
}
