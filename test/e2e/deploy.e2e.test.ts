/**
 * From a source to a running service and back, on a real Berth, engine, proxy, git, SSH and registry; then
 * with hostile text in all of it.
 */
import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import type { Bed } from '../bed/bed.ts';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { berthHost } from './fixtures/berth-host.ts';
import { buildTests, limitTests } from './deploy/builds.ts';
import { conditionTests } from './deploy/conditions.ts';
import { healthTests } from './deploy/health.ts';
import { hostileTests } from './deploy/hostile.ts';
import { serviceTests } from './deploy/services.ts';
import { sourceTests } from './deploy/sources.ts';
import { terminalTests } from './deploy/terminal.ts';
import { expectCalmLog, openWorkshop, type Workshop } from './fixtures/workshop.ts';

// They wait far more than they work.
vi.setConfig({ maxConcurrency: 8 });

let bed: Bed;
let shop: Workshop;

beforeAll(async () => {
  bed = await bedOfRun();
  shop = await openWorkshop(await berthHost(bed, 'deploy', 30), { buildsConcurrency: 8 });
});
afterAll(() => shop.berth.host.kill());

describe('deployments side by side', () => {
  sourceTests(
    () => shop,
    () => bed,
  );
  serviceTests(() => shop);
  healthTests(() => shop);
  buildTests(() => shop);
});

describe('what a service is in', () => {
  conditionTests(() => shop);
});

describe('limits of builds', () => {
  limitTests(() => shop);
});

describe('a terminal', () => {
  terminalTests(() => shop);
});

it('nothing of all this was a fault, and the reconciler took nothing back', () => expectCalmLog(shop.berth));

describe('hostile text', () => {
  hostileTests(() => shop);
});
