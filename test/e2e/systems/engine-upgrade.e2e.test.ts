/**
 * The engine is upgraded beneath Berth, as `apt full-upgrade` to another Debian does: the data folder of the
 * oldest engine is opened by each newer one in turn. With `--long`.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Bed } from '../../bed/bed.ts';
import { bedOfRun } from '../../bed/bed-of-run.ts';
import { systemNames, systems, type SystemName } from '../../bed/host/systems.ts';
import { isWhole } from '../../run/mode.ts';
import { inSession } from '../databases/clients.ts';
import { openDatabaseFixture, type Base } from '../databases/database-fixture.ts';
import { applicationFixture, deploymentEnded, until, type App } from '../fixtures/applications.ts';
import { berthHost, type BerthHost } from '../fixtures/berth-host.ts';
import { file } from '../fixtures/compose-file.ts';
import { nodeCommand } from '../fixtures/sources.ts';

const [oldest, ...newer] = systemNames;
const hostIndex = 31;

describe.skipIf(!isWhole())('the engine is upgraded beneath Berth', () => {
  let bed: Bed;
  let berth: BerthHost;
  let web: App;
  let store: Base;
  let composeId: string;

  beforeAll(async () => {
    bed = await bedOfRun();
    berth = await berthHost(onSystem(bed, oldest ?? 'bookworm'), 'engine-upgrade', hostIndex);
    const shop = await applicationFixture(berth);
    web = await shop.fromImage('web', nodeCommand('1'));
    await web.deploy();
    const house = await openDatabaseFixture(berth);
    store = await house.database('postgres', 'store');
    await store.deploy();
    await store.do('saveExternalPort', { externalPort: 15_432 });
    await inSession('postgres', await address(), (notes) => notes.write('greeting', 'hello'));
    ({ composeId } = await berth.call<{ composeId: string }>('compose.create', {
      name: 'stack',
      appName: 'stack',
      environmentId: shop.environmentId,
    }));
    await berth.call('compose.update', { composeId, composeFile: file(), env: 'VERSION=1' });
    await deployStack();
  }, 900_000);
  afterAll(() => berth?.host.kill());

  async function deployStack(): Promise<void> {
    await berth.call('compose.deploy', { composeId });
    const [newest] = await berth.call<{ deploymentId: string }[]>('deployment.all', { composeId });
    const { status, errorMessage } = await deploymentEnded(berth, 'stack', newest?.deploymentId ?? '');
    expect([status, errorMessage]).toEqual(['done', null]);
  }

  const address = async (): Promise<string> => (await store.view()).connection.external ?? '';

  const engineVersion = async (): Promise<string> =>
    (await berth.host.exec(['/usr/bin/docker', 'version', '--format', '{{.Server.Version}}'])).stdout.trim();

  const answers = (): Promise<boolean> =>
    web.answer().then(
      ({ status }) => status === 200,
      // The proxy is not back yet.
      () => false,
    );

  const greeting = async (): Promise<string | null> => {
    try {
      return await inSession('postgres', await address(), (notes) => notes.read('greeting'));
    } catch {
      // It is not back yet.
      return null;
    }
  };

  it.each(newer)('services are back on %s, and nothing is lost', { timeout: 600_000 }, async (system) => {
    const before = await engineVersion();
    await berth.stop();
    await berth.host.stop();
    await berth.host.restart(await bed.lower(system));
    await berth.start();
    const after = await engineVersion();
    expect(after).toContain(systems[system].engine.version);
    await until('the application answers', answers, 180_000);
    expect(await until('the database answers', greeting, 180_000)).toBe('hello');
    const tasks = await berth.call<{ composeStatus: string }>('compose.one', { composeId });
    expect(tasks.composeStatus).toBe('done');
    await web.deploy('redeploy');
    await store.deploy();
    await deployStack();
    console.log(`engine ${before} → ${after}: services back, deployed again`);
  });
});

/** The bed whose hosts have the system's own engine and programs. */
const onSystem = (bed: Bed, system: SystemName): Bed => ({
  ...bed,
  host: (name, options) => bed.host(name, { ...options, sshd: false, root: 'furnished', system }),
});
