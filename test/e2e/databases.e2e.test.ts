/**
 * Every kind of database on a real Berth and engine, met by its real client; then Berth is killed while it
 * deploys and upgrades one.
 */
import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import type { Bed } from '../bed/bed.ts';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { placesOf } from '../run/places.ts';
import { browseTests } from './databases/browse.ts';
import { openDatabaseFixture, type DatabaseFixture } from './databases/database-fixture.ts';
import { killTests } from './databases/killed.ts';
import { lifeTests } from './databases/life.ts';
import { referenceTests } from './databases/references.ts';
import { stopTests } from './databases/stopped.ts';
import { truthTests } from './databases/truth.ts';
import { upgradeTests } from './databases/upgrades.ts';
import { berthAt, type PlacedBerth } from './fixtures/placed-berth.ts';
import { expectCalmLog } from './fixtures/applications.ts';

// They wait far more than they work, and longest on a busy machine.
vi.setConfig({ maxConcurrency: 5, testTimeout: 600_000 });

describe.each(placesOf('databases'))('databases on: %s', (place) => {
  let bed: Bed;
  let berth: PlacedBerth;
  let databases: DatabaseFixture;

  beforeAll(async () => {
    bed = await bedOfRun();
    berth = await berthAt(place, bed, { name: 'databases', index: 36 });
    databases = await openDatabaseFixture(berth);
  });
  afterAll(() => berth.end());

  describe('databases side by side', () => {
    lifeTests(() => databases);
    stopTests(() => databases);
    truthTests(() => databases);
    referenceTests(() => databases);
    upgradeTests(() => databases);
    browseTests(() => databases);
  });

  // One after another and after the others, since whatever runs beside them would be killed with Berth.
  describe('kill -9 of Berth', () => {
    killTests(() => ({ databases, bed }));
  });

  it('nothing of all this was a fault', () => expectCalmLog(berth, ['could not be corrected']));
});
