/**
 * The rows of the interface document that need an engine and a proxy, under both forms of the address, with
 * their services on each machine of the table of places.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { rowsOf } from '../conformance/rows.ts';
import { nameOf } from '../conformance/run-row.ts';
import { prepareRows, runsOf, type PreparedRows } from '../conformance/run-rows.ts';
import { placesOf, runsAt } from '../run/places.ts';
import { throughProxy, type BerthHost } from './fixtures/berth-host.ts';
import { databaseOnHost } from './fixtures/people-on-host.ts';
import { addServer, machinesAt } from './fixtures/placed-berth.ts';
import { expectCalmLog, until } from './fixtures/applications.ts';

describe.each(placesOf('conformance'))('the document, with services on: %s', (place) => {
  const rows = rowsOf('engine').filter((row) => runsAt(place, 'conformance', nameOf(row)));
  let berth: BerthHost;
  let end: () => Promise<void>;
  let prepared: PreparedRows;

  beforeAll(async () => {
    const bed = await bedOfRun();
    // What a power cut would lose is not what is tested here.
    const env = { BERTH_SQLITE_SYNCHRONOUS: 'NORMAL' };
    const machines = await machinesAt(place, bed, { name: 'conformance', index: 27, env });
    const { services } = machines;
    ({ berth, end } = machines);
    const database = await databaseOnHost(bed, berth);
    prepared = await prepareRows(database, rows, {
      server: place === 'server' ? ({ people }) => addServer(berth, services, people.owner.byKey) : undefined,
    });
    await database.close();
    // The rows look at the proxy's own container and service.
    await until(
      'the proxy runs',
      async () => (await throughProxy(services.ip, 'nobody.localhost').catch(() => undefined)) !== undefined,
    );
  });
  afterAll(() => end());

  it('holds in every row that needs an engine, under both forms', async () => {
    expect(rows.length).toBeGreaterThan(0);
    expect(await prepared.run(berth.url)).toEqual({ runs: runsOf(rows), faults: [] });
  });

  it('nothing of all this was a fault', () => expectCalmLog(berth));
});
