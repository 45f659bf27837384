/** The rows of the interface document that need an engine and a proxy, under both forms of the address. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { rowsOf } from '../conformance/rows.ts';
import { prepareRows, runsOf, type PreparedRows } from '../conformance/run-rows.ts';
import { berthHost, type BerthHost } from './fixtures/berth-host.ts';
import { databaseOnHost } from './fixtures/people-on-host.ts';
import { expectCalmLog, until } from './fixtures/workshop.ts';

const rows = rowsOf('engine');

let berth: BerthHost;
let prepared: PreparedRows;

beforeAll(async () => {
  const bed = await bedOfRun();
  // What a power cut would lose is not what is tested here.
  berth = await berthHost(bed, 'conformance', 27, { BERTH_SQLITE_SYNCHRONOUS: 'NORMAL' });
  const database = await databaseOnHost(bed, berth);
  prepared = await prepareRows(database, rows);
  await database.close();
  // The rows look at the proxy's own container and service.
  await until(
    'the proxy runs',
    async () => (await berth.proxied('nobody.localhost').catch(() => undefined)) !== undefined,
  );
});
afterAll(() => berth.host.kill());

it('the document holds in every row that needs an engine, under both forms', async () => {
  expect(rows.length).toBeGreaterThan(0);
  expect(await prepared.run(berth.url)).toEqual({ runs: runsOf(rows), faults: [] });
});

it('nothing of all this was a fault', () => expectCalmLog(berth));
