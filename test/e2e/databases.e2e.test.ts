/** Every kind of database on a real Berth and engine, met by its real client. */
import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { berthHost } from './berth-host.ts';
import { openDataHouse, type DataHouse } from './databases/data-house.ts';
import { lifeTests } from './databases/life.ts';
import { truthTests } from './databases/truth.ts';
import { upgradeTests } from './databases/upgrades.ts';
import { expectCalmLog } from './workshop.ts';

// They wait far more than they work, and longest on a busy machine.
vi.setConfig({ maxConcurrency: 9, testTimeout: 600_000 });

let house: DataHouse;

beforeAll(async () => {
  const bed = await bedOfRun();
  house = await openDataHouse(await berthHost(bed, 'databases', 36));
});
afterAll(() => house.berth.host.kill());

describe('databases side by side', () => {
  lifeTests(() => house);
  truthTests(() => house);
  upgradeTests(() => house);
});

it('nothing of all this was a fault', () => expectCalmLog(house.berth, ['could not be put right']));
