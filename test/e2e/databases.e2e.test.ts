/** Every kind of database on a real Berth and engine, met by its real client. */
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { findBed } from '../bed/bed.ts';
import { berthHost } from './berth-host.ts';
import { openDataHouse, type DataHouse } from './databases/data-house.ts';

vi.setConfig({ maxConcurrency: 8 });

let house: DataHouse;

beforeAll(async () => {
  const bed = await findBed(inject('bed').name, new AbortController().signal);
  if (bed === null) throw new Error('The bed of this run is gone.');
  house = await openDataHouse(await berthHost(bed, 'databases', 36));
});
afterAll(() => house.berth.host.kill());

it.each(['postgres', 'mariadb', 'redis'] as const)('%s is deployed and answers', async (kind) => {
  const base = await house.database(kind, `first-${kind}`);
  const { deploymentId } = await base.deploy();
  console.log(await base.log(deploymentId));
  expect(await base.view()).toMatchObject({ applicationStatus: 'done' });
});
