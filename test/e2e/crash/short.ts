/** kill -9 of Berth in stages that last milliseconds. */
import { describe, expect, it } from 'vitest';
import type { Bed } from '../../bed/bed.ts';
import type { BerthHost } from '../fixtures/berth-host.ts';
import { databasePath, prepareKill } from '../fixtures/berth-process.ts';
import type { InOrder } from '../fixtures/in-order.ts';
import { expectAllAnswered, startLoad } from '../fixtures/load.ts';
import type { Repository } from '../fixtures/repository.ts';
import { tinyFiles } from '../fixtures/sources.ts';
import { applicationFixture, type App } from '../fixtures/applications.ts';

export interface ShortPlace {
  bed: Bed;
  berth: BerthHost;
}

type Built = App & { repository: Repository };

const attemptsLimit = 5;

export function shortTests(place: () => ShortPlace, next: InOrder): void {
  let app: Built;

  describe.concurrent('kill -9 of Berth in a short stage', () => {
    it.for(['release', 'route', 'prune'])('%s', (stage) =>
      next(async () => {
        app ??= await firstVersion(place().berth);
        await expectToGoOnFrom(place(), app, stage);
      })(),
    );
  });
}

async function firstVersion(berth: BerthHost): Promise<Built> {
  const shop = await applicationFixture(berth, { buildsConcurrency: 8 });
  const app = await shop.fromFiles('short', tinyFiles('before'));
  await app.deploy();
  return app;
}

/** Nothing holds these stages open, so it is tried until the kill has hit the one that was meant. */
async function expectToGoOnFrom({ berth, bed }: ShortPlace, app: Built, stage: string): Promise<void> {
  const load = startLoad({ ip: berth.host.ip, hostName: app.host, path: '/', perSecond: 20 });
  await app.repository.commit({ 'www/index.html': stage });
  let hit = '';
  for (let attempt = 1; hit !== stage && attempt <= attemptsLimit; attempt += 1) {
    const killIn = await prepareKill(berth.host, await databasePath(bed, berth.host));
    await app.do('application.deploy');
    const killed = await killIn(app.id, stage);
    hit = killed.stage;
    console.log(`killed in the stage ${hit} (meant was ${stage}, attempt ${attempt})`);
    await berth.start();
    expect(await app.ended(killed.deploymentId)).toMatchObject({ status: 'done', errorMessage: null });
  }
  expect(hit).toBe(stage);
  expect((await app.answer()).body).toBe(stage);
  await expectAllAnswered(`short ${stage}`, load);
  expect(await app.view()).toMatchObject({ applicationStatus: 'done', pendingChanges: [] });
}
