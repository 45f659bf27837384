/** From a source to a running service and back, on a real Berth, engine, proxy, git, SSH and registry. */
import { afterAll, beforeAll, describe, inject, it, vi } from 'vitest';
import { findBed, type Bed } from '../bed/bed.ts';
import { berthHost } from './berth-host.ts';
import { buildTests, limitTests } from './deploy/builds.ts';
import { serviceTests } from './deploy/services.ts';
import { sourceTests } from './deploy/sources.ts';
import { expectCalmLog, openWorkshop, type Workshop } from './workshop.ts';

// They wait far more than they work.
vi.setConfig({ maxConcurrency: 8 });

let bed: Bed;
let shop: Workshop;

beforeAll(async () => {
  const found = await findBed(inject('bed').name, new AbortController().signal);
  if (found === null) throw new Error('The bed of this run is gone.');
  bed = found;
  shop = await openWorkshop(await berthHost(bed, 'deploy', 30), { buildsConcurrency: 8 });
});
afterAll(() => shop.berth.host.kill());

describe('deployments side by side', () => {
  sourceTests(() => shop, () => bed);
  serviceTests(() => shop);
  buildTests(() => shop);
});

describe('limits of builds', () => {
  limitTests(() => shop);
});

it('nothing of all this was a fault, and the reconciler took nothing back', () => expectCalmLog(shop.berth));
