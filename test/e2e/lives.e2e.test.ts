/**
 * The life of a service of each kind, from creation to end: on a server, and with `--long` on Berth's own
 * machine as well, where the ordinary run has the suites of each kind.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bedOfRun } from '../bed/bed-of-run.ts';
import { placesOf, type PlaceName } from '../run/places.ts';
import type { BedHost } from '../bed/host/host.ts';
import { diskFolder } from '../bed/layout.ts';
import { startS3, type S3Server } from '../s3/s3-server.ts';
import { destinationOf } from './backups/backup-fixture.ts';
import { berthHost, type BerthHost } from './fixtures/berth-host.ts';
import { lifeKinds, type LifeKind } from './lives/kinds.ts';
import { leftOf, type Life, type Place } from './lives/life.ts';
import { addServer, serverHost } from './fixtures/placed-berth.ts';
import { repositoriesFolder } from './fixtures/repository.ts';
import { expectCalmLog, until } from './fixtures/applications.ts';

// They wait far more than they work.
vi.setConfig({ maxConcurrency: 4, testTimeout: 900_000 });

let berth: BerthHost;
let far: BedHost;
let s3: S3Server;
const places: Partial<Record<PlaceName, Place>> = {};

beforeAll(async () => {
  const bed = await bedOfRun();
  [far, berth] = await Promise.all([serverHost(bed, 'there', 71), berthHost(bed, 'here', 72)]);
  s3 = await startS3(bed.machineIp, join(diskFolder(bed.name), 's3-lives'));
  const serverId = await addServer(berth, far);
  await berth.call('settings.update', {
    localRepositoryPaths: [repositoriesFolder],
    serverIp: berth.host.ip,
    sharedImages: ['berth/'],
    buildsConcurrency: 2,
  });
  const { environment } = await berth.call<{ environment: { environmentId: string } }>('project.create', {
    name: 'Lives',
  });
  const { destinationId } = await berth.call<{ destinationId: string }>('destination.create', {
    name: 'lives',
    ...destinationOf(s3),
  });
  const shared = { berth, environmentId: environment.environmentId, destinationId, firstPort: 18_000 };
  places['own machine'] = { ...shared, host: berth.host, serverId: null, name: 'near' };
  places['server'] = { ...shared, host: far, serverId, name: 'away' };
});
afterAll(async () => {
  await s3.kill();
  await Promise.all([far.kill(), berth.host.kill()]);
});

const table = placesOf('lives').flatMap((where) =>
  Object.keys(lifeKinds)
    .filter((kind): kind is LifeKind => kind in lifeKinds)
    .map((kind) => ({ where, kind })),
);

describe.concurrent('lives', () => {
  it.each(table)(
    '$where $kind: made, changed, broken, rolled back, restored, removed',
    async ({ where, kind }) => {
      const place = places[where];
      if (!place) throw new Error('There is no such place.');
      const life = await lifeKinds[kind](place);
      await life.deploy();
      const first = await answers(life);
      const changed = await life.change();
      await untilAnswers(life, changed);
      expect((await life.use?.())?.join('; ') ?? '').not.toMatch(/false|: [1-9]/);
      expect(await life.fail()).not.toBe('');
      await untilAnswers(life, changed);
      const former = (await life.rollBack?.()) ?? changed;
      expect(former).toBe(life.rollBack ? first : changed);
      await untilAnswers(life, former);
      await untilAnswers(life, (await life.backUpAndRestore?.()) ?? former);
      expect(await leftOf(place, life.label)).not.toEqual([]);
      await life.remove();
      await until(
        'nothing of it is left',
        async () => (await leftOf(place, life.label)).length === 0,
        120_000,
      );
      expect(await life.answer()).toBeUndefined();
    },
  );
});

it('nothing of all this was a fault', () => expectCalmLog(berth, ['could not be corrected']));

const answers = (life: Life): Promise<string | undefined> =>
  until('it answers', () => life.answer(), 120_000);

const untilAnswers = (life: Life, words: string): Promise<boolean> =>
  until(`it answers ${words}`, async () => (await life.answer()) === words, 120_000);
