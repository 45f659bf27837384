/**
 * Backups and restores of real databases on a real Berth, engine and S3 server; then Berth and the S3 server
 * are killed in the middle of some.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { placesOf } from '../run/places.ts';
import { faultTests, killTests } from './backups/faults.ts';
import {
  backUp,
  changeRows,
  contentOf,
  fillRows,
  keep,
  listed,
  logOf,
  openBackupFixture,
  others,
  restore,
  sql,
  type RunView,
  type BackupFixture,
} from './backups/backup-fixture.ts';
import { openDatabaseFixture } from './databases/database-fixture.ts';
import { volumes } from './databases/life.ts';
import { berthAt, type PlacedBerth } from './fixtures/placed-berth.ts';
import { expectCalmLog } from './fixtures/applications.ts';

vi.setConfig({ maxConcurrency: 5 });

describe.each(placesOf('backups'))('databases on: %s', (place) => {
  let berth: PlacedBerth;
  let fixture: BackupFixture;

  beforeAll(async () => {
    const bed = await bedOfRun();
    berth = await berthAt(place, bed, { name: 'backup', index: 37 });
    // So many backups at once, too.
    await berth.call('settings.update', { buildsConcurrency: 8 });
    fixture = await openBackupFixture(
      bed,
      await openDatabaseFixture(berth),
      `offsite-${berth.services.name}`,
    );
  });
  afterAll(async () => {
    await fixture.s3.kill();
    await berth.end();
  });

  describe.concurrent('backups', () => {
    it.each([
      ['postgres', 50_000],
      ['mariadb', 50_000],
      ['mysql', 50_000],
      ['mongo', 1000],
    ] as const)(
      'of %s are restored to the row, beside, with the other databases of the server; what was before stays',
      async (kind, rows) => {
        const { databases } = fixture;
        const base = await databases.database(kind, `kept-${kind}`);
        await base.deploy();
        await fillRows(berth, base, rows);
        await sql(berth, base, others[kind]?.make ?? '');
        const before = await contentOf(berth, base);
        const run = await backUp(await keep(fixture, base));
        expect(run.steps.map(({ name, status }) => `${name} ${status}`)).toEqual([
          'dump done',
          'compress done',
          'upload done',
          'verify done',
          'record done',
        ]);
        expect(await listed(fixture, base.id)).toEqual([run.path]);
        await changeRows(berth, base);
        expect(await contentOf(berth, base)).not.toBe(before);
        const restored = await restore(fixture, base, run.path);
        expect(restored.success, restored.log.join('\n')).toBe(true);
        expect(await contentOf(berth, base)).toBe(before);
        expect(await sql(berth, base, others[kind]?.list ?? '')).toContain('other');
        const view = await base.view();
        // PostgreSQL stays on its volume: the state before is another database there.
        const former = kind === 'postgres' ? [] : [{ volumeName: `berth-data-${base.id}` }];
        expect(view).toMatchObject({ applicationStatus: 'done', formerVolumes: former });
        expect(await volumes(fixture, base)).toContain(`berth-data-${base.id}`);
      },
    );

    it('are tried out in a database of their own, which is gone then', async () => {
      const { databases } = fixture;
      const base = await databases.database('postgres', 'tried');
      await base.deploy();
      await fillRows(berth, base, 10_000);
      const kept = await keep(fixture, base);
      await backUp(kept);
      const run = await berth.call<RunView & Record<string, unknown>>('backup.verify', {
        backupId: kept.backupId,
      });
      expect(run).toMatchObject({ operation: 'verification', status: 'done', previousVolume: null });
      expect(run.steps.map(({ name }) => name)).toEqual(['find', 'beside', 'load', 'check', 'tidy']);
      expect(await logOf(berth, run.backupRunId)).toContain('check: done (1 table)');
      expect(await volumes(fixture, base)).toEqual([`berth-data-${base.id}`]);
    });

    faultTests(() => fixture);
  });

  // One after another and after the others: whatever ran beside them would be killed with these servers.
  describe('servers that are killed', () => {
    killTests(() => fixture);
  });

  it('nothing of all this was a fault', () => expectCalmLog(berth, []));
});
