/** The alarm of a service that was stopped since it filled a disk, on both databases. */
import { expect, it } from 'vitest';
import { eachDatabase } from '../../../../test/store/each-database.ts';
import { of } from '../../../../test/world/fixtures.ts';
import { seedWorlds, type World } from '../../../../test/world/world.ts';
import { createStores } from '../../composition/stores.ts';
import { systemClock } from '../../ports/clock.ts';
import { createAlarms } from './alarm.ts';
import { alarmSources } from './sources.ts';

eachDatabase('alarms', (test) => {
  it('of a service that filled the disk lasts until somebody starts it', async () => {
    const database = await test.open();
    const stores = createStores(database);
    const [world] = (await seedWorlds(database, 1)) as [World];
    const { organizationId } = world.own;
    const applicationId = of(world.own, 'applicationId');
    const told: string[] = [];
    const none = async (): Promise<[]> => [];
    const alarms = createAlarms({
      store: stores.alarms,
      clock: systemClock,
      tell: async ({ event, subject }) => void told.push(`${event} ${subject.id}`),
      onFault: (error) => {
        throw error;
      },
      sources: alarmSources({
        store: stores.alarms,
        clock: systemClock,
        shown: () => [],
        unreachable: none,
        disks: none,
        leftNetworks: none,
        shadowingNetworks: none,
        unknownServices: none,
        unfinishedDeletions: none,
        stoppedWriters: stores.diskWriters.stopped,
        minFreeDisk: async () => 2e9,
        installation: async () => undefined,
      }),
    });
    const open = async (): Promise<unknown[]> =>
      (await alarms.all(organizationId, { ended: false, reaches: () => true })).filter(
        ({ kind }) => kind === 'diskWriterStopped',
      );
    await stores.applications.update({ applicationId }, { isStopped: true });
    await stores.diskWriters.keepWriter({
      kind: 'application',
      serviceId: applicationId,
      serverKey: 'local',
      grownBytes: 9e9,
      freeBytes: 1.5e9,
      keptBytes: 2e9,
      since: '2100-03-01T12:00:00.000Z',
      stoppedAt: '2100-03-01T12:01:00.000Z',
    });
    await alarms.look();
    expect(await open()).toMatchObject([
      {
        serviceId: applicationId,
        sentence: expect.stringMatching(
          /was stopped at 2100.* had written 9\.0 GB since 2100.* 1\.5 GB .* 2\.0 GB must stay free .* start it\.$/,
        ),
      },
    ]);
    expect(told).toContain(`diskWriterStopped ${applicationId}`);
    await stores.applications.update({ applicationId }, { isStopped: false });
    await alarms.look();
    expect(await open()).toEqual([]);
  });
});
