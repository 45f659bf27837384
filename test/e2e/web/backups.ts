/** A backup and its restore as a person makes them, on a real database and S3 server. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { join } from 'node:path';
import type { Bed } from '../../bed/bed.ts';
import { diskFolder } from '../../bed/layout.ts';
import { startS3, type S3Server } from '../../s3/s3-server.ts';
import type { Watched } from '../../web/browser.ts';
import { destinationOf } from '../backups/backup-fixture.ts';
import { deploymentEnded, type ApplicationFixture } from '../fixtures/applications.ts';
import { stepsOn } from './steps.ts';

const restoreLimitMs = 240_000;

export function backupTests(
  bed: () => Bed,
  place: () => ApplicationFixture,
  owner: () => Promise<Watched>,
): void {
  let s3: S3Server;
  let postgresId = '';

  beforeAll(async () => {
    const { berth, environmentId } = place();
    s3 = await startS3(bed().machineIp, join(diskFolder(bed().name), 's3-web'));
    const { destinationId } = await berth.call<{ destinationId: string }>('destination.create', {
      name: 'offsite',
      ...destinationOf(s3),
    });
    const made = await berth.call<{ postgresId: string }>('postgres.create', {
      name: 'books',
      appName: 'books',
      environmentId,
      containerImage: 'berth/postgres:15',
      databaseName: 'shop',
      databaseUser: 'ann',
      databasePassword: 'Secret-1',
    });
    ({ postgresId } = made);
    await berth.call('postgres.deploy', { postgresId });
    const { deployments } = await berth.call<{ deployments: { deploymentId: string }[] }>('postgres.one', {
      postgresId,
    });
    await deploymentEnded(berth, 'books', deployments[0]?.deploymentId ?? '');
    await berth.call('backup.create', {
      databaseType: 'postgres',
      postgresId,
      destinationId,
      schedule: '0 3 1 1 *',
      prefix: 'books',
      database: 'shop',
    });
  });
  afterAll(() => s3?.kill());

  it('9: a backup is made and restored in four clicks; the former volume is named', async () => {
    const { page, faults, context } = await owner();
    await page.goto(`${place().berth.url}/databases/postgres/${postgresId}/data`);
    await page.getByRole('button', { name: 'Back up now' }).click();
    const runs = page.locator('section', { has: page.getByRole('heading', { name: 'Runs' }) });
    await runs.getByText('Done', { exact: true }).first().waitFor({ timeout: restoreLimitMs });
    await page.goto(place().berth.url);

    const steps = stepsOn(page);
    await steps.click(page.getByRole('main').getByRole('link', { name: /^books/ }));
    await steps.click(
      page.getByRole('navigation', { name: 'Of this service' }).getByRole('link', { name: 'Data' }),
    );
    await steps.click(page.getByRole('button', { name: 'Restore', exact: true }));
    await steps.click(
      page
        .getByRole('dialog')
        .getByRole('button', { name: /books\// })
        .first(),
    );
    await page.getByLabel(/Type books/).focus();
    await steps.type('books', 'Enter');
    expect(steps.count).toBe(4);
    const dialog = page.getByRole('dialog');
    await dialog
      .getByRole('status')
      .getByText('books runs on what was restored')
      .waitFor({ timeout: restoreLimitMs });
    await dialog.getByRole('button', { name: 'Close' }).click();
    await runs.getByText('Restore', { exact: false }).first().click();
    await runs.getByText(/The state before is kept in the (?:volume|database)/).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
}
