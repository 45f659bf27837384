/**
 * kill -9 of Berth while a database is deployed and while it is upgraded: what was begun is finished by the
 * next start, or told as failed.
 */
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { Bed } from '../../bed/bed.ts';
import { databasePath, prepareKill } from '../fixtures/berth-process.ts';
import { inSession } from './clients.ts';
import type { Base, DatabaseFixture } from './database-fixture.ts';
import { external, services, volumes } from './life.ts';

const attemptsLimit = 5;

export function killTests(place: () => { databases: DatabaseFixture; bed: Bed }): void {
  it('in each stage of a deployment: it goes on to its end, and the data is there', async () => {
    const { databases } = place();
    const base = await databases.database('postgres', 'killed');
    await base.do('saveExternalPort', { externalPort: 15_900 });
    await base.deploy();
    await inSession('postgres', await external(base), (session) => session.write('a', 'kept'));
    for (const stage of ['pull', 'release', 'await-healthy', 'verify-query'])
      await expectToGoOn(place(), base, { stage, begin: () => base.do('rebuild') });
    expect(await inSession('postgres', await external(base), (session) => session.read('a'))).toBe('kept');
    expect(await services(databases, base)).toBe('killed 1/1');
    await base.do('remove');
  });

  it('in the middle of an upgrade: it begins again, and ends with everything in the new volume', async () => {
    const { databases } = place();
    const base = await databases.database('postgres', 'killed-upgrade');
    await base.do('saveExternalPort', { externalPort: 15_901 });
    await base.deploy();
    await inSession('postgres', await external(base), (session) => session.write('a', 'kept'));
    await killedIn(place(), base, 'beside', () =>
      base.do('upgrade', { containerImage: 'berth/postgres:18' }),
    );
    await databases.berth.start();
    const ended = await base.ended((await base.view()).deployments[0]?.deploymentId ?? '');
    expect([ended.status, ended.errorMessage]).toEqual(['done', null]);
    expect(await base.view()).toMatchObject({
      applicationStatus: 'done',
      containerImage: 'berth/postgres:18',
      dataVersion: expect.stringMatching(/^18/),
    });
    expect(await inSession('postgres', await external(base), (session) => session.read('a'))).toBe('kept');
    expect(await services(databases, base)).toBe('killed-upgrade 1/1');
    expect(await volumes(databases, base)).toHaveLength(2);
    await base.do('remove');
  });

  it('and nothing is left running or queued', async () => {
    const { databases, bed } = place();
    using database = new DatabaseSync(await databasePath(bed, databases.berth.host), { timeout: 5000 });
    expect(
      database.prepare(`select count(*) as n from "job" where "state" in ('queued', 'running')`).get(),
    ).toEqual({ n: 0 });
    expect(
      database
        .prepare(`select count(*) as n from "deployment" where "status" in ('queued', 'running')`)
        .get(),
    ).toEqual({ n: 0 });
  });
}

/** Stages that last milliseconds are tried until the kill has hit the one that was meant. */
async function expectToGoOn(
  place: { databases: DatabaseFixture; bed: Bed },
  base: Base,
  { stage, begin }: { stage: string; begin(): Promise<unknown> },
): Promise<void> {
  let hit = '';
  for (let attempt = 1; hit !== stage && attempt <= attemptsLimit; attempt += 1) {
    const killed = await killedIn(place, base, stage, begin);
    hit = killed.stage;
    console.log(`killed in the stage ${hit} (meant was ${stage}, attempt ${attempt})`);
    await place.databases.berth.start();
    expect(await base.ended(killed.deploymentId)).toMatchObject({ status: 'done', errorMessage: null });
  }
  expect(hit).toBe(stage);
  expect(await base.view()).toMatchObject({ applicationStatus: 'done' });
}

async function killedIn(
  { databases, bed }: { databases: DatabaseFixture; bed: Bed },
  base: Base,
  stage: string,
  begin: () => Promise<unknown>,
): Promise<{ deploymentId: string; stage: string }> {
  const killIn = await prepareKill(databases.berth.host, await databasePath(bed, databases.berth.host));
  await begin();
  return killIn(base.id, stage);
}
