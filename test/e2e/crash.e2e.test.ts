/**
 * Crashes and outages: what Berth had begun goes on or ends with its reason, and what ran runs on or comes
 * back without a hand.
 */
import { afterAll, beforeAll, it, vi } from 'vitest';
import type { Bed } from '../bed/bed.ts';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { berthHost, type BerthHost } from './fixtures/berth-host.ts';
import { heldTests } from './crash/held.ts';
import { outageTests } from './crash/outage.ts';
import { shortTests } from './crash/short.ts';
import { createGate, type Gate } from './hostile/gate.ts';
import { inOrder } from './fixtures/in-order.ts';
import { expectCalmLog } from './fixtures/applications.ts';

// Chained tests wait for each other; all of both chains must have begun for that.
vi.setConfig({ maxConcurrency: 20 });

let bed: Bed;
let gate: Gate;
/** Two hosts, so that waiting for the one is no time of the other. */
let killed: BerthHost;
let cutOff: BerthHost;

beforeAll(async () => {
  bed = await bedOfRun();
  gate = await createGate(bed.machineIp);
  [killed, cutOff] = await Promise.all([berthHost(bed, 'crash', 32), berthHost(bed, 'outage', 33)]);
});
afterAll(async () => {
  await gate[Symbol.asyncDispose]();
  await Promise.all([killed.host.kill(), cutOff.host.kill()]);
});

const cutOffFirst = inOrder();
outageTests(() => ({ gate, berth: cutOff }), cutOffFirst);
shortTests(() => ({ bed, berth: cutOff }), cutOffFirst);
heldTests(() => ({ bed, gate, berth: killed }), inOrder());

it('nothing of all this was a fault', async () => {
  await expectCalmLog(killed, []);
  await expectCalmLog(cutOff, []);
});
