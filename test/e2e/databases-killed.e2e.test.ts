/** Berth killed while it deploys and upgrades databases, on a host of its own, since whatever else runs there would be killed with it. */
import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import type { Bed } from '../bed/bed.ts';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { berthHost } from './berth-host.ts';
import { openDataHouse, type DataHouse } from './databases/data-house.ts';
import { killTests } from './databases/killed.ts';
import { expectCalmLog } from './workshop.ts';

vi.setConfig({ testTimeout: 600_000 });

let bed: Bed;
let house: DataHouse;

beforeAll(async () => {
  bed = await bedOfRun();
  house = await openDataHouse(await berthHost(bed, 'databases-killed', 38));
});
afterAll(() => house.berth.host.kill());

describe('kill -9 of Berth', () => {
  killTests(() => ({ house, bed }));
});

it('nothing of all this was a fault', () => expectCalmLog(house.berth, ['could not be put right']));
