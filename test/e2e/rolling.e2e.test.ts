/**
 * New versions under load: good ones without a failed request, broken ones with their reason while the old
 * version answers on. Then changes of domains under load.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { dockerOf } from '../bed/docker.ts';
import { placesOf } from '../run/places.ts';
import { domainTests } from './rolling/domains.ts';
import { expectAllAnswered, startLoad, type LoadOptions, type LoadResult } from './fixtures/load.ts';
import { berthAt, type PlacedBerth } from './fixtures/placed-berth.ts';
import { nodeCommand, nodeFiles, nodeServer } from './fixtures/sources.ts';
import {
  expectCalmLog,
  applicationFixture,
  type App,
  type ApplicationFixture,
} from './fixtures/applications.ts';

let berth: PlacedBerth;
let shop: ApplicationFixture;

/** The load on the application while the work is done, and a second before and after. */
async function under(
  app: App,
  { perSecond, whileRoutesChange }: Pick<LoadOptions, 'perSecond' | 'whileRoutesChange'>,
  work: () => Promise<void>,
): Promise<LoadResult> {
  const load = startLoad({
    ip: shop.berth.services.ip,
    hostName: app.host,
    path: '/version',
    perSecond,
    ...(whileRoutesChange === undefined ? {} : { whileRoutesChange }),
  });
  await wait(1000);
  const outcome = await work().then(
    () => undefined,
    (error: unknown) => error,
  );
  await wait(1000);
  const result = await expectAllAnswered(app.appName, load);
  if (outcome !== undefined)
    throw outcome instanceof Error
      ? outcome
      : new Error('What was done under load failed.', { cause: outcome });
  return result;
}

/** What the broken versions do, and what must be said of them. */
const broken: Record<
  string,
  { change(app: App): Promise<unknown>; reason: RegExp; log: RegExp; stage?: string }
> = {
  'crashes at boot': {
    change: (app) =>
      app.do('application.update', { command: `node -e 'console.log("no database here"); process.exit(4)'` }),
    reason: /^Its program ended with exit code 4\. The former version keeps running\.$/,
    log: /Last lines of the failed version:\n[^\n]*  no database here/,
  },
  'is never healthy': {
    change: (app) => app.do('application.update', { command: nodeCommand('deaf').replace('3000', '3999') }),
    reason:
      /^It never became healthy: .* nothing listens on port 3000; the program listens on 3999 \(.*\)\. The former version keeps running\.$/,
    log: /  listening as deaf/,
  },
  'listens on 127.0.0.1 only': {
    change: (app) =>
      app.do('application.update', {
        command: nodeCommand('shy').replace('listen(3000,', 'listen(3000, "127.0.0.1",'),
      }),
    reason: /^It never became healthy/,
    log: /the service listens on port 3000 only on the loopback address; make it listen on 0\.0\.0\.0/,
  },
  'takes more memory than it may': {
    change: (app) =>
      app.do('application.update', {
        memoryLimit: '64m',
        command: `node -e 'const all = []; setInterval(() => all.push(Buffer.alloc(8e6, 1)), 5)'`,
      }),
    // The engine misses the lack of memory where the kernel's word comes after the end.
    reason: /(out of memory|saw no lack of memory).*memory limit.*The former version keeps running\.$/,
    log: /Last lines|could not be read|going back to the former version/,
  },
  'has an image that does not exist': {
    change: async (app) =>
      app.do('application.saveContainerProvider', {
        containerImage: `${(await (await bedOfRun()).registries()).open}/team/none:1`,
      }),
    reason: /\/team\/none:1.*(not found|manifest unknown)/,
    log: /Pulling the image/,
    stage: 'checkout',
  },
};

describe.each(placesOf('rolling'))('applications on: %s', (place) => {
  beforeAll(async () => {
    berth = await berthAt(place, await bedOfRun(), { name: 'rolling', index: 31 });
    shop = await applicationFixture(berth, { buildsConcurrency: 8 });
  });
  afterAll(() => berth.end());

  describe('a new version under 200 requests per second', () => {
    let app: Awaited<ReturnType<ApplicationFixture['fromFiles']>>;
    beforeAll(async () => {
      app = await shop.fromFiles('rolling-app', nodeFiles('v0'));
      await app.deploy();
    });

    it.for([1, 2, 3])('fails no request, run %i', async (run) => {
      await app.repository.commit({ 'server.js': nodeServer(`v${run}`) });
      const { sent, answers } = await under(app, { perSecond: 200 }, async () => void (await app.deploy()));
      // The engine's monitor alone takes five seconds: the load was there while versions changed.
      expect(sent).toBeGreaterThan(1000);
      expect(Object.keys(answers)).toEqual([`v${run - 1}`, `v${run}`]);
    });
  });

  describe('a broken version', () => {
    it.concurrent.for(Object.entries(broken))(
      'that %s ends as error with its reason, and the old one answers on',
      async ([what, { change, reason, log, stage = 'await-healthy' }]) => {
        const app = await shop.fromImage(`broken-${Object.keys(broken).indexOf(what)}`, nodeCommand('good'));
        await app.deploy();
        // Those beside it are released for the first time, which changes routes.
        const { answers } = await under(app, { perSecond: 20, whileRoutesChange: true }, async () => {
          await change(app);
          const { status, stage: at, errorMessage, deploymentId } = await app.ended(await app.begin());
          expect({ status, at, errorMessage }).toEqual({
            status: 'error',
            at: stage,
            errorMessage: expect.stringMatching(reason),
          });
          expect(await app.log(deploymentId)).toMatch(log);
          expect((await app.view()).applicationStatus).toBe('error');
        });
        expect(Object.keys(answers)).toEqual(['good']);
      },
    );

    it.concurrent('that is the first one is scaled to 0, and its log is kept', async () => {
      const app = await shop.fromImage(
        'broken-first',
        `node -e 'console.log("first and last words"); process.exit(5)'`,
      );
      const { status, errorMessage, deploymentId } = await app.ended(await app.begin());
      expect({ status, errorMessage }).toEqual({
        status: 'error',
        errorMessage: 'Its program ended with exit code 5.',
      });
      expect(await app.log(deploymentId)).toContain(
        'There is no former version to return to; the service was scaled to 0.',
      );
      expect(await dockerOf(shop.berth.services).replicas(app.appName)).toBe(0);
      expect(await app.do('application.readLogs')).toEqual(
        expect.arrayContaining([expect.objectContaining({ text: 'first and last words' })]),
      );
      expect(await app.view()).toMatchObject({ applicationStatus: 'error' });
      await app.do('application.update', { command: nodeCommand('repaired') });
      await app.deploy();
      expect(await app.view()).toMatchObject({ applicationStatus: 'done' });
      expect((await app.state()).version).toBe('repaired');
    });
  });

  it('nothing of all this was a fault, and the reconciler took nothing back', () =>
    expectCalmLog(shop.berth));

  describe('domains of a running Berth', () => {
    domainTests(() => shop, place);
  });
});
