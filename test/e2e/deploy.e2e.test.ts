/**
 * From a source to a running service and back, on a real Berth, engine, proxy, git, SSH and registry; then
 * with hostile text in all of it.
 */
import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import type { Bed } from '../bed/bed.ts';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { ofThisRun } from '../run/mode.ts';
import { placesOf } from '../run/places.ts';
import { buildTests, limitTests } from './deploy/builds.ts';
import { conditionTests } from './deploy/conditions.ts';
import { healthTests } from './deploy/health.ts';
import { hostileTests } from './deploy/hostile.ts';
import { serviceTests } from './deploy/services.ts';
import { sourceTests } from './deploy/sources.ts';
import { terminalTests } from './deploy/terminal.ts';
import { berthAt, type PlacedBerth } from './fixtures/placed-berth.ts';
import { expectCalmLog, applicationFixture, type ApplicationFixture } from './fixtures/applications.ts';

// They wait far more than they work.
vi.setConfig({ maxConcurrency: 5 });

/** An ordinary run takes half of the groups that few changes reach. */
const chosen = ofThisRun(['conditions', 'limits', 'terminal', 'hostile text'] as const, 2);

describe.each(placesOf('deploy'))('applications on: %s', (place) => {
  let bed: Bed;
  let berth: PlacedBerth;
  let shop: ApplicationFixture;

  beforeAll(async () => {
    bed = await bedOfRun();
    berth = await berthAt(place, bed, { name: 'deploy', index: 30 });
    shop = await applicationFixture(berth, { buildsConcurrency: 8 });
  });
  afterAll(() => berth.end());

  describe('deployments side by side', () => {
    sourceTests(
      () => shop,
      () => bed,
    );
    serviceTests(() => shop);
    healthTests(() => shop);
    buildTests(() => shop);
  });

  describe.skipIf(!chosen.includes('conditions'))('what a service is in', () => {
    conditionTests(() => shop);
  });

  describe.skipIf(!chosen.includes('limits'))('limits of builds', () => {
    limitTests(() => shop);
  });

  describe.skipIf(!chosen.includes('terminal'))('a terminal', () => {
    terminalTests(() => shop);
  });

  it('nothing of all this was a fault, and the reconciler took nothing back', () => expectCalmLog(berth));

  describe.skipIf(!chosen.includes('hostile text'))('hostile text', () => {
    hostileTests(() => shop);
  });
});
